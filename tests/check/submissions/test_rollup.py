"""What a submission covers and scores."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from conformance.check.findings import Finding
from conformance.check.submissions.attempts import submissions
from conformance.check.submissions.metadata import Metadata
from conformance.check.submissions.rollup import MOST_GROUPS, MOST_KEYS, RollUp, roll_up, roll_ups
from conformance.check.submissions.scores import DENOMINATORS
from conformance.check.submissions.text import submission_lines

Make = Callable[..., Any]


def rolled(*jobs: Any, metadata: dict[str, str] | None = None) -> RollUp:
    (submission,) = submissions(jobs)
    return roll_up(submission, [Metadata("metadata.yaml", metadata)] if metadata else [])


def values(one: RollUp) -> dict[str, float]:
    return {name: score.value for name, score in one.groups[0].main.by.items()}


def test_every_denominator(rows: Make, job: Make) -> None:
    """Two tasks by two jobs; one trial is missing, one unscored, one ends in an exception with a reward."""
    one = rolled(
        job("1", rows({"t": [1, 0], "u": [(1, "Timeout")]}), planned=4),
        job("2", rows({"t": [1.0, None], "u": [0.0]}, first=5)),
    )
    assert values(one) == {
        "records": 3 / 6,
        "planned": 3 / 7,
        "scored": 3 / 5,
        "task-records": (2 / 4 + 1 / 2) / 2,
        "task-attempts": (2 / 4 + 1 / 4) / 2,
        "task-scored": 7 / 12,
        "errors-as-zero": 2 / 6,
        "errors-left-out": 2 / 5,
        "best-attempt": 1.0,
        "first-attempt": 1.0,
    }
    (group,) = one.groups
    assert (group.group.planned, len(group.group.attempts), group.main.scored, group.main.unscored) == (
        7,
        6,
        5,
        1,
    )
    assert (group.errored, group.errored_scored) == (1, 1)
    assert (group.group.usual, group.fewer, group.more) == (4, {"u": 2}, {})
    assert group.main.attempts == [(1.0, 2), (0.0, 2), (1.0, 1), (0.0, 1)]
    assert one.notes == [
        "the score hangs on what unscored trials count: 50.0 % as zero, 60.0 % left out (1 of 6 unscored)",
        "7 trials planned, 6 records: 1 missing",
    ]


def test_what_unscored_trials_count(rows: Make, job: Make) -> None:
    """Such a submission is published: 39.8 % with unscored trials as zero, 73.4 % without."""
    trials = rows({f"t{at:03}": [1] for at in range(358)})
    trials += rows({f"u{at:03}": [0] for at in range(130)})
    trials += rows({f"v{at:03}": ["AgentTimeoutError"] for at in range(412)})
    one = rolled(job("j", trials, mean=358 / 488))
    assert one.notes == [
        "the score hangs on what unscored trials count: 39.8 % as zero, 73.4 % left out "
        "(412 of 900 unscored)",
        "1 job does not state harbor's mean of the trials there: j",
    ]
    (claim,) = one.groups[0].stated
    assert claim.by == ["scored", "task-scored", "errors-left-out"]
    assert claim.jobs == {"scored": 1}


@pytest.mark.parametrize(
    ("unscored", "hangs"),
    [
        (1, False),  # 1.1 points of 50 tasks, whose mean has a standard error of 7
        (4, False),
        (12, True),
    ],
)
def test_a_score_hangs_on_them_beyond_its_standard_error(
    unscored: int, hangs: bool, rows: Make, job: Make
) -> None:
    results = {f"t{at:02}": [1 if at < 25 else 0] for at in range(50)}
    results |= {f"t{at:02}": [None] for at in range(50 - unscored, 50)}
    one = rolled(job("j", rows(results)))
    by = one.groups[0].main.by
    assert by["scored"].value - by["records"].value > 0.01
    assert any("hangs on" in note for note in one.notes) is hangs


def test_the_spread_over_tasks(rows: Make, job: Make) -> None:
    """With as many attempts of each task both means have the standard error of the tasks' means."""
    draw = random.Random(14)
    tasks = {f"t{at}": [draw.choice([0, 1]) for _ in range(5)] for at in range(30)}
    (group,) = rolled(job("j", rows(tasks))).groups
    means = [mean(of) for of in tasks.values()]
    due = stdev(means) / math.sqrt(30)
    for name in ("records", "task-records"):
        assert group.main.by[name].standard_error == pytest.approx(due, rel=1e-12)
    within = math.sqrt(sum(stdev(of) ** 2 / 5 for of in tasks.values())) / 30
    assert group.main.attempts_error == pytest.approx(within, rel=1e-12)
    assert [score for score, _ in group.main.attempts] == [
        pytest.approx(mean(of[at] for of in tasks.values())) for at in range(5)
    ]


