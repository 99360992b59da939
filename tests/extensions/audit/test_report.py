"""The report over many jobs: one line for a kind, what is absent once, the same whatever came first."""

import pytest

from tests.extensions.audit.auditing import JOB, audited, edit, found, lines, report, squeezed
from tools.jobs.kept import JOBS, write

WRONG_MEAN = ('"mean": 0.5', '"mean": 0.6')


@pytest.fixture
def board(tmp_path):
    """Two submissions without reward files: jobs that are right, wrong in one number, and in several."""
    for number in range(4):
        (bare(tmp_path, f"s{number % 2}/right-{number}") / "config.json").unlink()
    for number in range(7):
        edit(bare(tmp_path, f"s{number % 2}/wrong-{number}") / JOB, WRONG_MEAN)
    for record in bare(tmp_path, "s0/long", "twelve-trials").glob("*/result.json"):
        edit(record, (',\n    "step_results": null', ""))
    several = (("n_errors", 0), ("n_completed_trials", 2))
    both = edit(
        bare(tmp_path, "s1/both") / JOB,
        WRONG_MEAN,
        *((f'"{name}": {value}', f'"{name}": {value + 1}') for name, value in several),
    )
    edit(both, ('"n_retries": 0,', '"n_retries": 0,\n        "score": 0.5,'))
    write({"s1/no-job/README.md": ""}, tmp_path / "board/bench")
    return tmp_path / "board"


def bare(top, name, situation="pass-and-fail"):
    files = {path: text for path, text in JOBS[situation].items() if "/verifier/" not in path}
    return write(files, top / "board/bench" / name)


def test_the_page(board, snapshot) -> None:
    """Findings of one kind are one line, clean jobs are counted, all names are below one folder."""
    assert "\n".join(lines(board)) == snapshot


def test_a_finding_keeps_its_name(written, tmp_path) -> None:
    """It hangs on the job and the place, not on the numbers there, nor on what else is found."""
    folder, other = written("pass-and-fail"), written("pass-and-fail", "other")
    for one in (folder, other):
        edit(one / JOB, WRONG_MEAN)
    ((name,),) = found(audited(folder), "id")
    assert found(audited(other), "id") != [(name,)]
    edit(folder / JOB, ("0.6", "0.7"), ('"n_errored_trials": 0', '"n_errored_trials": 1'))
    names = {kind: (id, number) for kind, id, number in found(audited(folder), "kind", "id", "found")}
    assert names["metric"] == (name, "0.7")
    assert names["counter"][0] != name
    assert len(name) == 10


@pytest.mark.parametrize("width", [40, 200])
def test_nothing_of_a_job_reaches_the_terminal_as_it_is(width, tmp_path, monkeypatch) -> None:
    """And no line is long, whatever names are."""
    monkeypatch.setenv("COLUMNS", str(width))
    nasty = "\x1b[31m\n\u202e\udcff"
    folders = [write(JOBS["pass-and-fail"], tmp_path / f"{number}{nasty}") for number in range(5)]
    for folder in folders:
        long = f'"{"y" * 3000}": "{"x" * 3000}\\u001b",'
        edit(
            folder / JOB,
            ('"mean": 0.5', '"mean": "\\u001b]0;x"'),
            ('"n_retries": 0,', f'"n_retries": 0,{long}'),
        )
        (folder / nasty).symlink_to("/")
    for told in (lines(*folders, tmp_path / "nowhere"), lines("--findings", 3, "--all", folders[0])):
        assert all(line.isprintable() for line in told)
        assert max(map(len, told)) < 400
    text = "".join(lines(*folders, tmp_path / "nowhere"))
    assert "nowhere:Nosuchfileordirectory" in squeezed(text)
    report(*folders)
