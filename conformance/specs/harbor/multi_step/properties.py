"""What holds of every multi-step trial."""

from typing import Any

from hypothesis import strategies as st

from conformance.drawing.strategies.numbers import ordinary, tenths
from conformance.drawing.strategies.steps import step_lists, strategies
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.wire.messages import Ok

__all__: list[str] = []

_OP = "multi_step_reward"
_FEW = 30
"""Steps are large: fewer of them are tried."""
_FREE = frozenset({"/verifier_result/rewards"})
"""harbor takes the order of these keys from a set."""
_LIMITS = st.sampled_from((0, 1, 0.5, 0.1, -0.0, 1.0, "NaN", "-Infinity", "Infinity", 2**53 + 1))
_lists = step_lists(st.one_of(tenths, ordinary), _LIMITS)


def _input(strategy: str | None, steps: list[Any]) -> dict[str, Any]:
    return {"strategy": strategy, "steps": steps}


def _same(asker: Asker, one: Any, other: Any, why: str) -> None:
    asker.same(_OP, one, other, why, _FREE)


@holds("multi-step-final-is-last-executed", _lists, _FEW)
def _final_is_last_executed(asker: Asker, given: Any) -> None:
    answer = asker.answer(_OP, _input("final", given))
    count = asker.ok(_OP, _input("final", given))["steps_run"]
    asker.holds(0 <= count <= len(given), f"{count} of {len(given)} steps ran")
    result = given[count - 1]["verifier_result"] if count else None
    due = Ok({"verifier_result": result, "steps_run": count})
    asker.alike(_OP, due, answer, "not the result of the last step that ran")


@holds("multi-step-strategy-stops-nothing", _lists, _FEW)
def _strategy_stops_nothing(asker: Asker, given: Any) -> None:
    one, other = (asker.ok(_OP, _input(strategy, given))["steps_run"] for strategy in ("mean", "final"))
    asker.equal(one, other, "the number of steps run")


@holds("multi-step-mean-by-default", _lists, _FEW)
def _mean_by_default(asker: Asker, given: Any) -> None:
    _same(asker, _input("mean", given), _input(None, given), "without a strategy it is not the mean")


@holds("multi-step-nothing-after-the-end", st.tuples(strategies, _lists), _FEW)
def _nothing_after_the_end(asker: Asker, given: Any) -> None:
    strategy, steps = given
    count = asker.ok(_OP, _input(strategy, steps))["steps_run"]
    _same(asker, _input(strategy, steps), _input(strategy, steps[:count]), "steps that did not run matter")


def _gated(steps: list[Any], gate: Any) -> list[Any]:
    return [{**step, "min_reward": gate} if step["min_reward"] is None else step for step in steps]


@holds("multi-step-minus-infinity-ends-nothing", st.tuples(strategies, _lists), _FEW)
def _minus_infinity_ends_nothing(asker: Asker, given: Any) -> None:
    strategy, steps = given
    gated = _gated(steps, "-Infinity")
    _same(asker, _input(strategy, steps), _input(strategy, gated), "a minimum of -Infinity ends a trial")


@holds("multi-step-no-minimum-ends-nothing", st.tuples(strategies, _lists), _FEW)
def _no_minimum_ends_nothing(asker: Asker, given: Any) -> None:
    strategy, steps = given
    gated = _gated(steps, {})
    _same(asker, _input(strategy, steps), _input(strategy, gated), "an empty object as minimum ends a trial")


@holds("multi-step-nan-ends-nothing", st.tuples(strategies, _lists), _FEW)
def _nan_ends_nothing(asker: Asker, given: Any) -> None:
    strategy, steps = given
    gated = _gated(steps, {"reward": "NaN"})
    _same(asker, _input(strategy, steps), _input(strategy, gated), "a minimum of NaN ends a trial")


@holds("multi-step-number-gates-reward", st.tuples(strategies, _lists, _LIMITS), _FEW)
def _number_gates_reward(asker: Asker, given: Any) -> None:
    strategy, steps, limit = given
    one, other = (_input(strategy, _gated(steps, gate)) for gate in (limit, {"reward": limit}))
    _same(asker, one, other, "a number is not the minimum of the key reward")


def _verified(steps: list[Any]) -> list[Any]:
    return [step["verifier_result"] for step in steps if step["verifier_result"] is not None]


@holds("multi-step-mean-equals-aggregate", _lists, _FEW)
def _mean_equals_aggregate(asker: Asker, given: Any) -> None:
    answer = asker.ok(_OP, _input("mean", given))
    executed = _verified(given[: answer["steps_run"]])
    every = {key for result in executed for key in result["rewards"] or {}}
    if not every:
        asker.equal(None, answer["verifier_result"], "the result without any key")
        return
    rewards = [result["rewards"] for result in executed]
    means = asker.ok("aggregate", {"metric": "mean", "rewards": rewards})
    found = answer["verifier_result"]["rewards"]
    asker.equal(sorted(every), sorted(found), "the list of keys")
    for key in every:
        asker.equal(means["mean" if len(every) == 1 else key], found[key], f"the mean of {key!a}")


_idle = {"verifier_result": None, "exception": None, "min_reward": None}


@holds("multi-step-unverified-step-leaves-the-mean", st.tuples(_lists, st.integers(0, 7)), _FEW)
def _unverified_step_leaves_the_mean(asker: Asker, given: Any) -> None:
    steps, place = given
    place = min(place, asker.ok(_OP, _input("mean", steps))["steps_run"])
    before = asker.answer(_OP, _input("mean", steps))
    after = asker.answer(_OP, _input("mean", [*steps[:place], _idle, *steps[place:]]))
    if isinstance(before, Ok) and isinstance(after, Ok):
        whole = len(before.value["verifier_result"] or {})
        asker.holds(
            whole == len(after.value["verifier_result"] or {}), "a step that was not verified matters"
        )
        one, other = ({**each.value, "steps_run": 0} for each in (before, after))
        asker.alike(_OP, Ok(one), Ok(other), "a step that was not verified matters", _FREE)


@holds("multi-step-null-rewards-are-empty", _lists, _FEW)
def _null_rewards_are_empty(asker: Asker, given: Any) -> None:
    """For the mean; the strategy final hands on what there is."""
    filled = [
        {
            **step,
            "verifier_result": step["verifier_result"]
            and {"rewards": step["verifier_result"]["rewards"] or {}},
        }
        for step in given
    ]
    _same(
        asker, _input("mean", given), _input("mean", filled), "rewards null differ from rewards without a key"
    )
