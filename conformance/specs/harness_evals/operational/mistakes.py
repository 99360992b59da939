"""Mistakes in the built-in metrics of harness-evals that read a case's fields."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import operational

mistakes = family("harness.operational")
in_falling = family("harness.operational", of=operational._falling, clause="004-3-falling")
_Field = Callable[[Any, Any, Any], Any]


@way("harness.operational", clause="004-8-missing-data")
def changed_field(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes the field before it is used."""

    def changed(field: _Field) -> _Field:
        def read(kind: Any, limit: Any, case: Any) -> Any:
            return field(kind, limit, replace(case, **{kind.field: change(getattr(case, kind.field))}))

        return read

    reference.wrap(operational._field, changed)


@changed_field.made(invited_by="case.latency_ms or 0")
def harness_missing_field_is_zero(given: Any) -> Any:
    """A missing field counts as 0, and so as perfect. A missing count seems to mean none."""
    return 0 if given is None else given


@changed_field.made(invited_by="if not case.latency_ms")
def harness_zero_field_is_missing(given: Any) -> Any:
    """A field of 0 counts as missing. 0 is falsy."""
    return given or None


@changed_field.made(clause="004-3-negative", invited_by="amounts clamped at 0")
def harness_negative_field_is_perfect(given: Any) -> Any:
    """A negative amount scores 1.0. It is below any maximum."""
    return 0 if type(given) in (int, float) and given < 0 else given


@in_falling.replaced(invited_by="1 - amount / maximum")
def harness_falling_unbounded(amount: Any, limit: Any) -> Any:
    """A falling metric beyond its maximum is negative, which its score refuses.
    The straight line continues."""
    return 1.0 - amount / limit


@mistakes.changed(clause="004-3-turns", invited_by="no filter by role")
def harness_every_role_scored(reference: Variant) -> None:
    """Turns of every role are scored, not just the assistant's.
    A conversation consists of all of its messages."""

    def every(measure: _Field) -> _Field:
        def scored(kind: Any, limit: Any, case: Any) -> Any:
            messages = [replace(message, role="assistant") for message in case.messages or ()]
            return measure(kind, limit, replace(case, messages=messages))

        return scored

    reference.wrap(operational._turn_latency, every)
    reference.wrap(operational._turn_token_cost, every)
