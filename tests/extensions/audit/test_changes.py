"""Single changes to jobs of the real harbor (changes.json): the one finding of each, and its explanation."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.extensions.audit.auditing import JOB, T0, T1, audited, edit, explained, found, grave, put, report
from tools.jobs.kept import JOBS, with_result, write

CHANGES = json.loads(Path(__file__).with_name("changes.json").read_text())
LEVELS = ("value", "exact", "bytes")
NUMBERS = ("metric", "pass-at-k")
GROUP = "/stats/evals/nop__d"


def changed(folder, row):
    """A job with a change: edits or other members of files, or something done to a file or directory."""
    write((with_result(row["release"]) if "release" in row else JOBS)[row["job"]], folder)
    for file, members in row.get("put", {}).items():
        put(folder / file, **members)
    if "edit" in row:
        file = folder / row["edit"]
        before = file.read_bytes().decode()
        file.write_bytes(edited(row, before).encode())
        assert file.read_bytes().decode() != before
    elif "write" in row:
        write({row["write"]: row["text"]}, folder)
    elif "remove" in row:
        gone = folder / row["remove"]
        shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    elif "copy" in row:
        name, other = row["copy"]
        shutil.copytree(folder / name, folder / other)
        if row.get("rename"):
            edit(folder / other / "result.json", (name, other))
    elif "move" in row:
        (folder / row["move"][0]).rename(folder / row["move"][1])
    return folder


def edited(row, text):
    for old, new in row.get("swap", ()):
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    if "first" in row:
        text = text.replace(*row["first"], 1)
    if "all" in row:
        text = text.replace(*row["all"])
    if "cut" in row:
        begin, end, new = row["cut"]
        text = text[: text.index(begin)] + new + text[text.index(end) :]
    if row.get("ascii"):
        text = text.encode("ascii", "backslashreplace").decode().replace("\\xe9", "\\u00e9")
    return text + row.get("append", "")


@pytest.mark.parametrize("part", CHANGES)
def test_one_change_gives_one_finding_from_its_level_on(part, tmp_path) -> None:
    for row in CHANGES[part]:
        changed(tmp_path / row["name"], row)
    wrong = {}
    several = [row for row in CHANGES[part] if "level" in row]
    for place, level in enumerate(LEVELS):
        rows = CHANGES[part] if level == "bytes" else [CHANGES[part][0], *several]
        jobs = report("--level", level, *(tmp_path / row["name"] for row in rows))["jobs"]
        for row, job in zip(rows, jobs, strict=True):
            breaks = row.get("level", "value")
            due = [(*row["finds"], breaks)] if row["finds"] and place >= LEVELS.index(breaks) else []
            told = found(job, "kind", "file", "path", "clause", "level")
            one = next(iter(job["findings"]), {})
            texts = {name: one.get(name) or "" for name in ("severity", "likely", "expected")}
            lacks = [name for name, text in texts.items() if due and row.get(name, "") not in text]
            if told != due or lacks or job["state"] != row.get("state", "finished"):
                wrong[row["name"], level] = (told, texts, job["state"])
    assert wrong == {}


@pytest.mark.slow
@pytest.mark.parametrize("part", CHANGES)
def test_every_finding_is_explained(part, tmp_path) -> None:
    folders = [changed(tmp_path / row["name"], row) for row in CHANGES[part] if row["finds"]]
    for folder, job in zip(folders, report(*folders)["jobs"], strict=True):
        ((name, kind, expected),) = found(job, "id", "kind", "expected")
        told = explained(name, folder)
        assert told, folder.name
        if kind in NUMBERS and told[-1].startswith("expected: "):
            assert told[-1] == f"expected: {expected}", folder.name
            assert any(expected in line for line in told[:-1]), folder.name


# Contradictions that take more than one change


def test_what_a_running_job_can_not_know_is_excused(written) -> None:
    """Trials that are done and not counted yet, and totals of another moment."""
    folder = written("twelve-trials")
    lists = json.loads((folder / JOB).read_text())["stats"]["evals"]["nop__d"]["reward_stats"]["reward"]
    names = {f"t{number}__{number:07}" for number in range(4)}
    kept = {reward: sorted(names & {*every}) for reward, every in lists.items() if names & {*every}}
    mean = sum(float(reward) * len(every) for reward, every in kept.items()) / 4
    group = {"reward_stats": {"reward": kept}, "n_trials": 4, "metrics": [{"mean": mean}]}
    stats = {"n_completed_trials": 4, "n_running_trials": 3, "n_pending_trials": 5, "n_input_tokens": 7}
    members = {f"/stats/{name}": value for name, value in stats.items()}
    members |= {f"{GROUP}/{name}": value for name, value in group.items()}
    put(folder / JOB, **{"/finished_at": None, **members})
    assert grave(audited(folder, "--level", "value")) == []


def test_a_copied_record_is_one_finding(written) -> None:
    folder = written("pass-and-fail")
    put(folder / T0 / JOB, **{"/id": "6d9bd0c1-38c4-4f1c-a5b0-2f1f1c8a6d10"})
    (folder / T1 / JOB).write_text((folder / T0 / JOB).read_text())
    kinds = found(audited(folder), "kind", "file", "path")
    assert ("trial-name", f"{T1}/{JOB}", "/trial_name") in kinds
    assert "duplicate-trial" not in {kind for kind, *_ in kinds}


def test_one_cause_in_many_records_is_one_finding(written) -> None:
    folder = written("twelve-trials")
    for file in folder.glob("*/result.json"):
        file.write_text(re.sub(r'(\d\d:\d\d:\d\d)(\.\d{6})?Z"', r'\1.123Z"', file.read_text()))
    ((kind, severity, likely),) = found(audited(folder, "--level", "value"), "kind", "severity", "likely")
    assert (kind, severity) == ("schema", "differs")
    assert likely.startswith("the same in 12 trials, at ")
    three = written("twelve-trials", "three")
    for number in range(3):
        (three / f"t{number}__{number:07}" / "verifier" / "reward.txt").write_text("0.7")
    assert len(found(audited(three))) == 3