def test_the_standard_error_of_a_ratio(rows: Make, job: Make) -> None:
    """Of uneven tasks: 3 attempts with 2 passes, 1 attempt with none."""
    (group,) = rolled(job("j", rows({"t": [1, 1, 0], "u": [0]}))).groups
    m = 2 / 4
    due = math.sqrt(2 / 1 * ((2 - 3 * m) ** 2 + (0 - m) ** 2)) / 4
    assert group.main.by["records"].standard_error == pytest.approx(due, rel=1e-12)
    assert group.main.attempts_error is None


def test_pass_at_k_is_over_all_jobs(rows: Make, job: Make) -> None:
    jobs = [job(str(at), rows({"t": [at % 2], "u": [1]}, first=at)) for at in range(4)]
    assert rolled(*jobs).groups[0].main.pass_at_k == {2: (5 / 6 + 1) / 2, 4: 1.0}
    assert rolled(job("j", rows({"t": [0.5, 1]}))).groups[0].main.pass_at_k == {}


def test_trials_in_two_jobs(rows: Make, job: Make) -> None:
    again = rows({"u": [1]})
    one = rolled(job("1", rows({"t": [1], "u": [1]})), job("2", again), job("3", rows({"t": [0]})))
    doubles = [(double.trial, double.jobs, double.same) for double in one.groups[0].doubles]
    assert doubles == [("t__0000000", ["1", "3"], False), ("u__0000000", ["1", "2"], True)]
    assert "2 trials in more than one job, 1 with different rewards: t__0000000, u__0000000" in one.notes


def test_rewards_that_are_no_numbers(rows: Make, job: Make) -> None:
    """They are left out, and said; nothing that is not finite gets into a score."""
    trials = rows({"t": [math.nan, 1], "u": [math.inf, 10**400]})
    one = rolled(job("j", trials))
    assert values(one)["scored"] == 1.0
    assert values(one)["records"] == 0.25
    assert one.groups[0].main.pass_at_k == {}
    assert "3 rewards left out as no finite number: reward nan of t__0000000, …" in one.notes


def test_sums_are_exact(rows: Make, job: Make) -> None:
    assert values(rolled(job("j", rows({"t": [0.1] * 10}))))["records"] == 0.1
    assert values(rolled(job("j", rows({"t": [1e308, 1e308, -1e308]}))))["records"] == 1e308 / 3


def test_each_reward_key_has_its_scores(rows: Make, job: Make) -> None:
    one = rolled(job("j", rows({"t": [{"a": 1, "reward": 2}, {"a": 0}, {}]})))
    assert [(found.key, found.scored, found.by["records"].value) for found in one.groups[0].scores] == [
        ("a", 2, 1 / 3),
        ("reward", 1, 2 / 3),
    ]
    assert one.groups[0].main.key == "reward"


def test_a_submission_without_a_score(rows: Make, job: Make) -> None:
    one = rolled(job("j", rows({"t": ["X", None]})))
    assert one.notes == ["no trial has a score: 2 unscored"]
    assert values(one)["records"] == 0.0
    assert "scored" not in values(one)


