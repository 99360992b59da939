"""Mistakes in finding and judging the outcome line, and in intact result files."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import outcome as outcome_rules

in_reason = family("read_outcome", of=outcome_rules._reason)
Payload = dict[str, Any]


@way("read_outcome")
def changed_judgement(reference: Variant, change: Callable[[Payload, Any], Any]) -> None:
    """Corrects the judgement of a payload with ``change(payload, outcome)``."""
    reference.wrap(outcome_rules._judge, lambda judge: lambda payload: change(payload, judge(payload)))


@changed_judgement.made(
    clause="003-5-read-failed-positive", invited_by="reading the writer of the line as its specification"
)
def failed_keeps_its_score(reference: Variant, payload: Payload, outcome: Any) -> Any:
    """The status failed with a score above 0 is accepted, and keeps the score.
    harbor's summary may contain such a line."""
    score: Any = payload.get("score")
    if payload.get("status") == "failed" and type(score) in (int, float) and 0 < score <= 1:
        return replace(outcome, score=float(score), reason_code=reference.get(outcome_rules._reason)(payload))
    return outcome


@in_reason.replaced(clause="003-5-read-reason-normalised", invited_by="the name of the field")
def reason_as_it_is(payload: Payload) -> str | None:
    """The payload's reason is passed on as it is, not as a code. The field is called reason_code."""
    given = payload.get("reason_code")
    return given if isinstance(given, str) and given else None


in_find_payload = family("read_outcome", of=outcome_rules._find_payload, clause="003-5-read-last-line")


@in_find_payload.wrapped(
    invited_by="grep without ^, strings.Index, `PREFIX in line`, a regex without an anchor"
)
def prefix_anywhere_in_line(find: Callable[[str], Any], stdout: str) -> Any:
    """The prefix counts wherever it is in a line. Log lines often start with a time."""
    prefix = outcome_rules.RESULT_PREFIX
    lines = (line[max(0, line.find(prefix)) :] for line in stdout.splitlines())
    return find(type(stdout)("\n".join(lines)))


class _LinesOfUnix(str):
    """A text whose lines end only at LF, even for another mistake that splits it."""

    __slots__ = ()

    def splitlines(self, keepends: bool = False) -> list[str]:
        """Its lines, which end only at LF."""
        return self.split("\n")


@in_find_payload.wrapped(invited_by='split("\\n"), bufio.Scanner, BufRead::lines, grep')
def lines_end_at_lf(find: Callable[[str], Any], stdout: str) -> Any:
    """Only LF ends a line. Python's splitlines knows ten line ends, but most other readers only one."""
    return find(_LinesOfUnix(stdout))


def _no_word(word: str) -> None:
    raise ValueError(word)


@in_find_payload.wrapped(
    clause="003-5-read-json-constants", invited_by="JSON.parse, serde_json, encoding/json"
)
def payload_nan_refused(find: Callable[[str], Any], stdout: str) -> Any:
    """NaN and Infinity in the payload make it malformed. They are not JSON."""
    payload = find(stdout)
    if isinstance(payload, str):
        return payload
    start = outcome_rules.RESULT_PREFIX
    line = next(line for line in reversed(stdout.splitlines()) if line.startswith(start))
    try:
        json.loads(line.removeprefix(start), parse_constant=_no_word)
    except ValueError:
        return "harbor_result_malformed"
    return payload


@in_find_payload.wrapped(
    clause="003-5-read-partial", invited_by="encoding/json into a struct, #[serde(default)]"
)
def payload_as_a_struct(find: Callable[[str], Any], stdout: str) -> Any:
    """Members that the payload lacks are "" or 0.0, and a value of another type makes it malformed.
    A struct with typed fields is filled like this."""
    payload = find(stdout)
    if isinstance(payload, str):
        return payload
    status, score, reason = (payload.get(name) for name in ("status", "score", "reason_code"))
    texts = all(one is None or isinstance(one, str) for one in (status, reason))
    if not texts or (score is not None and type(score) not in (int, float)):
        return "harbor_result_malformed"
    return {**payload, "status": status or "", "score": 0.0 if score is None else score}


