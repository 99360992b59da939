"""The commands by name: help, completion, old names and near ones; what `explain` explains; short ids."""

import json
import os
import re
import runpy
import subprocess
import sys
import types
from importlib import import_module
from pathlib import Path

import click
import pytest

from conformance.cli.table import COMMANDS, KIT, RENAMED
from conformance.paths import DEFAULT_SPEC, spec_names
from conformance.suite.vectors import load_spec

ROOT = Path(__file__).parents[2]
EVERY = {name: row for table in (COMMANDS, KIT) for group in table.values() for name, row in group.items()}
GROUPS = """\
Check a runner: new run fuzz explain doctor
Gate a fork: baseline gate report matrix
Audit results: check dataset
Metrics: metric
Maintain the kit: kit
"""


@pytest.mark.parametrize("words", [(), ("kit",)])
def test_help_is_in_groups_and_fits_eighty_columns(cli, words) -> None:
    said = cli(*words, "--help", COLUMNS="80").stdout
    sections = re.findall(r"^(\w[^\n]*):\n((?:  \w.*\n)+)", said, re.MULTILINE)
    found = "".join(f"{name}: {' '.join(re.findall('^  (.+?) ', rows, re.M))}\n" for name, rows in sections)
    of_kit = "Commands: regen oracle precompute mutants assess spec\n"
    assert found == (of_kit if words else GROUPS)
    assert words or "{regen oracle precompute mutants assess spec}" in said
    assert max(map(len, said.splitlines())) <= 80
    assert "…" not in said
    assert "..." not in said.replace("[ARGS]...", "")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(EVERY))
def test_the_table_leads_to_commands(cli, name) -> None:
    module, summary = EVERY[name]
    assert not module or isinstance(getattr(import_module(module), name), click.Command)
    assert len(summary) <= 66
    words = ("kit", name) if name in KIT["Commands"] else (name,)
    assert cli(*words, "--help").stdout.startswith(f"Usage: harbor-conformance {' '.join(words)} ")


@pytest.mark.parametrize(
    ("old", "new", "called"),
    [
        ("clauses --op pass_at_k", "explain rules --op pass_at_k", "explain rules"),
        ("mistakes naive-sum", "explain naive-sum", "explain mistakes"),
        ("compare a b --key k", "check a --against b --key k", "check A --against B"),
        *((f"{name} --no-such", f"kit {name} --no-such", f"kit {name}") for name in KIT["Commands"]),
    ],
)
def test_a_command_is_found_by_its_old_name(cli, old, new, called) -> None:
    name = old.split()[0]
    assert name in RENAMED
    was, is_now = cli(*old.split()), cli(*new.split())
    assert (was.returncode, was.stdout) == (is_now.returncode, is_now.stdout)
    note = f"harbor-conformance: '{name}' is now called '{called}'\n"
    assert was.stderr == note + is_now.stderr
    assert not re.search(rf"^  {name} ", cli("--help").stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("ba", "plain,baseline\n"),
        ("kit prec", "plain,precompute\n"),
        ("clau", "\n"),
        ("doctor --run", "plain,--runner\nplain,--runner-timeout\n"),
    ],
)
def test_the_tab_key_completes_commands_and_options(cli, words, found) -> None:
    typed = ["harbor-conformance", *words.split()]
    variables = {"COMP_WORDS": " ".join(typed), "COMP_CWORD": str(len(typed) - 1)}
    assert cli(_HARBOR_CONFORMANCE_COMPLETE="bash_complete", **variables).stdout == found


@pytest.mark.slow
def test_bash_completes_as_the_documents_say() -> None:
    guide = (ROOT / "docs" / "writing-a-runner.md").read_text("utf-8")
    (line,) = re.findall(r"^`(eval .*harbor-conformance\)\")`", guide, re.MULTILINE)
    press = "COMP_WORDS=(x ba); COMP_CWORD=1; _harbor_conformance_completion harbor-conformance"
    words = ["bash", "-c", f'{line}; {press}; echo "${{COMPREPLY[@]}}"']
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PATH": path}, timeout=60)
    assert done.stdout == "baseline\n", done.stderr


EXPLAINED = """\
sum-ten-tenths | vector:     harbor-0.13.1/aggregation/sum-ten-tenths | clause:     003-6- | expected:   {
evsys/* | vector:     evsys/ | ask it:     harbor-conformance run --spec evsys --runner CMD evsys/
003-4.2-never-pass-at-1 | document:   003 §4.2 | pass-at-1-included | harbor-0.13.1/pass_at_k/attempts-001
002-sum | document:   002 §
pass-at-1-included | says:       pass@1 is included | caught by:
terminal_bench_reward | 2 clauses are shown by the vectors of terminal_bench_ | 2 known mistakes: 2 caught
evsys.compute | clauses are shown by the vectors of evsys.compute
plan_trials | ask them:   harbor-conformance run --runner CMD 'harbor-0.13.1/plan/*'
mistake:naive-sum | mistake:    naive-sum
aggregate-sum-of-ints-is-exact | rule:       The sum of ints | -k harbor-0.13.1/properties/aggregate-sum
plan/two-tasks-two-agents/asked-again | vector:     harbor-0.13.1/plan/two-tasks-two-agents
pass-at-k | pass_at_k  pass-at-k
job_result/job-with-no-trials | expected result.json: |         "id": "00000000-0000-0000-0000-000000000000",
"""


