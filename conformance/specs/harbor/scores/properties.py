"""Properties of every leaderboard's values."""

from collections.abc import Callable
from typing import Any

from conformance.drawing.source import Source
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harbor.scores.draw import (
    GROUPS,
    binary,
    exception,
    recorded,
    records,
    records_without_overflow,
)
from conformance.wire.messages import Ok

__all__: list[str] = []

_OP = "scores"
_FEW = 50
"""Each try sends two requests or more, so fewer are made."""
Trials = list[dict[str, Any]]


def _input(trials: Trials) -> dict[str, Any]:
    return {"trials": trials}


def _groups(asker: Asker, trials: Trials) -> dict[str, Any]:
    groups: dict[str, Any] = asker.ok(_OP, _input(trials))["groups"]
    return groups


def _by_group(trials: Trials) -> dict[str, Trials]:
    groups: dict[str, Trials] = {}
    for trial in trials:
        groups.setdefault(trial["group"], []).append(trial)
    return groups


def _part(asker: Asker, trials: Trials, group: str, member: str) -> Any:
    """One member of one group's values, as answered."""
    answer = asker.answer(_OP, _input(trials))
    asker.holds(isinstance(answer, Ok), "scores gives an error where a value is expected")
    assert isinstance(answer, Ok)
    return Ok(answer.value["groups"].get(group, {}).get(member))


def _same_answers(
    slug: str, draw: Callable[[Source], Trials], change: Callable[[Source, Trials], Trials], why: str
) -> None:
    """Registers a property: changing the trials does not change the answer."""

    def both(source: Source) -> tuple[Trials, Trials]:
        trials = draw(source)
        return trials, change(source, trials)

    def check(asker: Asker, drawn: Any) -> None:
        trials, changed = drawn
        asker.same(_OP, _input(trials), _input(changed), why)

    holds(slug, both, _FEW)(check)


def _renumbered(source: Source, trials: Trials) -> Trials:
    return [{**trial, "attempt": source.below(9) + 1} for trial in trials]


def _other_exceptions(source: Source, trials: Trials) -> Trials:
    return [{**trial, "exception": trial["exception"] and exception(source)} for trial in trials]


def _one_group_after_the_other(source: Source, trials: Trials) -> Trials:
    return [trial for group in source.shuffled(list(_by_group(trials).values())) for trial in group]


_same_answers("scores-attempt-numbers-free", records, _renumbered, "the numbers of attempts matter")
_same_answers(
    "scores-exception-kind-free", records, _other_exceptions, "the type or the message of exceptions matters"
)
_same_answers(
    "scores-groups-in-any-order",
    records,
    _one_group_after_the_other,
    "the position of a group's trials among the others matters",
)


@holds("scores-counts-agree", records_without_overflow, _FEW)
def _counts_agree(asker: Asker, listed: Any) -> None:
    counts = _groups(asker, listed)
    groups = _by_group(listed)
    asker.holds(counts.keys() == groups.keys(), f"the groups are {sorted(counts)!a}, not {sorted(groups)!a}")
    for group, trials in groups.items():
        asker.equal(len(trials), counts[group]["n"], f"n of {group!a}")
        scored = sum(trial["rewards"] is not None for trial in trials)
        asker.equal(scored, counts[group]["n_scored"], f"n_scored of {group!a}")
        errors = sum(trial["exception"] is not None for trial in trials)
        asker.equal(errors, counts[group]["n_errors"], f"n_errors of {group!a}")


@holds("scores-groups-apart", records_without_overflow, _FEW)
def _groups_are_separate(asker: Asker, listed: Any) -> None:
    whole = asker.answer(_OP, _input(listed))
    asker.holds(isinstance(whole, Ok), "scores gives an error where a value is expected")
    assert isinstance(whole, Ok)
    for group, trials in _by_group(listed).items():
        kept = Ok({"groups": {name: value for name, value in whole.value["groups"].items() if name == group}})
        asker.alike(
            _OP, asker.answer(_OP, _input(trials)), kept, f"the group {group!a} changes next to others"
        )


@holds("scores-one-error-for-all", lambda source: (records(source), source.below(41)), _FEW)
def _one_error_for_all(asker: Asker, drawn: Any) -> None:
    """An additional group, whose mean is beyond the double range."""
    trials, index = drawn
    used = {trial["group"] for trial in trials}
    huge = next(name for name in (*GROUPS, "huge") if name not in used)
    more = {"group": huge, "task": "t", "attempt": 1, "rewards": {"reward": 10**400}, "exception": None}
    asker.refused(_OP, _input([*trials[:index], more, *trials[index:]]), "OverflowError")


def _one_group(source: Source) -> Trials:
    """The trials of one of several groups."""
    trials = records(source)
    name = trials[0]["group"] if trials else "g"
    return [trial for trial in trials if trial["group"] == name]


@holds("scores-mean-equals-aggregate", _one_group, _FEW)
def _mean_equals_aggregate(asker: Asker, group: Any) -> None:
    if not group:
        return
    expected = asker.answer("aggregate", {"metric": "mean", "rewards": [trial["rewards"] for trial in group]})
    if not isinstance(expected, Ok):
        asker.refused(_OP, _input(group), expected.type)
        return
    mean = _part(asker, group, group[0]["group"], "mean")
    asker.alike("aggregate", expected, mean, "the mean is not what aggregate gives")


