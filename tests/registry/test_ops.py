"""The table of operations, held to the public contract."""

import pytest

from conformance.paths import schemas_dir
from conformance.registry import ops
from conformance.registry.ops import OPS, SPEC_TABLE, SPECS, classes_of, ops_of, section_packages
from conformance.suite.clauses import load_clauses
from conformance.suite.vectors import section_files

CONTRACT = {
    "parse_reward": "reward",
    "terminal_bench_reward": "reward",
    "aggregate": "aggregation",
    "evals_key": "job",
    "pass_at_k": "pass-at-k",
    "multi_step_reward": "multi-step",
    "plan_trials": "job",
    "scores": "scores",
    "outcome": "outcome",
    "reason_code": "outcome",
    "read_outcome": "outcome",
    "result_score": "result-score",
    "rewards_jsonl": "metric-script",
    "metric_script": "metric-script",
    "evsys.compute": "evsys",
    "evsys.registry": "evsys",
}
"""The operations of the releases, each with the class that it counts for. Extended, never renamed."""
ALONE = [spec for spec in SPECS if SPEC_TABLE[spec].base is None]


def test_every_op_of_the_release_counts_for_its_class_and_the_classes_are_those_of_the_ops() -> None:
    assert {name: OPS[name].conformance_class for name in CONTRACT if name in OPS} == CONTRACT
    assert all(op.name == name for name, op in OPS.items())
    every = [name for spec in ALONE for name in classes_of(spec, package=True)]
    assert sorted(every) == sorted({op.conformance_class for op in OPS.values()})
    assert len(every) == len(set(every)), "a class belongs to one spec"
    assert "; harbor-metric: metric-script" in ops.classes_text()


def test_no_name_stands_for_two_ops_and_a_section_is_a_folder_and_a_vector_file() -> None:
    with pytest.raises(ValueError, match="two ops are called 'aggregate'"):
        ops.unique([OPS["aggregate"], OPS["pass_at_k"], OPS["aggregate"]])
    assert OPS["parse_reward"].spec == SPECS[0]
    for op in (op for spec in ALONE[1:] for op in ops_of(spec)):  # the dotted names say the spec
        assert op.name.startswith((op.spec.partition("-")[0] + ".", "rewards_jsonl", "metric_script"))
    for spec in ALONE:
        assert list(section_packages(spec)) == list(SPEC_TABLE[spec].sections)
        assert {path.stem for path in section_files(spec)} == set(section_packages(spec))
        assert all(op.package.endswith(f".{op.section}") for op in ops_of(spec, package=True))


def test_an_op_says_what_the_engines_ask() -> None:
    """A file's content and a line hold no number of the protocol."""
    for name, op in OPS.items():
        assert op.fallback_clause in {clause.id for clause in load_clauses(op.spec)}, name
        assert (op.weight == 0) is op.package_only, name
        assert (schemas_dir() / f"{op.schema}.schema.json").is_file(), name
        assert set(op.shows) <= {other.name for other in ops_of(op.spec)} | {"*"}, name
        texts = [*op.ok_files, *op.ok_lines, *op.ok_json_lines, *op.ok_parsed]
        assert len(set(texts)) == len(texts), name
        assert not set(texts) & set(op.ok_numbers), name
        assert all(text and "*" not in text for text in texts), name
