"""The action's steps, run as they would run on GitHub: what each situation comes to, what can't get out."""

import contextlib
import json
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
SPEC = "evsys"
MISTAKE = "mistake:evsys-micro-mean"
HOSTILE = Path(__file__).with_name("hostile_runner.py")
RUNNING = "Run the gate"
KEEPING = "Keep the reports"
REPORTS = {"report.json", "report.md", "report.html", "junit.xml", "ctrf.json", "badge.json", "badge.svg"}


def everything_is_there(done, machine) -> None:
    """The reports, uploaded; the summary; outputs that point at them."""
    uploaded = machine.artifacts / "conformance-report"
    assert {path.name for path in uploaded.iterdir()} >= REPORTS
    assert done.step(KEEPING).exit_code == 0
    assert done.summary.strip()
    report = json.loads(Path(done.outputs["report"]).read_text())
    assert report["summary"]["exit_code"] == done.exit_code == int(done.outputs["exit-code"])
    assert Path(done.outputs["page"]).is_file()
    assert re.fullmatch(r"run-[0-9a-f]{16}\.html", done.outputs["page-name"])


@pytest.mark.parametrize(
    ("runner", "says"),
    [("reference", "conforms"), (MISTAKE, "does not conform"), ("sh -c 'exit 3'", "3"), ("'", "quot")],
)
def test_a_runner_whatever_it_is(act, machine, runner, says) -> None:
    """What the outputs hold in each situation, test_gate.py has."""
    done = act(runner=runner, spec=SPEC)
    everything_is_there(done, machine)
    verdict = {0: "passed", 1: "failed", 2: "not-tried"}
    assert (done.exit_code, done.outputs["verdict"]) in verdict.items()
    assert done.exit_code == {"reference": 0, MISTAKE: 1}.get(runner, 2)
    assert int(done.outputs["passed"]) > 200 or done.exit_code == 2
    assert int(done.outputs["vectors"]) >= int(done.outputs["passed"])
    assert says in done.summary
    assert {name for name, _ in done.step(RUNNING).commands} <= {"error", "warning", "notice"}
    assert bool(done.step(RUNNING).commands) is (done.exit_code != 0)


@pytest.mark.parametrize("way", ["", " looking"])
def test_a_runner_can_give_no_orders(act, machine, way) -> None:
    """Its text stands in the log, the summary, the outputs and annotations, and is nowhere obeyed."""
    path = Path(machine.workspace) / "first_lines.py"
    path.write_text(HOSTILE.read_text())
    done = act(runner=f"{shlex.quote(sys.executable)} first_lines.py{way}", spec=SPEC)
    assert done.exit_code in (1, 2), done.step(RUNNING).log
    assert done.outputs["verdict"] in ("failed", "not-tried")
    assert machine.variables == {}
    assert machine.path == []
    commands = done.step(RUNNING).commands
    assert {name for name, _ in commands} <= {"error", "warning", "notice"}
    assert len(commands) <= 10
    for _, text in commands:
        assert not text.startswith("hijacked")
    assert "hijacked" in done.summary
    tokens = [one for each in MarkdownIt().parse(done.summary) for one in (each, *(each.children or ()))]
    assert not [one for one in tokens if one.type.startswith("html") and "hijacked" in one.content]
    assert not [one for one in tokens if one.type in ("image", "link_open")]
    assert "hijacked" not in [one.content for one in tokens]
    assert "<script>hijacked" not in Path(done.outputs["page"]).read_text()
    assert bool(way) == ("that was removed" in done.step(RUNNING).log)


STEAL = "touch stolen"
STEALING = [
    {"runner": f"reference; {STEAL}", "known_failures": f"$({STEAL})"},
    {"runner": f"`{STEAL}`", "shard": f"1/2; {STEAL}"},
    *({"runner": "reference", name: f"1; {STEAL}"} for name in ("kit_version", "oneshot")),
    {"runner": "reference", "report_name": f'x"; {STEAL}; "'},
    *({"runner": f"$({STEAL})"}, {"harbor": f"$({STEAL})"}, {"python": f"sh -c '{STEAL}'"}),
]


@pytest.mark.parametrize("inputs", STEALING)
def test_no_input_is_ever_a_script(act, inputs, repository, machine) -> None:
    """Whoever can choose an input, such as a branch's name in a workflow, can run nothing by it."""
    machine.artifacts = machine.temp  # any name will do
    with contextlib.suppress(AssertionError):  # a name that an artifact can't have
        assert act(**({"spec": SPEC} | inputs)).exit_code == 2
    assert not list(repository.rglob("stolen"))


def test_scripts_hold_no_expressions_and_every_input_and_output_is_told_of_and_used() -> None:
    """What GitHub puts into a script before the shell reads it is nobody's text."""
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        script = step.get("run", "set -euo pipefail\n")
        assert script.startswith("set -euo pipefail\n")
        assert ("run" in step) is (step.get("shell") == "bash")
        action, _, version = step.get("uses", "").partition("@")
        assert not action or re.fullmatch(r"[0-9a-f]{40}", version)
    # Each is described, and used.
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    guide = (ROOT / "docs" / "gating-a-fork.md").read_text(encoding="utf-8")
    for name, one in ACTION["inputs"].items():
        assert one["description"].endswith(".")
        assert f"inputs.{name} }}}}" in text
    for name, one in ACTION["outputs"].items():
        assert one["description"].endswith(".")
        assert f"`{name}`" in guide
        step = "prepare" if name in ("reports", "artifact") else "gate"
        assert one["value"] == f"${{{{ steps.{step}.outputs.{name} }}}}"
    for step in ACTION["runs"]["steps"]:
        given = [name for name in step.get("env", {}) if name.startswith("GATE_") and "run" in step]
        assert [name for name in given if not re.search(rf"\${{?{name}\b", step["run"])] == []
    assert any("always()" in str(step.get("if")) for step in ACTION["runs"]["steps"])