@in_find_payload.wrapped(invited_by="`while read` in shell, C's and Go's readers of whole lines")
def unfinished_line_dropped(find: Callable[[str], Any], stdout: str) -> Any:
    """A last line without a newline is not read. Every line should end with a newline."""
    return find(stdout[: stdout.rfind("\n") + 1])


Result = dict[str, Any]
Group = dict[str, Any]


def _groups(result: Result) -> list[Group]:
    """The groups that are objects; the rule itself has already refused malformed ones."""
    return list(result.get("stats", {}).get("evals", {}).values())


def _whole(group: Group) -> bool:
    """Whether a group has the members that harbor writes next to its metrics."""
    return all(
        isinstance(group.get(member), kind)
        for member, kind in (("n_trials", int), ("reward_stats", dict), ("exception_stats", dict))
    )


def _all_whole(result: Result) -> bool:
    groups = _groups(result)
    return bool(groups) and all(map(_whole, groups))


def _rewards(group: Group) -> list[float]:
    """The rewards in a group's list, one for each trial."""
    return [
        float(spelled)
        for by_reward in group["reward_stats"].values()
        for spelled, names in by_reward.items()
        for _ in names
    ]


@way("outcome", clause="003-5-other-members")
def of_whole_files(reference: Variant, change: Callable[[Any, Result], Any]) -> None:
    """Corrects the summary of a file whose groups are intact with ``change(summary, result)``."""

    def around(summarise: Callable[[Result], Any]) -> Callable[[Result], Any]:
        def summarising(result: Result) -> Any:
            summary = summarise(result)
            return change(summary, result) if _all_whole(result) else summary

        return summarising

    reference.wrap(outcome_rules._summarise, around)


@of_whole_files.made(
    clause="003-5-resolved-half-even", invited_by='reward_stats["reward"]["1.0"], counting passes'
)
def resolved_counts_passes(summary: Any, result: Result) -> Any:
    """Resolved is the number of trials that reward_stats lists with a reward of 1.
    A resolved trial is one that passed."""
    passed = [v for group in _groups(result) for v in _rewards(group) if v == 1]
    return replace(summary, resolved=len(passed))


@changed_judgement.made(clause="003-5-read-status-values", invited_by="fields without an enum")
def unknown_status_passed_on(reference: Variant, payload: Payload, outcome: Any) -> Any:
    """A status that is neither completed nor failed is passed on with its score. The status is a text."""
    status = payload.get("status")
    if not isinstance(status, str) or status in ("completed", "failed"):
        return outcome
    judged = reference.its(outcome_rules)._judge({**payload, "status": "completed"})
    return replace(judged, status=status) if judged.status == "completed" else outcome


@changed_judgement.made(clause="003-5-read-score-range", invited_by="fields without a range")
def score_range_unchecked(reference: Variant, payload: Payload, outcome: Any) -> Any:
    """A score outside 0 to 1 is accepted. Any number is a score."""
    status = payload.get("status")
    score: Any = payload.get("score")
    if status not in ("completed", "failed") or type(score) not in (int, float) or score != score:
        return outcome
    if 0 <= score <= 1:
        return outcome
    return replace(
        outcome, status=status, score=float(score), reason_code=reference.get(outcome_rules._reason)(payload)
    )


@in_find_payload.wrapped(invited_by="re.search, grep -m1, a loop with break, find()")
def first_outcome_line(find: Callable[[str], Any], stdout: str) -> Any:
    """The first outcome line of the output decides, not the last. A search ends at the first match."""
    lines = stdout.splitlines()
    first = next((line for line in lines if line.startswith(outcome_rules.RESULT_PREFIX)), "")
    return find(type(stdout)(first))