@pytest.mark.parametrize(("columns", "widest"), [("80", 80), ("40", 80), ("200", 118)])
def test_explain_is_as_wide_as_a_terminal(columns, widest, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    text = import_module("conformance.cli.explain")._about(("clause", "word " * 100))
    assert max(map(len, text.splitlines())) in range(widest - 5, widest + 1)


@pytest.mark.parametrize("line", EXPLAINED.splitlines())
def test_explain_explains(cli, line) -> None:
    name, *said = line.split(" | ")
    name = load_spec("evsys")[0].id.removeprefix("evsys/") if "*" in name else name
    done = cli("explain", name)
    assert (done.returncode, done.stderr) == (0, "")
    assert [part for part in said if part not in done.stdout] == []
    document = json.loads(cli("explain", name, "--json").stdout)
    kinds = ("vectors", "properties", "clauses", "ops", "mistakes")
    assert sum(len(document.get(kind, ())) for kind in kinds) >= 1


def test_the_rules_of_a_spec_and_of_an_operation(cli) -> None:
    rows = json.loads(cli("explain", "rules", "--spec", "evsys", "--json").stdout)["clauses"]
    assert all(row["vectors"] or row["untested"] for row in rows)
    said = cli("explain", "rules", "--spec", "evsys", "--ids").stdout
    assert f"{len(rows)} clauses: " in said
    shown = next(row["vectors"][0] for row in rows if row["vectors"])
    assert shown in re.sub(r"\s+", "", said)
    assert "(E1)" in cli("explain", "rules", "--op", "parse_reward").stdout, "a clause's erratum"
    said = cli("explain", "rules", "--op", "pass_at_k").stdout
    document = json.loads(cli("explain", "rules", "--op", "pass_at_k", "--json").stdout)
    assert (document["op"], "003-4.3-product-order" in said, "003-3.2-" in said) == ("pass_at_k", True, False)
    assert all(clause["vectors"] for clause in document["clauses"])
    count = len(document["clauses"])
    assert said.splitlines()[-1] == f"{count} clauses are shown by the vectors of pass_at_k"


def test_explain_alone_counts_what_each_operation_has(cli) -> None:
    rows = {row["op"]: row for row in json.loads(cli("explain", "--json").stdout)["ops"]}
    vectors = [vector for vector in load_spec(DEFAULT_SPEC) if vector.op.name == "pass_at_k"]
    document = json.loads(cli("explain", "pass_at_k", "--json").stdout)
    counts = len(document["clauses"]), len(vectors), len(document["mistakes"])
    assert tuple(rows["pass_at_k"][name] for name in ("rules", "vectors", "mistakes")) == counts
    row = rf"^pass_at_k +pass-at-k +{' +'.join(map(str, counts))}$"
    assert re.search(row, cli("explain").stdout, re.MULTILINE)


@pytest.mark.parametrize("spec", spec_names())
def test_a_vector_is_explained_as_json(cli, spec) -> None:
    """Also one whose numbers no float holds."""
    ids = [vector.id for vector in load_spec(spec)][::10]
    done = cli("explain", "--spec", spec, "--json", *ids)
    assert done.stdout, done.stderr
    assert [row["id"] for row in json.loads(done.stdout)["vectors"]] == ids


@pytest.mark.usefixtures("played")
@pytest.mark.parametrize("before", ["", "aggregation/", "aggregation.json::harbor-0.13.1/aggregation/"])
def test_the_end_of_an_id_names_a_vector(cli, before) -> None:
    done = cli("run", "--runner", "reference", f"{before}sum-ten-tenths")
    assert (done.returncode, "1 of 1 passed" in done.stdout) == (0, True), done.stdout + done.stderr


@pytest.mark.parametrize("words", [("run", "--runner", "a"), ("explain",)])
def test_the_end_of_several_ids_is_a_sentence(cli, words) -> None:
    done = cli(*words, "key-proto")
    several = "harbor-0.13.1/aggregation/key-proto, harbor-0.13.1/pass_at_k/key-proto: give the section too"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"harbor-conformance: 'key-proto' ends the ids of 2 vectors, {several}\n"


def test_links_of_the_readme_hold_where_nothing_lies_next_to_it(monkeypatch) -> None:
    name = "hatchling.metadata.plugin.interface"
    monkeypatch.setitem(sys.modules, name, types.SimpleNamespace(MetadataHookInterface=object))
    hook = runpy.run_path(str(ROOT / "hatch_build.py"))["AbsoluteLinks"]()
    hook.root, metadata = str(ROOT), {"urls": {"Source": "https://host/kit"}}
    hook.update(metadata)
    links = re.findall(r"\]\(([^)]*)\)", metadata["readme"]["text"])
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    ours = [link.removeprefix("https://host/kit/blob/HEAD/") for link in links if "host/kit" in link]
    assert len(ours) > 10
    assert [path for path in ours if not (ROOT / path.partition("#")[0]).exists()] == []


NOT_NEEDED = ("conformance.diagnosis", "conformance.mistakes", "conformance.fuzz", "jinja2", "asyncio")


def loaded(program):
    program = f"import sys\n{program}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.slow
def test_check_does_not_import_the_other_commands() -> None:
    found = loaded("import conformance.extensions.audit.command")
    assert "conformance.extensions.audit.job" in found
    assert not found.intersection(NOT_NEEDED)


@pytest.mark.slow
@pytest.mark.parametrize("words", [("--help",), ("kit", "--help"), ("no-such",)])
def test_help_imports_no_command(words) -> None:
    """Nor what only commands need: it is shown in a fifth of a second."""
    argv = ["harbor-conformance", *words]
    found = loaded(f"from conformance.cli import main\nsys.argv = {argv}\ntry: main()\nexcept SystemExit: 0")
    commands = {name for name in found if name.startswith("conformance.cli.")}
    assert commands == {"conformance.cli.main", "conformance.cli.table"}
    assert not {"rich", "conformance.registry", "jsonschema", "pytest"} & found