def test_groups_are_kept_apart(rows: Make, job: Make) -> None:
    mixed = rows({"t": [1]}) + rows({"t": [0]}, model=None) + rows({"t": [0]}, source=None)
    one = rolled(job("j", mixed))
    assert [(g.group.source, g.group.agent, g.group.model) for g in one.groups] == [
        ("", "a", "m"),
        ("bench", "a", ""),
        ("bench", "a", "m"),
    ]
    assert [g.group.planned for g in one.groups] == [None] * 3  # the job does not say of which
    assert one.submission.planned == 3


def test_jobs_by_what_their_audit_found(rows: Make, job: Make) -> None:
    jobs = [job(name, rows({"t": [1]}, first=at)) for at, name in enumerate("abcd")]
    jobs[1].audit.findings.add(Finding("order", "f", "", "", "", None))
    jobs[2].audit.findings.add(Finding("metric", "f", "", "", "", None))
    lost = type(jobs[3])("d", None, "no such thing", "s")
    assert rolled(*jobs[:3], lost).jobs == {
        "clean": 1,
        "unfinished": 0,
        "not judged": 1,
        "differs": 1,
        "wrong": 1,
    }


def test_submissions_come_by_name(rows: Make, job: Make) -> None:
    jobs = [job("y/1", [], "y"), job("alone", [], ""), job("x/1", [], "x"), job("y/2", [], "y")]
    assert [(one.name, len(one.submission.jobs)) for one in roll_ups(jobs)] == [
        ("alone", 1),
        ("x", 1),
        ("y", 2),
    ]


def test_what_the_jobs_state_is_weighted(rows: Make, job: Make) -> None:
    one = rolled(
        job("1", rows({"t": [1, 1, 0]}), mean=2 / 3), job("2", rows({"t": [None, 0]}, first=3), mean=0.0)
    )
    (claim,) = one.groups[0].stated
    assert (claim.value, claim.by[0], claim.jobs, claim.odd) == (0.4, "records", {"records": 2}, [])
    one = rolled(job("1", rows({"t": [1, 0]}), mean=0.7), job("2", rows({"t": [1]}, first=2)))
    (claim,) = one.groups[0].stated
    assert (claim.value, claim.jobs, claim.odd, claim.unstated) == (None, {"none": 1}, ["1"], 1)


@pytest.mark.parametrize(
    ("path", "text", "by"),
    [
        ("/accuracy", "0.734", ["scored", "task-scored"]),
        ("/accuracy", "73.4", ["scored", "task-scored"]),
        ("/results/accuracy", "73.4% ± 1.2", ["scored", "task-scored"]),
        ("/Accuracy", "39.8", ["records", "planned", "task-records", "task-attempts"]),
        ("/other", "0.3978", ["records", "planned", "task-records", "task-attempts"]),
        ("/score", "0.9", []),
        ("/other", "0.9", None),
        ("/other", "0.4", None),
        ("/version", "2025-11-11", None),
    ],
)
def test_which_score_metadata_states(
    rows: Make, job: Make, path: str, text: str, by: list[str] | None
) -> None:
    trials = rows({f"t{at:03}": [1] for at in range(358)})
    trials += rows({f"u{at:03}": [0] for at in range(130)})
    trials += rows({f"v{at:03}": [None] for at in range(412)})
    claims = rolled(job("j", trials), metadata={path: text}).claims
    found = [
        [name for name in claim.by if not name.startswith(("errors", "best", "first"))] for claim in claims
    ]
    assert found == ([] if by is None else [by])


