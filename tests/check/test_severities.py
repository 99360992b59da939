"""What a finding means for the numbers, and what becomes of it: verdicts and exit codes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from conformance.check.audit import Audit
from conformance.check.findings import KINDS, MOST_OF_A_KIND, Finding, Findings, Severity
from conformance.check.report import INTERRUPTED, Checked, exit_code
from conformance.judging.comparison import Level

Cli = Callable[..., "CompletedProcess[str]"]

WRONG = {
    *("counter", "dataset-job", "dataset-task", "duplicate-trial", "extra-trial", "group", "listing"),
    *("metric", "missing-trial", "never-finishes", "outcome-line", "pass-at-k", "record", "reward-file"),
    *("steps", "total"),
}
"""The kinds that contradict a number."""


def finding(
    kind: str, breaks: Level = Level.VALUE, graver: Severity | None = None, file: str = "f"
) -> Finding:
    return Finding(kind, file, "", "1", "2", None, breaks=breaks, graver=graver)


def job(*found: Finding, notes: int = 0, state: str = "finished", problem: str | None = None) -> Checked:
    audit = Audit("job", Findings(Level.BYTES), state)
    for one in found:
        audit.findings.add(one)
    for number in range(notes):
        audit.findings.note(f"note {number}")
    return Checked("job", audit, problem)


def test_what_contradicts_a_number_is_wrong() -> None:
    assert {kind for kind in KINDS if finding(kind).severity is Severity.WRONG} == WRONG
    assert {finding(kind).severity for kind in KINDS.keys() - WRONG} == {Severity.DIFFERS}


@pytest.mark.parametrize("kind", sorted(WRONG))
def test_the_same_number_in_another_way_only_differs(kind: str) -> None:
    assert finding(kind, Level.EXACT).severity is Severity.DIFFERS
    assert finding(kind, Level.BYTES).severity is Severity.DIFFERS


def test_a_finding_may_say_how_grave_it_is() -> None:
    assert finding("schema", graver=Severity.NOTE).severity is Severity.NOTE
    assert finding("text", Level.BYTES, Severity.WRONG).severity is Severity.WRONG


NOTE = finding("schema", graver=Severity.NOTE)


@pytest.mark.parametrize(
    ("checked", "verdict", "shown"),
    [
        (job(), "clean", "clean"),
        (job(notes=2), "clean", "clean (2 notes)"),
        (job(NOTE, notes=1), "clean", "clean (2 notes)"),
        (job(finding("text")), "differs", "differs"),
        (job(finding("text"), finding("metric")), "wrong", "wrong"),
        (job(state="unfinished", notes=1), "unfinished", "unfinished (1 note)"),
        (job(state="unknown", notes=1), "unfinished", "unfinished (1 note)"),
        (job(finding("schema"), state="unfinished"), "differs", "differs"),
        (job(finding("metric"), problem="too much"), "not judged", "not judged"),
        (Checked("job", None, "No such file"), "not judged", "not judged"),
    ],
)
def test_verdicts(checked: Checked, verdict: str, shown: str) -> None:
    assert (checked.verdict, checked.shown_verdict) == (verdict, shown)


@pytest.mark.parametrize(
    ("checked", "codes"),
    [
        (job(), (0, 0, 0, 0)),
        (job(notes=1), (0, 0, 1, 0)),
        (job(NOTE), (0, 0, 1, 0)),
        (job(finding("text")), (0, 1, 1, 0)),
        (job(finding("metric")), (1, 1, 1, 0)),
        (job(problem="too much"), (2, 2, 2, 2)),
        (Checked("job", None, "No such file"), (2, 2, 2, 2)),
    ],
)
def test_exit_codes(checked: Checked, codes: tuple[int, ...]) -> None:
    fail_on = (Severity.WRONG, Severity.DIFFERS, Severity.NOTE, None)
    assert tuple(exit_code([job(), checked], one) for one in fail_on) == codes


def test_without_a_job_nothing_is_right() -> None:
    assert exit_code([], None) == 2


def test_an_interruption_is_told_whatever_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.interrupts.exit_code", lambda: 130)
    assert exit_code([job(), Checked("job", None, INTERRUPTED)], None) == 130


@pytest.mark.parametrize(
    ("edit", "codes"),
    [
        (None, {"wrong": 0, "differs": 0, "note": 0, "never": 0}),
        (('"mean": 0.5', '"mean": 5e-1'), {"wrong": 0, "differs": 1, "note": 1, "never": 0}),
        (('"mean": 0.5', '"mean": 0.6'), {"wrong": 1, "differs": 1, "note": 1, "never": 0}),
    ],
)
def test_the_option(
    edit: tuple[str, str] | None, codes: dict[str, int], cli: Cli, written: Callable[..., Path]
) -> None:
    folder = written("pass-and-fail")
    if edit is not None:
        result = folder / "result.json"
        result.write_text(result.read_text().replace(*edit))
    assert {name: cli("check", "--fail-on", name, folder).returncode for name in codes} == codes
    assert cli("check", folder).returncode == codes["differs"]


def test_which_findings_are_kept_does_not_hang_on_their_order() -> None:
    made = [finding("metric", Level(3) if n % 3 else Level.VALUE, file=f"{n:06}") for n in range(5000)]
    there, back = Findings(Level.BYTES), Findings(Level.BYTES)
    for one in made:
        there.add(one)
    for one in reversed(made):
        back.add(one)
    assert there.ordered() == back.ordered()
    assert len(there.ordered()) == MOST_OF_A_KIND
    assert {one.severity for one in there.ordered()} == {Severity.WRONG}
    assert there.total() == 5000
    assert (there.of_severity(Severity.WRONG), there.of_severity(Severity.DIFFERS)) == (1667, 3333)
