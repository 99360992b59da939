"""``harbor-conformance baseline`` as users run it, on small sets of vectors and on reports."""

import json
import re
import stat
from pathlib import Path

import pytest

from conformance.judging.known_failures import KnownFailures
from conformance.outcomes.selection import listed_since
from conformance.paths import vectors_dir
from conformance.suite.clauses import statements
from conformance.suite.vectors import load_spec
from tests.processes import lying

pytestmark = pytest.mark.usefixtures("played")

DAY = ("--day", "2026-11-23")
WRONG = ("--runner", "mistake:evsys-micro-mean", "--spec", "evsys")
"""A runner that fails often, of a spec with few vectors."""


def parsed(path):
    return KnownFailures.read(path)


def test_a_list_gates_the_run_that_it_was_made_of(cli, tmp_path) -> None:
    """Every failure has an entry under its rule, with the fingerprint of its answer."""
    listed, report = tmp_path / "known.txt", tmp_path / "report.json"
    done = cli("baseline", *WRONG, "-o", listed, "--again-seed", "3", *DAY)
    assert done.returncode == 0, done.stderr
    known, text = parsed(listed), listed.read_text("utf-8")
    assert done.stdout.startswith(f"{len(known.entries)} known failures written to {listed}; gate with ")
    assert {listed_since(entry.reason) for entry in known.entries} == {"2026-11-23"}
    assert (known.vectors.spec, "# again-seed: 3 (" in text) == ("evsys", True)
    said = statements("evsys")
    for block in text.split("\n\n")[1:]:
        heading, *lines = block.strip().split("\n")
        clause, _, statement = heading.removeprefix("# ").partition(": ")
        assert said[clause] == statement
        assert lines == sorted(lines)
        for line in lines:
            assert line.startswith("evsys/")
            assert bool(re.search(r" mismatch #[0-9a-f]{8}  # since", line)) is ("/asked-again " not in line)
    done = cli("run", *WRONG, "--known-failures", listed, "--report", report)
    assert done.returncode == 0, done.stdout
    document = json.loads(report.read_text("utf-8"))
    assert document["asked_again"]["seed"] == 3
    expected = [*document["results"], *document["asked_again"]["results"]]
    assert {one["outcome"] for one in expected} == {"expected-failure"}
    done = cli("baseline", "--update", listed, *WRONG, "--check")
    kept = f"{len(known.entries)} kept, 0 corrected, 0 removed, 0 added"
    assert (done.returncode, done.stdout) == (0, f"{listed} needs nothing: {kept}\n")
    assert listed.read_text() == text


def test_another_wrong_answer_is_new(cli, tmp_path) -> None:
    """The gate names both answers; the update takes the new one, and says what it was."""
    listed = tmp_path / "known.txt"
    cli("baseline", *WRONG, "-o", listed, *DAY)
    (first, *_) = parsed(listed).entries
    listed.write_text(listed.read_text().replace(first.fingerprint, "00000000"))
    done = cli("run", *WRONG, "--known-failures", listed)
    assert done.returncode == 1
    said = f"its wrong answer is not the one on line {first.line} of the known failures (#{first.fingerprint}"
    assert said in " ".join(done.stdout.split())
    done = cli("baseline", "--update", listed, *WRONG, *DAY)
    assert f"corrected: line {first.line}: {first.text}: wrong in another way now" in done.stdout
    assert "#00000000" not in listed.read_text()
    assert cli("run", *WRONG, "--known-failures", listed).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("behaviour", ["once", "counting"])
def test_what_is_flaky_is_not_listed(cli, tmp_path, behaviour) -> None:
    """No list can expect an answer that comes and goes, so the gate fails until it is fixed."""
    listed, report = tmp_path / "known.txt", tmp_path / "report.json"
    runner = ("--runner", lying(behaviour, "evsys.compute"), "--spec", "evsys")
    done = cli("baseline", "-o", listed, *runner)
    assert done.returncode == 0, done.stderr
    (count,) = re.findall(r"^(\d+) vectors are flaky: their answers differ when repeated", done.stderr, re.M)
    assert {entry.outcome for entry in parsed(listed).entries} <= {"mismatch"}
    assert not [one for one in parsed(listed).entries if not one.pattern.endswith("/asked-again")]
    done = cli("run", *runner, "--known-failures", listed, "--report", report, "--failures", 1)
    assert done.returncode == 1
    flaky = [one for one in json.loads(report.read_text("utf-8"))["results"] if one["outcome"] == "flaky"]
    assert len(flaky) == min(int(count), 50)
    answers = {"once": "passed 3 times", "counting": "another mismatch 3 times"}[behaviour]
    told = {(one["detail"].partition(": ")[0], one["real_outcome"]) for one in flaky}
    assert told == {(f"mismatch at first, and asked again {answers}", "mismatch")}


