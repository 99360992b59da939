"""What a job says in two places, and differently, by more than the one change that `changes.json` has."""

import json
import re

from tests.extensions.audit.auditing import JOB, T0, T1, audited, found, grave, put

GROUP = "/stats/evals/nop__d"
RECORD = f"{T0}/{JOB}"


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
    put(folder / RECORD, **{"/id": "6d9bd0c1-38c4-4f1c-a5b0-2f1f1c8a6d10"})
    (folder / T1 / JOB).write_text((folder / RECORD).read_text())
    kinds = found(audited(folder), "kind", "file", "path")
    assert ("trial-name", f"{T1}/{JOB}", "/trial_name") in kinds
    assert "duplicate-trial" not in {kind for kind, *_ in kinds}


def test_one_cause_in_many_records_is_one_finding(written) -> None:
    folder = written("twelve-trials")
    for file in folder.glob("*/result.json"):
        file.write_text(re.sub(r'(\d\d:\d\d:\d\d)(\.\d{6})?Z"', r'\1.123Z"', file.read_text()))
    ((kind, severity, likely),) = found(audited(folder, "--level", "value"), "kind", "severity", "likely")
    assert (kind, severity) == ("schema", "differs")
    assert likely.startswith("so in 12 trials, at ")
    three = written("twelve-trials", "three")
    for number in range(3):
        (three / f"t{number}__{number:07}" / "verifier" / "reward.txt").write_text("0.7")
    assert len(found(audited(three))) == 3
