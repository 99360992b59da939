"""Mistakes in the types of what result.json holds: a schema's, JavaScript's, or none at all."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.variant import Variant
from reference_impl import outcome

Convert = Callable[[Any], Any]
in_outcome = family("outcome")
in_count = family("outcome", of=outcome._count, clause="003-5-counter-conversion")
in_number = family("outcome", of=outcome._number, clause="003-5-sample-float")


@in_count.wrapped(invited_by="structs, dataclasses with types, zod, `u64` in serde, encoding/json")
def counts_must_be_ints(count: Convert, value: Any) -> Any:
    """A count that is neither an int nor null makes the result malformed. A schema says that it is an int."""
    if value is not None and type(value) is not int:
        raise TypeError("a count is no int")
    return count(value)


@in_count.wrapped(invited_by="isinstance(value, int), typeof, optional numbers with a default")
def other_counts_are_zero(count: Convert, value: Any) -> Any:
    """A count that is no number is 0. Only numbers are taken."""
    return int(value) if isinstance(value, int | float) else 0


@in_number.wrapped(invited_by="structs, dataclasses with types, zod, serde, encoding/json")
def samples_must_be_numbers(number: Convert, value: Any) -> Any:
    """A text or a truth value as a sample makes the result malformed. A schema says that it is a number."""
    if isinstance(value, str | bool):
        raise TypeError("a sample is no number")
    return number(value)


@in_number.wrapped(
    clause="003-5-null-metric", invited_by="`value or 0`, `?? 0`, Number(null), zero values of Go's structs"
)
def null_sample_as_zero(number: Convert, value: Any) -> Any:
    """A null sample is 0.0, where the result is malformed. A default fills the gap."""
    return number(0 if value is None else value)


@in_outcome.changed(clause="003-5-object-due", invited_by="`or {}`, `?? {}`, `?.`, zero values of structs")
def result_nulls_as_empty(reference: Variant) -> None:
    """Where an object or a list of metrics is due, null counts as an empty one.
    Absent and null are treated alike."""
    reference.wrap(outcome._object, lambda due: lambda value: due({} if value is None else value))
    reference.wrap(outcome._entries, lambda due: lambda value: due([] if value is None else value))
