"""Properties of step names since harbor 0.23.0."""

from typing import Any

from conformance.drawing.source import Source
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harbor.multi_step.draw import INPUTS

__all__: list[str] = []

_OP = "multi_step_reward"


def _trial(source: Source) -> dict[str, Any]:
    trial: dict[str, Any] = INPUTS[_OP](source)
    return trial


def _named(trial: dict[str, Any], names: list[str]) -> dict[str, Any]:
    steps = [{**step, "name": name} for step, name in zip(trial["steps"], names, strict=True)]
    return {**trial, "steps": steps}


@holds("multi-step-good-names-change-nothing", _trial)
def _valid_names_have_no_effect(asker: Asker, trial: Any) -> None:
    names = [f"step {index}" for index, _ in enumerate(trial["steps"])]
    asker.same(_OP, trial, _named(trial, names), "a good name matters")


@holds(
    "multi-step-a-name-comes-once", lambda source: (source.pick(("a", "Build", "é", "ß")), source.below(2))
)
def _names_are_unique(asker: Asker, drawn: Any) -> None:
    name, folded = drawn
    step = {"verifier_result": None, "exception": None, "min_reward": None}
    names = [name, "other", name.casefold() if folded else name]
    asker.refused(_OP, _named({"strategy": None, "steps": [step] * 3}, names), "ValidationError")
