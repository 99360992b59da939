"""``harbor-conformance baseline`` as users run it, on small sets of vectors and on reports."""

import json
import re
import stat
from pathlib import Path

import pytest

from conformance.judging.known_failures import KnownFailures
from conformance.report.selection import listed_since
from tests.publishing.examples import Examples

pytestmark = pytest.mark.usefixtures("played")

DAY = ("--day", "2026-11-23")
WRONG = ("--runner", "mistake:evsys-micro-mean", "--spec", "evsys")
"""A runner that fails often, of a spec with few vectors."""


@pytest.fixture(scope="session")
def whole(shared):
    """The report of a whole run of a runner that is wrong."""
    return Examples(shared).path("wrong")


def parsed(path):
    return KnownFailures.read(path)


def test_patterns_gate_the_run_that_they_were_made_of(cli, tmp_path) -> None:
    listed, report = tmp_path / "known.txt", tmp_path / "report.json"
    done = cli("baseline", *WRONG, "-o", listed, "--patterns", "--again-seed", "3", *DAY)
    assert done.returncode == 0, done.stderr
    told = re.match(
        r"(\d+) failures in (\d+) lines, (\d+) patterns among them: the fewest, of [0-9,]+ patterns tried\n",
        done.stdout,
    )
    assert told is not None
    failures, lines, patterns = map(int, told.groups())
    known = parsed(listed)
    assert (len(known.entries), sum(entry.is_pattern for entry in known.entries)) == (lines, patterns)
    assert lines < failures
    assert {listed_since(entry.reason) for entry in known.entries} == {"2026-11-23"}
    assert "# again-seed: 3 (" in listed.read_text()
    done = cli("run", *WRONG, "--known-failures", listed, "--report", report)
    assert done.returncode == 0, done.stdout
    document = json.loads(report.read_text("utf-8"))
    assert document["asked_again"]["seed"] == 3
    assert document["totals"]["expected-failure"] == failures
    for one in document["known_failures"]["entries"]:
        assert one["expected"] >= (2 if "*" in one["pattern"] else 1)
    again = tmp_path / "again.txt"
    done = cli("baseline", "--from", report, "-o", again, "--patterns", *DAY)
    assert done.returncode == 0, done.stderr
    same = [entry.text for entry in parsed(again).entries]
    assert same == [entry.text for entry in known.entries]
    before = listed.read_bytes()
    done = cli("baseline", "--update", listed, *WRONG, "--check")
    assert (done.returncode, done.stdout) == (
        0,
        f"{listed} needs nothing: {lines} kept, 0 corrected, 0 removed, 0 added\n",
    )
    assert listed.read_bytes() == before


def test_an_update_of_a_list_written_by_hand(cli, vectors, hostile_text, tmp_path) -> None:
    path, listed = vectors.several(6), tmp_path / "known.txt"
    ids = [one["id"] for one in json.loads(Path(path).read_text())["vectors"]]
    real = tmp_path / "real.txt"
    text = (
        f"# Mine.\r\n\r\n{ids[1]}   mismatch # since 2020-01-01: theirs, really #1\r\n"
        f"{ids[2]} crash # passes\r\n# the end\r\n"
    )
    real.write_bytes(b"\xef\xbb\xbf" + text.encode())
    real.chmod(0o640)
    listed.symlink_to(real)
    runner = ("--vectors", path, "--runner", hostile_text(path, "wrong", "v1", "v4"))
    done = cli("baseline", "--update", listed, *runner, "--check", *DAY)
    assert done.returncode == 1
    assert f"-{ids[2]} crash" in done.stdout
    assert f"+{ids[4]} mismatch  # since 2026-11-23: " in done.stdout
    assert "would be up to date: 1 kept, 0 corrected, 1 removed, 1 added" in done.stdout
    assert real.read_bytes() == b"\xef\xbb\xbf" + text.encode()
    done = cli("baseline", "--update", listed, *runner, *DAY)
    assert done.returncode == 0
    left = real.read_bytes().decode("utf-8-sig")
    assert left.startswith(
        "# Mine.\r\n# offers: evals_key, 4 of 6 passed\r\n\r\n"
        f"{ids[1]}   mismatch # since 2020-01-01: theirs, really #1\r\n"
        "# the end\r\n\r\n# New on 2026-11-23\r\n"
    )
    assert (listed.is_symlink(), stat.S_IMODE(real.stat().st_mode)) == (True, 0o640)
    assert cli("run", *runner, "--known-failures", listed).returncode == 0
    done = cli("baseline", "--update", listed, *runner)
    assert "needs nothing: 2 kept, 0 corrected, 0 removed, 0 added" in done.stdout


