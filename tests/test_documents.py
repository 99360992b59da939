"""What README and PROTOCOL promise is executed here; the two set-up commands are executed by .ci/run."""

import fnmatch
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.oracle import environments
from conformance.oracle.python import locate
from conformance.paths import spec_names
from conformance.registry.ops import SPEC_TABLE, SPECS
from conformance.suite.clauses import load_clauses
from conformance.suite.vectors import load_spec

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SET_UP = 2  # the first blocks; .ci/run takes them from the README too
WRONG_ON_PURPOSE = ("python first.py", "--runner mistake:")


def blocks(text: str, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


COMMANDS = [line for block in blocks(README, "sh")[SET_UP:] for line in block.splitlines() if line]


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a newcomer has it: the README's runner, and a runner in Node.js."""
    folder = tmp_path_factory.mktemp("newcomer")
    for name in ("first.py", "metric.py"):
        (text,) = blocks(README, f"python {name}")
        (folder / name).write_text(text, encoding="utf-8")
    shutil.copy(ROOT / "tests" / "runners" / "stock_node.mjs", folder / "my-runner.mjs")
    write_a_job(folder / "jobs" / "my-job")
    return folder


def write_a_job(folder: Path) -> None:
    """A job directory that the real harbor left: one of those that the tests of check keep."""
    script = ROOT / "tests" / "check" / "make_jobs.py"
    spec = importlib.util.spec_from_file_location("make_jobs_for_documents", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    jobs = module.unpacked(json.loads(module.JOBS.read_text(encoding="utf-8")))
    for path, content in next(iter(jobs.values())).items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode())


def run(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def expected_exit(command: str) -> int:
    gated = "--known-failures" in command or "baseline" in command
    return 1 if any(wrong in command for wrong in WRONG_ON_PURPOSE) and not gated else 0


def test_the_readme_has_commands() -> None:
    assert len(COMMANDS) >= 7


def test_commands_of_the_readme(newcomer: Path) -> None:
    """In order: what one command writes, a later one reads."""
    if shutil.which("node") is None:
        pytest.fail("this test needs node: install Node.js 18 or later")
    for command in COMMANDS:
        if "FORK_PYTHON" not in command and "--dataset" not in command:
            done = run(command, newcomer)
            assert done.returncode == expected_exit(command), command + done.stdout + done.stderr


@pytest.mark.oracle
def test_judging_the_jobs_of_a_dataset(tmp_path: Path) -> None:
    write, judge = (line for line in COMMANDS if "dataset" in line)
    assert run(write, tmp_path).returncode == 0
    harbor = ROOT / "tests" / "dataset" / "local_environment.py"
    run_job = f'"$ORACLE" {harbor} made {tmp_path}/tasks/tenths:1'
    run_job += " && mkdir jobs && mv made/tenths jobs/conformance-tenths"
    done = run(run_job, tmp_path, ORACLE=str(environments.ensure(print).python))
    assert done.returncode == 0, done.stderr
    done = run(judge, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "not judged: " in done.stdout


@pytest.mark.oracle
def test_gating_a_fork(newcomer: Path) -> None:
    (command,) = [line for line in COMMANDS if "FORK_PYTHON" in line]
    done = run(command, newcomer, FORK_PYTHON=str(environments.ensure(print).python))
    report = json.loads((newcomer / "report.json").read_text(encoding="utf-8"))
    assert report["runner"]["name"] == "harbor"
    assert done.returncode == 0, done.stdout + done.stderr
    assert report["classes"]["reward"]["claimed"] == "bytes"


def test_files_named_in_the_readme_exist() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_transcript_of_the_protocol(tmp_path: Path) -> None:
    (transcript,) = blocks((ROOT / "PROTOCOL.md").read_text(encoding="utf-8"), "transcript")
    lines = transcript.splitlines()
    asked = [line[2:] for line in lines if line.startswith("> ")]
    answered = [json.loads(line[2:]) for line in lines if line.startswith("< ")]
    done = subprocess.run(
        [sys.executable, "-m", "reference_impl"],
        input="".join(line + "\n" for line in asked),
        capture_output=True,
        text=True,
        timeout=30,
        cwd=tmp_path,
    )
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert [reply["id"] for reply in replies] == [reply["id"] for reply in answered]
    for reply, printed in zip(replies[1:], answered[1:], strict=True):
        assert reply.get("ok") == printed.get("ok")
        if "error" in printed:
            assert reply["error"]["type"] == printed["error"]["type"]
            assert reply["error"]["reason_code"] == printed["error"]["reason_code"]
        assert ("unsupported" in reply) == ("unsupported" in printed)


ERRATUM_TEXTS = {
    text.partition(":")[0]: text
    for text in re.split(r"^## (?=E\d)", (ROOT / "ERRATA.md").read_text(encoding="utf-8"), flags=re.M)[1:]
}
ERRATA = list(ERRATUM_TEXTS)
ON_OTHER_VECTORS = {"E7", "E8"}
"""Errata that a clause may name though no vector of its document shows them."""


def patterns(erratum: str) -> list[str]:
    """The ids of vectors, or patterns of them, that an erratum names."""
    return re.findall(rf"`((?:{'|'.join(map(re.escape, SPECS))})/[^`]+)`", ERRATUM_TEXTS[erratum])


def python_of(erratum: str) -> Path:
    """The interpreter of the oracle of the spec that an erratum is about."""
    recipe = SPEC_TABLE[patterns(erratum)[0].partition("/")[0]].oracle.recipe
    return environments.ensure(print, recipe=recipe).python if recipe else locate().path


def test_errata_are_numbered_once_and_named_by_clauses() -> None:
    headings = re.findall(r"^## (E\d+)", (ROOT / "ERRATA.md").read_text(encoding="utf-8"), flags=re.M)
    assert headings == ERRATA
    assert len(ERRATA) >= 14
    named = {clause.erratum for spec in spec_names() for clause in load_clauses(spec) if clause.erratum}
    assert named <= set(ERRATA) | ON_OTHER_VECTORS


@pytest.mark.parametrize("erratum", ERRATA)
def test_the_vectors_of_an_erratum_exist(erratum: str) -> None:
    every = [vector.id for spec in spec_names() for vector in load_spec(spec)]
    assert patterns(erratum)
    assert [pattern for pattern in patterns(erratum) if not fnmatch.filter(every, pattern)] == []


@pytest.mark.oracle
@pytest.mark.parametrize("erratum", ERRATA)
def test_the_proof_of_an_erratum(erratum: str) -> None:
    (proof,), (printed,) = (blocks(ERRATUM_TEXTS[erratum], kind) for kind in ("proof", "prints"))
    done = subprocess.run(
        ["bash", "-c", proof],
        env={
            **os.environ,
            "PATH": f"{python_of(erratum).parent}:{os.environ['PATH']}",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout == printed, done.stderr