def test_what_an_input_can_not_be(act, repository) -> None:
    """A Python that is too old or missing; another word than true and false."""
    old = repository / "old"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    done = act(runner="reference", python=str(old))
    assert {step.exit_code for step in done.steps[1:]} == {None}
    assert done.exit_code == done.steps[0].exit_code == 2
    assert done.steps[0].commands == [("error", "the input python is not Python 3.10 or later with venv")]
    done = act(runner="reference", spec=SPEC, oneshot="True", report_name="")
    assert done.exit_code == 2
    assert done.step(RUNNING).commands == [("error", "the input oneshot is neither true nor false")]


def test_no_module_of_the_repository_stands_in_for_pythons(act, repository) -> None:
    """The kit is installed from the root of a checkout, in which anything may lie."""
    for name in ("venv", "ensurepip", "pip"):
        (repository / f"{name}.py").write_text(f"raise SystemExit('{name} of the repository')\n")
    done = act(runner="reference", spec=SPEC, report_name="")
    assert done.exit_code == 0, "".join(step.log for step in done.steps)


def test_what_is_installed(act, installing, machine) -> None:
    """The action's own checkout with the packages that it pins, from the cache where they are the same."""
    for expected in (("constraints.txt", str(ROOT)), (str(ROOT),)):
        done = act(runner="reference", spec=SPEC, report_name="")
        assert done.exit_code == 0, done.step(RUNNING).log
        lines = installing.read_text().splitlines()
        installing.unlink()
        assert tuple(line.split()[-1].removeprefix(f"{ROOT}/") for line in lines) == expected
        assert "--require-hashes" in lines[0] or len(lines) == 1
        assert lines[-1].endswith(f" --no-deps --no-build-isolation {ROOT}")
        shutil.rmtree(next(machine.temp.glob("harbor-conformance-*")))  # another machine
    act(runner="reference", spec=SPEC, report_name="", kit_version="1.0.0")
    assert installing.read_text().split()[-1] == "harbor-conformance[oracle]==1.0.0"


def test_what_is_cached(act, machine, repository) -> None:
    """The kit, by its pins and Python; a fork's environments, by what it depends on too."""

    def keys(**inputs):
        done = act(spec=SPEC, report_name="", **inputs)
        return [step.given["key"] for step in done.steps if step.uses.startswith("actions/cache@")]

    (kit,) = keys(runner="reference")
    assert kit.startswith("harbor-conformance-kit-")
    assert keys(runner="reference", kit_version="1.0.0") != [kit]
    same, environments = keys(runner="harbor:.")
    assert same == kit
    (repository / "uv.lock").write_text("another package")
    assert keys(runner="harbor:.") != [kit, environments]
    assert keys(runner="harbor:.")[0] == keys(harbor="0.22.0")[0] == kit


@pytest.mark.parametrize(
    ("job", "jobs", "shard", "name"),
    [
        (0, 1, "", "conformance-report"),
        (1, 3, "", "conformance-report-2"),
        (1, 3, "2/3", "conformance-report-2-of-3"),
        (3, 6, "1/3", "conformance-report-1-of-3-4"),
    ],
)
def test_jobs_have_artifacts_of_their_own(machine, quick_python, job, jobs, shard, name) -> None:
    """Those of a matrix too; its merging job, which is none, has the plain name."""
    inputs = {"python": quick_python, "classes": "all", "runner": "reference", "spec": SPEC, "shard": shard}
    done = machine.action(ROOT, inputs, {"strategy": {"job-index": job, "job-total": jobs}})
    assert done.exit_code == 0, done.step(RUNNING).log
    assert [path.name for path in machine.artifacts.iterdir()] == [done.outputs["artifact"]] == [name]
    assert (int(done.outputs["passed"]) < 320) is bool(shard)


def test_all_inputs_arrive(act, repository, machine) -> None:
    """Each of the gate's options that the action has an input for."""
    earlier = act(runner=MISTAKE, spec=SPEC, report_name="")
    version = json.loads(Path(earlier.outputs["report"]).read_text())["vectors"]["version"]
    chosen = {"spec": SPEC, "level": "value", "classes": "evsys", "fuzz_seconds": "1", "fuzz_seed": "7"}
    chosen |= {"runner_timeout": "30", "max_time": "100", "vectors_version": version, "report_name": "mine"}
    done = act(runner="reference", compare_with=earlier.outputs["report"], **chosen)
    assert done.exit_code == 0, done.step(RUNNING).log
    report = json.loads(Path(done.outputs["report"]).read_text())
    assert report["level"] == "value"
    assert report["selection"]["classes"] == ["evsys"]
    assert report["selection"]["vectors_version"]
    fuzzed = json.loads((machine.artifacts / "mine" / "fuzz.json").read_text())
    assert fuzzed["seed"] == 7
    assert done.outputs["fuzz-findings"] == "0"
    kept = {path.name for path in (machine.artifacts / "mine").iterdir()}
    assert {"difference.md", "difference.html", "fuzz.html"} <= kept