def test_a_report_of_a_whole_run_is_taken(cli, whole, tmp_path) -> None:
    listed = tmp_path / "known.txt"
    document = json.loads(whole.read_text("utf-8"))
    failed = [one["id"] for one in document["results"] if one["outcome"] not in ("passed", "unsupported")]
    again = document["asked_again"]["results"]
    failed += [f"{one['id']}/asked-again" for one in again if one["outcome"] != "passed"]
    done = cli("baseline", "--from", whole, "-o", listed, *DAY)
    assert done.returncode == 0, done.stderr
    assert [entry.pattern for entry in parsed(listed).entries] == sorted(failed)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"exit_code": 130, "problems": ["interrupted after 3 vectors"]}, "interrupted after 3 vectors"),
        ({"exit_code": 2, "problems": ["the runner did not start"]}, ""),
        ({"kit_version": 3}, "is no run-report that this kit can read"),
        ({"schema": "urn:x"}, "is no report"),
        ({"results": "forged"}, ""),
        ({"results": "filtered"}, "run without a filter"),
    ],
)
def test_a_report_that_does_not_serve_is_a_sentence(cli, whole, tmp_path, change, sentence) -> None:
    """Of a run that was not whole, or of results that say otherwise."""
    other = tmp_path / "other.json"
    document = json.loads(whole.read_text("utf-8"))
    if change == {"results": "forged"}:
        next(one for one in document["results"] if one["outcome"] == "passed")["outcome"] = "mismatch"
    other.write_text(json.dumps(document if "results" in change else document | change), "utf-8")
    if change == {"results": "filtered"}:
        cli("run", *WRONG, "evsys/compute/*", "--report", other)
    done = cli("baseline", "--from", other, "-o", tmp_path / "known.txt")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert not (tmp_path / "known.txt").exists()
    assert sentence in done.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--runner", "reference"), "give one of -o FILE (a new list) and --update FILE"),
        (("--runner", "reference", "-o", "x", "--update", "y"), "give one of -o FILE"),
        (("--runner", "reference", "-o", "x", "--check"), "--check goes with --update"),
        (("--from", "r.json", "--runner", "reference", "-o", "x"), "--runner does not go with --from"),
        (("--from", "r.json", "--level", "value", "-o", "x"), "--level does not go with --from"),
        (("--from", "absent.json", "-o", "x"), "absent.json can't be read"),
        (("--runner", "reference", "--update", "absent.txt"), "absent.txt can't be read"),
        (("--runner", "reference", "-o", "x", "--day", "yesterday"), "'yesterday' is no day"),
        (("--runner", "reference", "-o", "x", "--max-failures", "3"), "a baseline needs every answer"),
        (("-o", "x"), "Missing option '--runner'"),
    ],
)
def test_what_cannot_be_done_is_a_sentence(cli, words, sentence) -> None:
    done = cli("baseline", *words)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_a_bad_list_is_told_of_before_anything_is_asked(cli, tmp_path) -> None:
    listed = tmp_path / "known.txt"
    listed.write_text("one two three\n")
    done = cli("baseline", "--update", listed, "--runner", "no-such-runner-at-all")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "line 1: write '<id or pattern> <outcome>  # reason'" in done.stderr


@pytest.mark.parametrize(("epoch", "day"), [("0", "1970-01-01"), ("1763900000", "2025-11-23")])
def test_the_day_is_that_of_the_build_where_it_says_one(
    cli, whole, tmp_path, monkeypatch, epoch, day
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    listed = tmp_path / "known.txt"
    assert cli("baseline", "--from", whole, "-o", listed).returncode == 0
    assert {listed_since(entry.reason) for entry in parsed(listed).entries} == {day}
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    done = cli("baseline", "--from", whole, "-o", listed)
    assert (done.returncode, "SOURCE_DATE_EPOCH is no number of seconds" in done.stderr) == (2, True)
