"""What a runner does between its input and its answer is named by the function of the reference concerned."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from conformance.diagnosis.diagnose import diagnose
from conformance.diagnosis.experiments import _sides_with
from conformance.diagnosis.scratch import scratch
from conformance.diagnosis.within import inner_changes
from conformance.judging.comparison import Level
from conformance.mistakes.variant import Variant
from conformance.registry.ops import OPS
from reference_impl import errors, multi_step, reward
from reference_impl.pass_at_k import eligible_k_values, pass_at_k_for_task
from reference_impl.reason_code import reason_code
from tests.diagnosis import runs

Around = Callable[[Callable[..., Any]], Callable[..., Any]]


def rounded_for_each_task(reference: Variant) -> None:
    reference.wrap(pass_at_k_for_task, lambda it: lambda n, c, k: round(it(n, c, k), 10))


def broken_json_is_null(reference: Variant) -> None:
    def around(parse: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        def lenient(content: bytes) -> Any:
            try:
                return parse(content)
            except Exception:
                return None

        return lenient

    reference.wrap(reward._parse_reward_json, around)


def outside_the_range_is_malformed(reference: Variant) -> None:
    error = reference.its(errors.VerifierOutputParseError)

    def around(parse: Callable[..., Any]) -> Callable[..., Any]:
        def strict(files: Any) -> Any:
            rewards = parse(files)
            if rewards and not all(0 <= one <= 1 for one in rewards.values()):
                raise error("reward.json", "JSON")
            return rewards

        return strict

    reference.wrap(reward.parse_reward, around)


def overall_added(reference: Variant) -> None:
    def around(select: Callable[..., Any]) -> Callable[..., Any]:
        def selected(*given: Any) -> Any:
            result = select(*given)
            if result is None or not result.rewards:
                return result
            mean = sum(result.rewards.values()) / len(result.rewards)
            return type(result)({**result.rewards, "overall": mean})

        return selected

    reference.wrap(multi_step.select_reward, around)


def no_rule_for_connections(reference: Variant) -> None:
    def around(code: Callable[..., Any]) -> Callable[..., Any]:
        def hidden(text: str | None) -> str | None:
            found = code(text and re.sub("(?i)connection", "zqxjkv", text))
            return found and found.replace("zqxjkv", "connection")

        return hidden

    reference.wrap(reason_code, around)


def own_list(reference: Variant) -> None:
    reference.replace(eligible_k_values, lambda most: [k for k in (2, 3, 8) if k <= most])


@pytest.mark.parametrize(
    ("op", "change", "words"),
    [
        ("reason_code", no_rule_for_connections, "there is no rule for harbor_broker_connection_failed in"),
        (
            "pass_at_k",
            own_list,
            "` (reference_impl/pass_at_k.py) returns 2, 3, 8, up to the `min_trials_per_task`",
        ),
        ("pass_at_k", rounded_for_each_task, "rounded to 10 digits in the result of `pass_at_k_for_task`"),
        ("parse_reward", broken_json_is_null, "an error in `_parse_reward_json` (reference_impl/reward.py)"),
        ("parse_reward", outside_the_range_is_malformed, "Error where a value in the"),
        ("multi_step_reward", overall_added, "a member `overall` is added (the mean of the others)"),
    ],
)
def test_what_is_done_in_between_is_named(op: str, change: Callable[[Variant], None], words: str) -> None:
    reference = Variant()
    change(reference)
    diagnosis = diagnose(runs.evidence_of(reference.answer, runs.of_ops(op)), Level.BYTES)
    assert words in diagnosis.lines[0].says
    assert len(diagnosis.lines[0].keys) >= 0.9 * diagnosis.total


def test_no_change_within_the_reference_runs_for_ever() -> None:
    for op in ("pass_at_k", "read_outcome"):
        inputs = [vector.input for vector in runs.of_ops(op)[::40]]
        for one in inner_changes(scratch(), OPS[op], inputs, ()):
            copy = scratch()
            copy.make(one.made)
            for given in inputs:
                copy.answer(op, given)


def test_an_answer_of_another_kind_refutes_nothing() -> None:
    """Another error says nothing of the places that a change concerns."""
    without, with_it = {"/a": "1"}, {"/a": "1", "/b": "2"}
    assert _sides_with({"/a": "1"}, without, with_it)
    assert not _sides_with({"": "error"}, without, with_it)
