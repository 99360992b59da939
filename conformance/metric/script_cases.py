"""The situations that a metric script is put into."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from conformance.metric import script_comparing as comparing
from conformance.metric.findings import Case
from conformance.metric.script_asking import Asking
from conformance.metric.script_comparing import Told
from conformance.metric.script_ran import PLAIN, How, Trials

__all__ = ["SCRIPT_CASES", "ScriptCase"]

NAN, INF = float("nan"), float("inf")


@dataclass(frozen=True, slots=True)
class ScriptCase:
    """One situation."""

    case: Case
    tell: Callable[[Asking], Told]
    """Asks the script, and tells what a comparison of its runs brings out."""
    group: str = "ordinary"
    """Whose trouble it is if the script fails: ordinary, long, old, no-trials, shapes, range, odd or
    environment."""
    trials: Callable[[Asking], Trials] | None = None
    """Its only list, where harbor's own way of running is what it is about."""


def _each(*values: float | None) -> Callable[[Asking], Trials]:
    return lambda asking: asking.each(*values)


def _only(asking: Asking, trials: Trials, how: How = PLAIN) -> Told:
    asking.ask(trials, how)
    return iter(())


def _lone(asking: Asking) -> Trials:
    return [{key: 1.0} for key in (asking.keys[0], asking.other())]


def _several(asking: Asking) -> Trials:
    return [{**dict.fromkeys(asking.keys, 1.0), asking.other(): 0.5}] * 2


def _cases() -> Iterator[ScriptCase]:
    def case(name: str, about: str, tell: Callable[[Asking], Told], group: str = "ordinary") -> ScriptCase:
        return ScriptCase(Case(name, about), tell, group)

    def given(
        name: str, about: str, trials: Callable[[Asking], Trials], group: str = "ordinary"
    ) -> ScriptCase:
        return ScriptCase(Case(name, about), lambda asking: _only(asking, trials(asking)), group, trials)

    yield given("one-key", "three trials", _each(1.0, 0.0, 0.5))
    yield given("one-trial", "a single trial", _each(1.0))
    yield given("null-rewards", "trials without rewards among others", _each(1.0, None, 0.5))
    yield given("all-null", "no trial with rewards", _each(None, None))
    yield given("ints", "rewards that are ints", _each(1, 0, 1))
    yield given("tenths", "ten times 0.1", _each(*[0.1] * 10))
    yield case("equal-rewards", "trials with the same rewards, once and twice", comparing.equal_rewards)
    yield case("last-trial", "other rewards in the last and the first of 130 trials", comparing.last_trial)
    yield case("many-trials", "other rewards in the last of 5000 trials", comparing.many_trials)
    yield case(
        "partial-lists",
        "the rewards so far, after each of three trials, as in a job",
        comparing.partial_lists,
    )
    yield case("repeated", "the same rewards 20 times, with several hash seeds", comparing.repeated)
    yield case("nulls-as-zero", "null, left out, and 0 in its place", comparing.nulls_as_zero)
    yield case("another-order", "the trials in two orders", comparing.another_order)
    yield case(
        "long-options",
        "--input-path and --output-path",
        lambda asking: _only(asking, asking.each(1.0, 0.0, 0.5), How(long=True)),
        "long",
    )
    yield case("output-exists", "an output file that is there already", comparing.output_exists, "old")
    yield case(
        "environment", "environment variables set and unset", comparing.environment, group="environment"
    )
    yield given("no-trials", "an empty input file", _each(), "no-trials")
    yield given("several-keys", "one key more", _several, "shapes")
    yield given(
        "missing-keys",
        "trials with a key less than others",
        lambda asking: [*_lone(asking), *asking.each(0.5)],
        "shapes",
    )
    yield given("other-keys", "another key in each trial", _lone, "shapes")
    yield given("no-keys", "rewards without keys", lambda asking: [{}, *asking.each(1.0)], "shapes")
    yield given("non-ascii-keys", "keys beyond ASCII", lambda _: [{"é": 1.0}, {"é": 0.5}], "shapes")
    yield case("beyond-0-and-1", "rewards above 1 and below 0", comparing.beyond_0_and_1, "range")
    yield given("signs", "negative rewards and -0.0", _each(-1.5, -0.0, 0.25), "range")
    yield given("far-apart", "rewards from 1e-300 to 1e15", _each(1e15, 1e-300, 3.5, -1e15), "range")
    yield given("nan", "a reward that is NaN", _each(1.0, NAN), "odd")
    yield given("infinite", "infinite rewards", _each(INF, 1.0, -INF), "odd")
    yield given("huge-int", "an int of 401 digits", _each(10**400, 1), "odd")
    yield given("near-overflow", "rewards whose sum is beyond the doubles", _each(1.7e308, 1.7e308), "odd")


SCRIPT_CASES = {made.case.name: made for made in _cases()}
"""By name."""