@pytest.mark.parametrize(
    ("metadata", "note"),
    [
        ({"/agent": "Terminus 2"}, "metadata.yaml names the agent Terminus 2, trials have goose"),
        ({"/agent_display_name": "Goose (Block)"}, None),
        ({"/models/0/model_name": "anthropic/claude-opus-4"}, None),
        ({"/models/0/model_name": "gpt-5"}, "metadata.yaml names the model gpt-5, trials have claude-opus-4"),
        (
            {"/date": "2023-11-01"},
            "metadata.yaml has the date 2023-11-01 at /date, the first trial began on 2023-11-14",
        ),
        ({"/date": "2025-01-01"}, None),
        ({"/date": "2023-13-01"}, None),
    ],
)
def test_metadata_that_contradicts_the_trials(
    rows: Make, job: Make, metadata: dict[str, str], note: str | None
) -> None:
    one = rolled(job("j", rows({"t": [1]}, agent="goose", model="claude-opus-4")), metadata=metadata)
    assert one.notes == ([] if note is None else [note])


def test_the_example_of_the_document(rows: Make, job: Make) -> None:
    """What `docs/checking-a-leaderboard.md` shows is what is printed."""
    draw = random.Random(2)
    chances = {f"task-{at:02}": draw.random() for at in range(30)}
    of = {"source": "terminal-bench", "agent": "terminus-2", "model": "gpt-5.1"}
    jobs = []
    for at in range(5):
        results = {
            task: ["AgentTimeoutError" if draw.random() < 0.2 else int(draw.random() < chance)]
            for task, chance in chances.items()
        }
        trials = rows(results, first=at, **of)
        stated = sum((trial.rewards or {}).get("reward", 0) for trial in trials) / 30
        jobs.append(job(f"2025-11-1{at}__12-30-01", trials, "terminus-2__gpt-5.1", stated))
    says = {"/agent_display_name": "Terminus 2", "/models/0/model_name": "gpt-5.1", "/accuracy": "0.491"}
    shown = submission_lines(rolled(*jobs, metadata=says))
    text = (Path(__file__).parents[3] / "docs" / "checking-a-leaderboard.md").read_text(encoding="utf-8")
    assert "```text\n" + "\n".join(shown) + "\n```" in text, "\n".join(shown)


def test_the_document_names_every_denominator() -> None:
    text = (Path(__file__).parents[3] / "docs" / "checking-a-leaderboard.md").read_text(encoding="utf-8")
    assert [name for name in DENOMINATORS if f"| `{name}` |" not in text] == []


def test_the_text_of_a_submission(rows: Make, job: Make, snapshot: SnapshotAssertion) -> None:
    one = rolled(
        job("1", rows({"t": [1, 0], "u": [(1, "Timeout")]}), planned=4, mean=2 / 3),
        job("2", rows({"t": [1.0, None], "u": [0.0]}, first=5), mean=1 / 2),
        metadata={"/accuracy": "0.6", "/agent": "\x1b[31mA"},
    )
    assert "\n".join(submission_lines(one)) == snapshot


@pytest.mark.slow
def test_a_hostile_submission_takes_no_long_time(rows: Make, job: Make) -> None:
    """Many keys, many attempts at one task beside many tasks, many agents: each is cut, and said."""
    wide = rows({"t": [{f"k{at:05}": at for at in range(10_000)}, {"reward": 1}]})
    deep = rows({"t": [1] * 20_000, **{f"u{at}": [1] for at in range(20_000)}}, agent="deep")
    many = [trial for at in range(1500) for trial in rows({"t": [1]}, agent=f"x{at:04}")]
    began = time.process_time()
    one = rolled(job("j", wide + deep + many))
    assert time.process_time() - began < 30
    assert len(one.groups) == MOST_GROUPS
    assert len(one.groups[0].scores) == MOST_KEYS
    assert one.groups[0].main.key == "reward"
    assert "bench / a / m: only 20 of 10001 reward keys are rolled up" in one.notes
    assert "only 1000 of 1502 datasets, agents and models are rolled up" in one.notes
    assert len(one.groups[1].main.attempts) == 100
    assert len(submission_lines(one)) < 1000
