"""Properties of every multi-step trial."""

from typing import Any

from conformance.drawing.numbers import ordinary, tenth
from conformance.drawing.source import Source
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harbor.multi_step.draw import steps, strategy
from conformance.wire.messages import Ok

__all__: list[str] = []

_OP = "multi_step_reward"
_FEW = 30
"""Steps are large, so fewer of them are tried."""
_FREE = frozenset({"/verifier_result/rewards"})
"""Objects whose key order harbor gets from a set."""
_LIMITS = (0, 1, 0.5, 0.1, -0.0, 1.0, "NaN", "-Infinity", "Infinity", 2**53 + 1)


def _limit(source: Source) -> Any:
    return source.pick(_LIMITS)


def _steps(source: Source) -> list[Any]:
    return steps(source, ordinary if source.below(2) else tenth, _limit)


def _strategy_and_steps(source: Source) -> tuple[str | None, list[Any]]:
    return strategy(source), _steps(source)


def _input(method: str | None, listed: list[Any]) -> dict[str, Any]:
    return {"strategy": method, "steps": listed}


def _same(asker: Asker, left: Any, right: Any, why: str) -> None:
    asker.same(_OP, left, right, why, _FREE)


@holds("multi-step-final-is-last-executed", _steps, _FEW)
def _final_is_last_executed(asker: Asker, listed: Any) -> None:
    answer = asker.answer(_OP, _input("final", listed))
    count = asker.ok(_OP, _input("final", listed))["steps_run"]
    asker.holds(0 <= count <= len(listed), f"{count} of {len(listed)} steps ran")
    result = listed[count - 1]["verifier_result"] if count else None
    expected = Ok({"verifier_result": result, "steps_run": count})
    asker.alike(_OP, expected, answer, "not the result of the last step that ran")


@holds("multi-step-strategy-stops-nothing", _steps, _FEW)
def _strategy_stops_nothing(asker: Asker, listed: Any) -> None:
    mean, final = (asker.ok(_OP, _input(method, listed))["steps_run"] for method in ("mean", "final"))
    asker.equal(mean, final, "the number of steps run")


@holds("multi-step-mean-by-default", _steps, _FEW)
def _mean_by_default(asker: Asker, trial: Any) -> None:
    _same(asker, _input("mean", trial), _input(None, trial), "without a strategy the result is not the mean")


@holds("multi-step-nothing-after-the-end", _strategy_and_steps, _FEW)
def _nothing_after_the_end(asker: Asker, drawn: Any) -> None:
    method, listed = drawn
    count = asker.ok(_OP, _input(method, listed))["steps_run"]
    _same(asker, _input(method, listed), _input(method, listed[:count]), "steps that did not run matter")


def _gated(listed: list[Any], gate: Any) -> list[Any]:
    return [{**step, "min_reward": gate} if step["min_reward"] is None else step for step in listed]


@holds("multi-step-minus-infinity-ends-nothing", _strategy_and_steps, _FEW)
def _minus_infinity_ends_nothing(asker: Asker, drawn: Any) -> None:
    method, listed = drawn
    gated = _gated(listed, "-Infinity")
    _same(asker, _input(method, listed), _input(method, gated), "a minimum of -Infinity ends a trial")


@holds("multi-step-no-minimum-ends-nothing", _strategy_and_steps, _FEW)
def _no_minimum_ends_nothing(asker: Asker, drawn: Any) -> None:
    method, listed = drawn
    gated = _gated(listed, {})
    _same(asker, _input(method, listed), _input(method, gated), "an empty object as minimum ends a trial")


@holds("multi-step-nan-ends-nothing", _strategy_and_steps, _FEW)
def _nan_ends_nothing(asker: Asker, drawn: Any) -> None:
    method, listed = drawn
    gated = _gated(listed, {"reward": "NaN"})
    _same(asker, _input(method, listed), _input(method, gated), "a minimum of NaN ends a trial")


@holds(
    "multi-step-number-gates-reward", lambda source: (strategy(source), _steps(source), _limit(source)), _FEW
)
def _number_gates_reward(asker: Asker, drawn: Any) -> None:
    method, listed, limit = drawn
    number, keyed = (_input(method, _gated(listed, gate)) for gate in (limit, {"reward": limit}))
    _same(asker, number, keyed, "a number is not the minimum of the key reward")


def _verified(listed: list[Any]) -> list[Any]:
    return [step["verifier_result"] for step in listed if step["verifier_result"] is not None]


@holds("multi-step-mean-equals-aggregate", _steps, _FEW)
def _mean_equals_aggregate(asker: Asker, listed: Any) -> None:
    answer = asker.ok(_OP, _input("mean", listed))
    executed = _verified(listed[: answer["steps_run"]])
    keys = {key for result in executed for key in result["rewards"] or {}}
    if not keys:
        asker.equal(None, answer["verifier_result"], "the result without any key")
        return
    rewards = [result["rewards"] for result in executed]
    means = asker.ok("aggregate", {"metric": "mean", "rewards": rewards})
    answered = answer["verifier_result"]["rewards"]
    asker.equal(sorted(keys), sorted(answered), "the list of keys")
    for key in keys:
        asker.equal(means["mean" if len(keys) == 1 else key], answered[key], f"the mean of {key!a}")


_idle = {"verifier_result": None, "exception": None, "min_reward": None}


@holds("multi-step-unverified-step-leaves-the-mean", lambda source: (_steps(source), source.below(8)), _FEW)
def _unverified_step_leaves_the_mean(asker: Asker, drawn: Any) -> None:
    listed, index = drawn
    index = min(index, asker.ok(_OP, _input("mean", listed))["steps_run"])
    before = asker.answer(_OP, _input("mean", listed))
    after = asker.answer(_OP, _input("mean", [*listed[:index], _idle, *listed[index:]]))
    if isinstance(before, Ok) and isinstance(after, Ok):
        whole = len(before.value["verifier_result"] or {})
        asker.holds(
            whole == len(after.value["verifier_result"] or {}), "a step that was not verified matters"
        )
        left, right = ({**answer.value, "steps_run": 0} for answer in (before, after))
        asker.alike(_OP, Ok(left), Ok(right), "a step that was not verified matters", _FREE)


@holds("multi-step-null-rewards-are-empty", _steps, _FEW)
def _null_rewards_are_empty(asker: Asker, trial: Any) -> None:
    """For the mean; the strategy final passes the result on unchanged."""
    filled = [
        {
            **step,
            "verifier_result": step["verifier_result"]
            and {"rewards": step["verifier_result"]["rewards"] or {}},
        }
        for step in trial
    ]
    _same(
        asker, _input("mean", trial), _input("mean", filled), "rewards null differ from rewards without a key"
    )