def test_vectors_that_came_later_do_not_count_until_the_update(cli, tmp_path) -> None:
    listed, report = tmp_path / "known.txt", tmp_path / "report.json"
    given = (*WRONG, "--known-failures", listed, "--report", report)
    cli("baseline", *WRONG, "--vectors-version", "0.3.0", "-o", listed, *DAY)
    assert parsed(listed).vectors.text == "# vectors: 0.3.0 of evsys"
    before = len(parsed(listed).entries)
    done = cli("run", *given)
    assert done.returncode == 0, done.stdout
    document = json.loads(report.read_text("utf-8"))
    results, again = document["results"], document["asked_again"]
    rephrased = {
        *(one["id"] for one in again["results"]),
        *(key for keys in again["passed"].values() for key in keys),
    }
    since = {vector.id: vector.since for vector in load_spec("evsys")}
    assert {since[key] for key in rephrased} == {"0.3.0"}
    new = [one for one in results if one["outcome"] == "not-counted"]
    assert {(one["since"], one["real_outcome"]) for one in new} == {("1.0.0", "mismatch")}
    done = cli("baseline", *WRONG, "--update", listed)
    assert "offers: vectors 1.0.0 (was 0.3.0)" in done.stdout
    assert len(parsed(listed).entries) >= before + len(new) > before
    assert cli("run", *given).returncode == 0
    assert "not-counted" not in report.read_text()
    written = listed.read_text()
    offers = "# offers: evsys.compute, "
    listed.write_text(written.replace(offers, f"{offers}1 of 999 passed\n## "))
    assert cli("run", *given).returncode == 2  # no set has so many, and the update corrects it
    cli("baseline", *WRONG, "--update", listed)
    assert parsed(listed).offers == KnownFailures.parse(written, "").offers
    cli("baseline", *WRONG, "--vectors", vectors_dir("evsys") / "compute.json", "-o", tmp_path / "part.txt")
    assert parsed(tmp_path / "part.txt").vectors is None


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
    assert re.search(rf"\n\+{ids[4]} mismatch #[0-9a-f]{{8}}  # since 2026-11-23: ", done.stdout)
    assert "would be up to date: 1 kept, 0 corrected, 1 removed, 1 added" in done.stdout
    assert real.read_bytes() == b"\xef\xbb\xbf" + text.encode()
    done = cli("baseline", "--update", listed, *runner, *DAY)
    assert done.returncode == 0
    left = real.read_bytes().decode("utf-8-sig")
    assert left.startswith(
        "# Mine.\r\n# offers: evals_key, 4 of 6 passed\r\n\r\n"
        f"{ids[1]}   mismatch # since 2020-01-01: theirs, really #1\r\n"
        f"# the end\r\n\r\n{ids[4]} mismatch #"
    )
    assert (listed.is_symlink(), stat.S_IMODE(real.stat().st_mode)) == (True, 0o640)
    assert cli("run", *runner, "--known-failures", listed).returncode == 0
    done = cli("baseline", "--update", listed, *runner)
    assert "needs nothing: 2 kept, 0 corrected, 0 removed, 0 added" in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--runner", "reference"), "give one of -o FILE (a new list) and --update FILE"),
        (("--runner", "reference", "-o", "x", "--update", "y"), "give one of -o FILE"),
        (("--runner", "reference", "-o", "x", "--check"), "--check requires --update"),
        (("--runner", "reference", "--update", "absent.txt"), "absent.txt does not exist"),
        (("--runner", "reference", "-o", "x", "--day", "yesterday"), "'yesterday' does not match the format"),
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
    (tmp_path / "known.txt").write_text("one two three\n")
    done = cli("baseline", "--update", "known.txt", "--runner", "no-such-runner-at-all")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "line 1: write '<id or pattern> <outcome>  # reason'" in done.stderr


@pytest.mark.parametrize(("epoch", "day"), [("0", "1970-01-01"), ("1763900000", "2025-11-23")])
def test_the_day_is_that_of_the_build_where_it_says_one(cli, tmp_path, monkeypatch, epoch, day) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    listed = tmp_path / "known.txt"
    assert cli("baseline", *WRONG, "-o", listed).returncode == 0
    assert {listed_since(entry.reason) for entry in parsed(listed).entries} == {day}
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    done = cli("baseline", *WRONG, "-o", listed)
    assert (done.returncode, "SOURCE_DATE_EPOCH is not a number of seconds" in done.stderr) == (2, True)
