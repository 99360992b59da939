"""Mistakes in the built-in metrics of harness-evals that read fields of a case."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

_FIELD = "harness_evals.operational._field"
_Field = Callable[[Any, Any, Any], Any]


def _given(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes the field before it is looked at."""

    def changed(field: _Field) -> _Field:
        def read(kind: Any, limit: Any, case: Any) -> Any:
            return field(kind, limit, replace(case, **{kind.field: change(getattr(case, kind.field))}))

        return read

    reference.wrap(_FIELD, changed)


@mistake(
    "harness-missing-field-is-zero",
    says="a missing field counts as 0, and so as perfect",
    op="harness.operational",
    clause="004-8-missing-data",
    why="A missing count is taken for none.",
    invited_by="case.latency_ms or 0",
)
def _(reference: Variant) -> None:
    _given(reference, lambda given: 0 if given is None else given)


@mistake(
    "harness-zero-field-is-missing",
    says="a field of 0 counts as missing",
    op="harness.operational",
    clause="004-8-missing-data",
    why="0 counts as false.",
    invited_by="if not case.latency_ms",
)
def _(reference: Variant) -> None:
    _given(reference, lambda given: given or None)


@mistake(
    "harness-negative-field-is-perfect",
    says="a negative amount scores 1.0",
    op="harness.operational",
    clause="004-3-negative",
    why="It is below any maximum.",
    invited_by="amounts clamped at 0",
)
def _(reference: Variant) -> None:
    _given(reference, lambda given: 0 if type(given) in (int, float) and given < 0 else given)


@mistake(
    "harness-missing-field-raises",
    says="a missing field raises",
    op="harness.operational",
    clause="004-8-missing-data",
    why="Arithmetic with nothing does.",
    invited_by="no test for None",
)
def _(reference: Variant) -> None:
    def demanded(field: _Field) -> _Field:
        def read(kind: Any, limit: Any, case: Any) -> Any:
            if getattr(case, kind.field) is None:
                raise TypeError("the field is missing")
            return field(kind, limit, case)

        return read

    reference.wrap(_FIELD, demanded)


@mistake(
    "harness-latency-falls",
    says="latency falls in a straight line to 0.0 at the maximum",
    op="harness.operational",
    clause="004-3-latency",
    why="The document's template computes it so.",
    invited_by="the document's template",
)
def _(reference: Variant) -> None:
    reference.replace(
        "harness_evals.operational._within", reference.get("harness_evals.operational._falling")
    )


@mistake(
    "harness-maximum-exclusive",
    says="a latency at the maximum fails",
    op="harness.operational",
    clause="004-3-latency",
    why="Limits are often to be stayed under.",
    invited_by="< for <=",
)
def _(reference: Variant) -> None:
    reference.replace(
        "harness_evals.operational._within", lambda amount, limit: 1.0 if amount < limit else 0.0
    )


@mistake(
    "harness-falling-by-difference",
    says="falling metrics compute (maximum - amount) / maximum",
    op="harness.operational",
    clause="004-3-falling",
    why="It is the same on paper.",
    invited_by="algebra",
)
def _(reference: Variant) -> None:
    def falling(amount: Any, limit: Any) -> float:
        value = (limit - amount) / limit
        return value if value > 0.0 else 0.0

    reference.replace("harness_evals.operational._falling", falling)


@mistake(
    "harness-falling-unbounded",
    says="a falling metric beyond its maximum is negative, which its score refuses",
    op="harness.operational",
    clause="004-3-falling",
    why="The straight line goes on.",
    invited_by="1 - amount / maximum",
)
def _(reference: Variant) -> None:
    reference.replace("harness_evals.operational._falling", lambda amount, limit: 1.0 - amount / limit)


@mistake(
    "harness-texts-in-fields-refused",
    says="a field that is a text is refused",
    op="harness.operational",
    clause="004-3-conversion",
    why="A number is due.",
    invited_by="strict types",
)
def _(reference: Variant) -> None:
    def refused(given: Any) -> Any:
        if isinstance(given, str):
            raise TypeError("a text is no number")
        return given

    _given(reference, refused)


@mistake(
    "harness-every-role-scored",
    says="turns of every role are scored, not the assistant's alone",
    op="harness.operational",
    clause="004-3-turns",
    why="A conversation is all of its messages.",
    invited_by="no filter by role",
)
def _(reference: Variant) -> None:
    def every(measure: _Field) -> _Field:
        def scored(kind: Any, limit: Any, case: Any) -> Any:
            messages = [replace(message, role="assistant") for message in case.messages or ()]
            return measure(kind, limit, replace(case, messages=messages))

        return scored

    for turns in ("_turn_latency", "_turn_token_cost"):
        reference.wrap(f"harness_evals.operational.{turns}", every)
