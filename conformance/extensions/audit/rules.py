"""Rules for computing scores, as data: those of each release, and proposed ones.

`OWN` reads each record like the release that wrote it. `--under` selects other rules: a release, which is a
few rows of `_SINCE`, or one rule of `SINGLE`. To add rules, add a value there.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from conformance.extensions.audit.findings import AuditError
from conformance.extensions.audit.formats import JobForm
from conformance.extensions.audit.rows import Row, has_valid_reward, rewards_of
from reference_impl import Strategy, aggregate, parse_reward, pass_at_k
from reference_impl.aggregation import METRICS, mean
from reference_impl.cpython312.summation import compensated_sum
from reference_impl.harbor_0_25_0 import parse_finite_reward
from reference_impl.multi_step import Step, select_reward
from reference_impl.pass_at_k import GradedTrial
from reference_impl.reward import REWARD_JSON, REWARD_TEXT
from reference_impl.verifier_result import Rewards, VerifierResult

RewardList = Sequence[Rewards | None]


READINGS: dict[str, tuple[tuple[str, str], Callable[[dict[str, bytes]], Rewards | None]]] = {
    "text": ((REWARD_TEXT, REWARD_JSON), parse_reward),
    "json": ((REWARD_JSON, REWARD_TEXT), parse_reward),
    "finite": ((REWARD_JSON, REWARD_TEXT), parse_finite_reward),
}
"""How releases read the reward files of one verifier run: the files' precedence, and the parser.

They are named: `text` up to 0.6.6, `json` from 0.7.0 on, and `finite` from 0.23.0 on, which accepts only
finite rewards.
"""


def sparse_aggregate(metric: str, rewards: RewardList) -> Rewards:
    """Compute the same as `aggregate` in time proportional to the existing rewards, not to keys times trials.

    Zeros for missing keys do not change a sum, and only the first of them can decide a max or min.
    """
    by_key: dict[str, list[int | float]] = {}
    lacking: dict[str, int] = {}
    next_index: dict[str, int] = {}
    for index, reward in enumerate(rewards):
        for key, value in (reward or {}).items():
            values = by_key.setdefault(key, [])
            if next_index.get(key, 0) != index and key not in lacking:
                lacking[key] = len(values)
            next_index[key] = index + 1
            values.append(value)
    if len(by_key) <= 1:
        return aggregate(metric, rewards)
    result: Rewards = {}
    for key in sorted(by_key):
        values = by_key[key]
        if metric == "mean":
            result[key] = compensated_sum(values) / len(rewards)
        else:
            first = lacking.get(key, len(values) if len(values) < len(rewards) else None)
            result[key] = METRICS[metric](values if first is None else [*values[:first], 0, *values[first:]])
    return result


def one_key(metric: str, rewards: RewardList) -> Rewards:
    """Compute a metric as releases up to 0.5.0, which require rewards with a single key of any name.

    Raises:
        ValueError: there are other rewards.
        OverflowError: as for `aggregate`.
    """
    if any(reward is not None and len(reward) != 1 for reward in rewards):
        raise ValueError("rewards without exactly one key")
    return aggregate(metric, [{"": 0 if entry is None else next(iter(entry.values()))} for entry in rewards])


def _with_pass_at_1(trials: Sequence[GradedTrial]) -> dict[int, float]:
    """Return pass@k with pass@1, which is each task's share of passed trials, averaged over tasks."""
    tasks: dict[str, list[int]] = {}
    for trial in trials:
        values = list((trial.rewards or {}).values())
        if trial.rewards is not None and (len(values) != 1 or values[0] not in (0, 1)):
            return {}
        tasks.setdefault(trial.task, []).append(int(bool(values and values[0] == 1)))
    shares = [sum(passed) / len(passed) for passed in tasks.values()]
    return {1: mean(shares), **pass_at_k(trials)} if shares else {}


