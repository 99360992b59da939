"""The command line: exit codes, text for people, and one sentence for every mistake a user can make."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.paths import vectors_dir

pytestmark = pytest.mark.usefixtures("played")

Done = subprocess.CompletedProcess
Cli = Callable[..., "Done[str]"]


def v(index: int) -> str:
    return f"harbor-0.13.1/evals_key/v{index}"


def steady(text: str, **names: Path | str) -> str:
    """The text without what changes from run to run."""
    for name, value in sorted(names.items(), key=lambda item: -len(str(item[1]))):
        text = text.replace(str(value), name)
    text = re.sub(r"\d+\.\d\d(?= s| ms)|(?<=vectors: )\d+", "N", text)
    return re.sub(r"\d+\.\d+\.\d+", "N.N.N", text.replace("harbor-0.13.1", "SPEC"))


def run(cli: Cli, path: Path, command: str, *args: Any) -> "Done[str]":
    return cli("run", "--vectors", path, "--runner", command, *args)


@pytest.mark.slow
def test_the_installed_command_is_this_one(tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("harbor-conformance")
    done = subprocess.run(
        [script, "run", "--runner", "reference", "no-such-id"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "no vector has the id 'no-such-id': there are harbor-0.13.1/aggregation/*, " in done.stderr


# run


def test_a_runner_that_is_right(cli: Cli, vectors: Any, hostile_text: Any, snapshot: Any) -> None:
    path = vectors.several(3)
    done = run(cli, path, hostile_text(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert steady(done.stdout, COMMAND=hostile_text(path)) == snapshot


def test_a_runner_that_is_wrong(cli: Cli, vectors: Any, hostile_text: Any, snapshot: Any) -> None:
    path = vectors.several(3)
    command = hostile_text(path, "wrong", "v1")
    done = run(cli, path, command)
    assert (done.returncode, done.stderr) == (1, "")
    assert steady(done.stdout, COMMAND=command, FILE=path) == snapshot


def test_patterns_choose(cli: Cli, vectors: Any, hostile_text: Any) -> None:
    path = vectors.several(3)
    done = run(cli, path, hostile_text(path), v(1), "*/v2")
    assert done.returncode == 0
    assert "2 of 2 passed" in done.stdout
    assert "no claim for job: not every vector was selected" in done.stdout


def test_a_run_of_some_files_claims_nothing(cli: Cli, vectors: Any, hostile_text: Any) -> None:
    """Neither a user's own file nor one of the kit's is the whole set."""
    path = vectors.several(3)
    done = run(cli, path, hostile_text(path))
    assert done.returncode == 0
    assert "no claim for job: not every vector was selected" in done.stdout
    done = run(cli, vectors_dir("harbor-0.13.1") / "reward.json", "reference")
    assert done.returncode == 0
    assert "no claim for reward: not every vector was selected" in done.stdout


def test_the_reference_claims_every_class(cli: Cli, tmp_path: Path, faults: Any) -> None:
    """The one run here of the whole set."""
    report = tmp_path / "report.json"
    done = cli("run", "--runner", "reference", "--report", report)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-2000:]
    document = json.loads(report.read_text(encoding="utf-8"))
    assert faults("run-report", document) == []
    assert document["complete"]
    assert {account["claimed"] for account in document["classes"].values()} == {"bytes"}


def test_only_so_many_failures_are_shown(cli: Cli, vectors: Any, hostile_text: Any) -> None:
    path = vectors.several(5)
    done = run(cli, path, hostile_text(path, "wrong"), "--failures", 2)
    assert done.stdout.count("mismatch: ") == 2
    assert "and 3 more failures (--failures 5 shows them)" in done.stdout
    assert done.returncode == 1


def test_a_failing_start(cli: Cli, vectors: Any, hostile_text: Any, snapshot: Any, faults: Any) -> None:
    path = vectors.several(2)
    report = path.with_name("report.json")
    command = hostile_text(path, "hello-exit")
    done = run(cli, path, command, "--report", report)
    assert done.returncode == 2
    assert steady(done.stdout + done.stderr, COMMAND=command) == snapshot
    document = json.loads(report.read_text(encoding="utf-8"))
    assert faults("run-report", document) == []
    assert (document["exit_code"], document["results"]) == (2, [])


# baseline


def test_a_baseline_makes_the_same_run_pass(
    cli: Cli, vectors: Any, hostile_text: Any, tmp_path: Path, snapshot: Any
) -> None:
    path = vectors.several(6)
    command = hostile_text(path, "exit", "v1", "v4")
    known = tmp_path / "known.txt"
    done = cli("baseline", "--vectors", path, "--runner", command, "-o", known, "--day", "2026-11-23")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"2 known failures written to {known}; gate with --known-failures {known}\n"
    assert known.read_text(encoding="utf-8") == snapshot
    done = run(cli, path, command, "--known-failures", known)
    assert done.returncode == 0
    assert "4 of 6 passed" in done.stdout
    done = run(cli, path, hostile_text(path), "--known-failures", known)
    assert done.returncode == 1
    assert done.stdout.count("unexpected-pass: ") == 2


def test_a_baseline_hides_no_runner_that_does_not_work(
    cli: Cli, vectors: Any, hostile_text: Any, tmp_path: Path
) -> None:
    path = vectors.several(3)
    known = tmp_path / "known.txt"
    done = cli("baseline", "--vectors", path, "--runner", hostile_text(path, "wrong"), "-o", known)
    assert done.returncode == 2
    assert "no vector passed, so a baseline would hide a runner that does not work" in done.stderr
    assert not known.exists()


# Mistakes


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("run",), "Error: Missing option '--runner' (or '--harbor')."),
        (("run", "--runner", "a", "--vectors", "absent.json"), "File 'absent.json' does not exist."),
        (("run", "--runner", "a", "--level", "strict"), "'strict' is not one of 'value', 'exact', 'bytes'."),
        (("run", "--runner", "a", "--runner-timeout", "0"), "0.0 is not in the range x>0."),
        (("run", "--runner", "a", "--pipeline", "0"), "0 is not in the range x>=1."),
        (("run", "--runner", "a", "--spec", "b"), "harbor-conformance: there is no spec 'b'; choose one of "),
        (
            ("run", "--runner", "a", "--spec", "../x"),
            "harbor-conformance: there is no spec '../x'; choose one of ",
        ),
        (
            ("run", "--runner", ""),
            "harbor-conformance: --runner is empty: give the command that starts your runner",
        ),
        (
            ("run", "--runner", "a 'b"),
            "harbor-conformance: --runner \"a 'b\" can't be split into words: No closing quotation",
        ),
        (
            ("run", "--runner", "a", "--classes", "x"),
            "harbor-conformance: --classes: there is no class 'x'; ",
        ),
        (("run", "--runner", "a", "no-such-id"), "no vector has the id 'no-such-id': there are "),
        (
            ("run", "--runner", "a", "--known-failures", "absent.txt"),
            "harbor-conformance: absent.txt can't be read: No such file or directory",
        ),
        (
            ("baseline", "--runner", "no-such-runner", "-o", "x"),
            "the command 'no-such-runner' does not exist",
        ),
        (("clauses", "--spec", "b"), "harbor-conformance: there is no spec 'b'; choose one of "),
        (("regen", "--accept", "x"), "--accept and --retire need a --reason, and do not go with --check"),
        (("regen", "--retire", "x", "--reason", "y", "--check"), "and do not go with --check"),
        (("no-such-command",), "No such command 'no-such-command'."),
    ],
)
def test_a_mistake_is_a_sentence(cli: Cli, args: tuple[str, ...], sentence: str) -> None:
    done = cli(*args)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("content", ["[]", "{", '{"vectors": [{}]}'])
def test_a_file_that_holds_no_vectors_is_a_sentence(cli: Cli, tmp_path: Path, content: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(content, encoding="utf-8")
    done = cli("run", "--runner", "a", "--vectors", path)
    assert done.returncode == 2
    assert done.stderr.startswith(f"harbor-conformance: {path}")
    assert done.stderr.count("\n") == 1


def test_a_vector_without_an_answer_is_a_sentence(cli: Cli, vectors: Any) -> None:
    entry = vectors.entry("v0")
    del entry["expected"]
    done = cli("run", "--runner", "a", "--vectors", vectors.write([entry]))
    assert done.returncode == 2
    assert f"{v(0)} has no expected answer yet: run harbor-conformance regen" in done.stderr


def test_a_baseline_that_cannot_be_written_is_a_sentence(cli: Cli, vectors: Any, hostile_text: Any) -> None:
    path = vectors.several(1)
    done = cli("baseline", "--vectors", path, "--runner", hostile_text(path), "-o", "absent/known.txt")
    assert done.returncode == 2
    assert done.stderr == "Error: absent/known.txt can't be written: No such file or directory\n"


# The other commands


def test_help_names_every_command(cli: Cli) -> None:
    done = cli("--help")
    assert done.returncode == 0
    for command in ("run", "regen", "clauses", "oracle", "doctor", "baseline"):
        assert re.search(rf"^  {command} ", done.stdout, re.MULTILINE)
        assert cli(command, "-h").returncode == 0


@pytest.mark.slow
def test_clauses_lists_every_statement_with_its_vectors(cli: Cli) -> None:
    done = cli("clauses", "--json")
    assert done.returncode == 0
    document = json.loads(done.stdout)
    rows = {row["id"]: row for row in document["clauses"]}
    assert all(row["vectors"] or row["untested"] for row in rows.values())
    text = cli("clauses")
    assert text.returncode == 0
    assert f"{len(rows)} clauses: " in text.stdout
    assert ", 0 bare" in text.stdout
    with_ids = cli("clauses", "--ids").stdout
    some = next(row for row in rows.values() if row["vectors"])
    assert some["vectors"][0] in re.sub(r"\s+", "", with_ids)


@pytest.mark.slow
def test_doctor_says_what_is_there(cli: Cli, vectors: Any, hostile_text: Any, tmp_path: Path) -> None:
    path = vectors.several(1)
    done = cli("doctor", "--runner", hostile_text(path), HARBOR_CONFORMANCE_CACHE=str(tmp_path / "cache"))
    states = {line[:16].strip(): line[16:].split()[0] for line in done.stdout.splitlines()}
    assert states["vectors"] == "ok", done.stdout
    assert states["oracle"] == "missing"  # which is no fault
    assert (states["runner command"], states["runner hello"]) == ("ok", "ok")
    assert (
        "hostile 1: aggregate, evals_key, evsys.compute, parse_reward, terminal_bench_reward" in done.stdout
    )
    assert done.returncode == 0


@pytest.mark.slow
def test_doctor_says_what_is_broken(cli: Cli, vectors: Any, hostile_text: Any, tmp_path: Path) -> None:
    path = vectors.several(1)
    cache = str(tmp_path / "cache")  # nothing is built there that doctor would compare, file by file
    done = cli("doctor", "--runner", hostile_text(path, "hello-exit"), HARBOR_CONFORMANCE_CACHE=cache)
    assert done.returncode == 1
    assert re.search(
        r"runner hello +broken +the runner exited with code 7 before it answered hello", done.stdout
    )
    done = cli("doctor", "--runner", "no-such-runner", HARBOR_CONFORMANCE_CACHE=cache)
    assert done.returncode == 1
    assert "no-such-runner is not on the PATH" in done.stdout
    done = cli("doctor", "--runner", "", HARBOR_CONFORMANCE_CACHE=cache)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
