"""What an operation can use of the reference, and what it uses and cannot show."""

import json

import pytest

from conformance.diagnosis.scratch import scratch
from conformance.mistakes.catalogue import find_mistakes
from conformance.mutants.excuses import ExcusesError, load_unreachable
from conformance.mutants.reach import concerns, used_by
from conformance.mutants.selection import all_mutants, asked_of
from conformance.registry.ops import ops_of
from conformance.suite.vectors import load_spec


def test_what_an_op_calls_it_can_use() -> None:
    """The source says at least what the profiler sees: else an op's own vectors would be asked too little."""
    seen = set()
    for vector in load_spec("harbor-0.13.1")[::7]:
        used = used_by(vector.op.name)
        for code in scratch().called(vector.op.name, vector.input):
            _, inside, path = code.co_filename.partition("reference_impl/")
            name = getattr(code, "co_qualname", code.co_name)  # from 3.11 on with the class
            if not inside or code.co_name.startswith("<") or "." in name or "runner/serving" in path:
                continue
            module = path.removesuffix(".py").replace("/", ".")
            seen.add((module, name))
            assert any((module, each) in used for each in (name, code.co_name)) or any(
                where == module and each.endswith(f".{code.co_name}") for where, each in used
            ), (vector.op.name, module, name)
    assert ("aggregation", "aggregate") in seen


PLACES = """
job_result aggregation aggregate yes
pipeline reward parse_reward yes
job_result reward parse_reward no
outcome reason_code reason_code no
read_outcome reason_code _WORDS yes
aggregate pass_at_k pass_at_k no
job_result job_result JobStatistics.add yes
evsys.registry cpython312.summation compensated_sum yes
"""


def test_places_mistakes_and_mutants_concern_the_ops_that_use_them() -> None:
    for op, module, name, uses in map(str.split, PLACES.split("\n")[1:-1]):
        assert ((module, name) in used_by(op)) == (uses == "yes"), (op, module, name)
    later = {"pass_at_k", "job_result", "pipeline"}
    for mistake, ops in (
        ("naive-sum", later | {"aggregate", "multi_step_reward", "outcome"}),
        ("pass-at-1-included", later),
    ):
        changes = scratch().changes(*find_mistakes(mistake))
        asked = [one.name for one in ops_of("harbor-0.13.1")]
        concerned = {op for op in asked if concerns(op, changes)}
        assert ops <= concerned
        assert not concerned & {"parse_reward", "reason_code", "plan_trials"}
    asked = asked_of(all_mutants(("aggregation", "plan")))
    ops = {op for mutant, _, op in asked if mutant.function == "aggregate"}
    assert {"aggregate", "job_result", "pipeline"} <= ops
    assert {op for mutant, _, op in asked if mutant.function == "plan_trials"} == {"plan_trials"}


def _file(tmp_path, *entries):
    path = tmp_path / "unreachable.json"
    path.write_text(json.dumps({"unreachable": entries}), encoding="utf-8")
    return path


REASON = "There is no reason but this sentence, which is long enough."


def test_one_survivor_more_or_fewer_is_stale(tmp_path) -> None:
    ops = {"plan_trials": {"mutants": {"plan:plan_trials": 2}, "mistakes": ["by-the-way"]}}
    found = load_unreachable(_file(tmp_path, {"reason": REASON, "ops": ops}))
    assert found.mistakes == {("plan_trials", "by-the-way")}
    place = ("plan_trials", "plan:plan_trials")
    assert found.stale_places({place: 2}, ["plan_trials"]) == []
    for count in (1, 3):
        (sentence,) = found.stale_places({place: count}, ["plan_trials"])
        assert f"{count} mutants survive where 2 are proven to" in sentence
    assert found.stale_places({}, ["aggregate"]) == []


def test_no_list_of_proofs(tmp_path) -> None:
    for entry in (
        *({"reason": "short.", "ops": {}}, {"ops": {}}, "no entry"),
        {"reason": REASON, "ops": {"plan_trials": {"mutants": {"plan:f": 0}}}},
        {"reason": REASON, "ops": {"plan_trials": {"mistakes": ["a", "a"]}}},
    ):
        with pytest.raises(ExcusesError):
            load_unreachable(_file(tmp_path, entry))