def _declared(strategy: Strategy, steps: Sequence[Step], declared: int) -> VerifierResult | None:
    """Return the mean over the steps that the task declares; a step that was not run counts as 0."""
    result = select_reward(strategy, steps)
    verified = sum(step.verifier_result is not None for step in steps)
    lacking = declared - len(steps)
    if strategy is not Strategy.MEAN or result is None or not result.rewards or lacking <= 0:
        return result
    share = verified / (verified + lacking)
    return VerifierResult({key: value * share for key, value in result.rewards.items()})


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules for computing scores."""

    name: str
    text: str
    """A sentence about the difference from harbor's rules."""
    source: str = ""
    """The release, pull request or issue that they come from."""
    reading: str | None = None
    """How to read reward files, one of `READINGS`; None for the reading of the record's release."""
    aggregate: Callable[[str, RewardList], Rewards] = sparse_aggregate
    pass_at_k: Callable[[Sequence[GradedTrial]], dict[int, float]] = pass_at_k
    task: Callable[[Row], str] = lambda row: row.trial.task_name
    """Trials for which this returns the same value are attempts at one task."""
    counts: Callable[[Row], bool] = lambda row: True
    """Whether a trial counts in metrics and pass@k."""
    valid_only: bool | None = None
    """Whether trials without a valid reward are ignored; None for the counting release's own rule."""
    steps: Callable[[Strategy, Sequence[Step], int], VerifierResult | None] | None = None
    """Derives a trial's rewards from its steps and their declared number; None for harbor's rule."""

    def document(self) -> dict[str, str]:
        """Return the name, text and source in the form of reports."""
        return {"rules": self.name, "text": self.text, "source": self.source}

    def __reduce__(self) -> tuple[Callable[[str], "Rules"], tuple[str]]:
        """Pickle the name, since lambdas can't be pickled."""
        return rules_named, (self.name,)

    def by_validity(self, form: JobForm) -> bool:
        """Return whether only valid rewards count in metrics and pass@k of a job of that form."""
        return form.by_validity if self.valid_only is None else self.valid_only

    def includes(self, row: Row, form: JobForm) -> bool:
        """Return whether a trial counts in metrics and pass@k of a job of that form."""
        return self.counts(row) and (not self.by_validity(form) or has_valid_reward(row))


OWN = Rules("as written", "each record by the rules of the release that wrote it")
SINGLE = {
    rules.name: rules
    for rules in (
        Rules(
            "rule:pass-at-1",
            "pass@k includes pass@1: each task's share of passed trials, averaged over tasks",
            "harbor pull request 2643",
            pass_at_k=_with_pass_at_1,
        ),
        Rules(
            "rule:identity",
            "trials are attempts at the same task if id and checksum agree, whatever the name",
            "harbor issue 3355",
            task=lambda row: row.trial.task_name if row.task is None else repr(row.task),
        ),
        Rules(
            "rule:errored-left-out",
            "trials that ended in an exception are left out of metrics and pass@k",
            "harbor pull request 1928",
            counts=lambda row: row.trial.exception is None,
        ),
        Rules(
            "rule:unscored-left-out",
            "trials without rewards are left out of metrics and pass@k instead of counting as 0",
            "harbor issue 2952",
            counts=lambda row: rewards_of(row.trial) is not None,
        ),
        Rules(
            "rule:reward-valid-only",
            "trials whose exceptions invalidate the reward are left out of metrics and pass@k",
            "harbor 0.26.0",
            valid_only=True,
        ),
        Rules(
            "rule:declared-steps",
            "the mean over steps divides by the number of declared steps, not of those that ran",
            "harbor issue 2783",
            steps=_declared,
        ),
    )
}
"""Proposed rules, by name; each is one change."""

_SINCE: tuple[tuple[tuple[int, int, int], dict[str, object]], ...] = (
    ((0, 1, 2), {"reading": "text", "aggregate": one_key, "pass_at_k": lambda _: {}, "valid_only": False}),
    ((0, 4, 0), {"pass_at_k": pass_at_k}),
    ((0, 6, 0), {"aggregate": sparse_aggregate}),
    ((0, 7, 0), {"reading": "json"}),
    ((0, 23, 0), {"reading": "finite"}),
    ((0, 26, 0), {"valid_only": True}),
)
"""The changes to the rules for scores in each release."""
_RELEASE = re.compile(r"harbor-(\d+)\.(\d+)\.(\d+)").fullmatch


def rules_named(name: str) -> Rules:
    """Return the rules of a release, such as `harbor-0.25.0`, or one of `SINGLE`.

    Raises:
        AuditError: the name is unknown.
    """
    if name in SINGLE:
        return SINGLE[name]
    match = _RELEASE(name)
    version = tuple(map(int, match.groups())) if match else ()
    if version < _SINCE[0][0]:
        raise AuditError(f"{name!r} is not a release, such as harbor-0.25.0, or one of {', '.join(SINGLE)}")
    rules = Rules(name, f"reward files and metrics by the rules of {name}", name)
    for since, changes in _SINCE:
        if since <= version:
            rules = replace(rules, **changes)  # type: ignore[arg-type]
    return rules