@holds(
    "scores-pass-at-k-equals-op",
    lambda source: recorded(source, [("g", attempt) for attempt in binary(source)]),
    _FEW,
)
def _pass_at_k_equals_op(asker: Asker, listed: Any) -> None:
    trials = [{"task": trial["task"], "rewards": trial["rewards"]} for trial in listed]
    expected = asker.answer("pass_at_k", {"trials": trials})
    asker.alike(
        "pass_at_k", expected, _part(asker, listed, "g", "pass_at_k"), "pass@k is not what pass_at_k gives"
    )


@holds(
    "scores-exception-changes-one-count",
    lambda source: (records_without_overflow(source), exception(source)),
    _FEW,
)
def _exception_changes_one_count(asker: Asker, drawn: Any) -> None:
    """Every trial ends in an exception, or none does."""
    trials, failed = drawn
    without = _groups(asker, [{**trial, "exception": None} for trial in trials])
    errored = _groups(asker, [{**trial, "exception": failed} for trial in trials])
    for group, values in without.items():
        asker.equal(0, values["n_errors"], f"n_errors of {group!a} without exceptions")
        if group not in errored:
            asker.holds(False, f"the group {group!a} is missing when all its trials end in an exception")
        asker.equal(values["n"], errored[group]["n_errors"], f"n_errors of {group!a}, all of it errored")
        for member in ("n", "n_scored", "mean", "pass_at_k"):
            asker.equal(values[member], errored[group][member], f"{member} of {group!a}, all of it errored")


@holds("scores-unscored-is-zero", records_without_overflow, _FEW)
def _unscored_is_zero(asker: Asker, listed: Any) -> None:
    """In a group with one key, a trial without rewards has the values of one with 0, except for n_scored."""
    trials = [trial for trial in listed if trial["rewards"] is None or list(trial["rewards"]) == ["reward"]]
    measured = [{**trial, "rewards": trial["rewards"] or {"reward": 0}} for trial in trials]
    bare, filled = _groups(asker, trials), _groups(asker, measured)
    for group, values in filled.items():
        asker.holds(group in bare, f"the group {group!a} is missing when trials lack rewards")
        asker.equal(values["n"], values["n_scored"], f"n_scored of {group!a}, all of it scored")
        for member in ("n", "n_errors", "mean", "pass_at_k"):
            asker.equal(values[member], bare[group][member], f"{member} of {group!a}, some of it unscored")


@holds(
    "scores-errored-trial-more", lambda source: (records_without_overflow(source), exception(source)), _FEW
)
def _additional_errored_trial(asker: Asker, drawn: Any) -> None:
    """An additional trial with an exception and without rewards: the group's total stays the same."""
    trials, failed = drawn
    if not trials:
        return
    last = {**trials[-1], "rewards": None, "exception": failed}
    group = last["group"]
    before, after = _groups(asker, trials)[group], _groups(asker, [*trials, last])[group]
    asker.equal(before["n"] + 1, after["n"], "n with an additional errored trial")
    asker.equal(before["n_errors"] + 1, after["n_errors"], "n_errors with an additional errored trial")
    asker.equal(before["n_scored"], after["n_scored"], "n_scored with an additional errored trial")
    asker.equal(
        list(before["mean"]), list(after["mean"]), "the keys of the mean with an additional errored trial"
    )
    for key, value in after["mean"].items():
        asker.holds(
            abs(value) <= abs(before["mean"][key]),
            f"the mean of {key!a} rises with an additional errored trial",
        )


def _doubled(source: Source) -> Trials:
    """A group whose rewards are multiples of a half, so that every total is exact."""
    graded = [(task, rewards and {"reward": rewards["reward"] / 2}) for task, rewards in binary(source)]
    return recorded(source, [("g", attempt) for attempt in graded])


@holds("scores-repeated-records", _doubled, _FEW)
def _repeated_records(asker: Asker, listed: Any) -> None:
    """Every record is repeated: the counts double and the mean stays the same."""
    once, twice = _groups(asker, listed)["g"], _groups(asker, [*listed, *listed])["g"]
    for member in ("n", "n_scored", "n_errors"):
        asker.equal(2 * once[member], twice[member], f"{member} of every record twice")
    asker.equal(once["mean"], twice["mean"], "the mean of every record twice")


def _two_groups(source: Source) -> tuple[Trials, Trials]:
    first, second = binary(source), binary(source)
    return recorded(source, [("g", row) for row in first]), recorded(source, [("g", row) for row in second])


@holds("scores-group-split", _two_groups, _FEW)
def _group_split(asker: Asker, drawn: Any) -> None:
    """A group's counts are the sums of its two halves' counts."""
    first, second = drawn
    whole = _groups(asker, [*first, *second])["g"]
    separate = _groups(asker, [*first, *({**trial, "group": "h"} for trial in second)])
    for member in ("n", "n_scored", "n_errors"):
        added = sum(values[member] for values in separate.values())
        asker.equal(added, whole[member], f"{member} of two groups together")
