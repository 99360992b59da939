"""Mistakes in the types of result.json's values: a schema's, JavaScript's, or none at all."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.other_numbers import from_javascript
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
        raise TypeError("a count is not an int")
    return count(value)


@in_outcome.changed(clause="003-5-object-due", invited_by="`or {}`, `?? {}`, `?.`, zero values of structs")
def result_nulls_as_empty(reference: Variant) -> None:
    """Null counts as an empty object, or as an empty list of metrics, wherever harbor expects one.
    Absent and null are treated alike."""
    reference.wrap(outcome._object, lambda read: lambda value: read({} if value is None else value))
    reference.wrap(outcome._entries, lambda read: lambda value: read([] if value is None else value))


@in_count.replaced(invited_by="data.get('n_total_trials', 0), languages without types")
def counts_not_converted(value: Any) -> Any:
    """Counts are taken as they are: true, 2.5 and [1] stay what they are. In practice they are ints."""
    return 0 if value is None else value


def _by_javascript(value: Any) -> Any:
    """Converts a text, a list or null like JavaScript's Number(); returns other values unchanged."""
    if isinstance(value, list) and len(value) <= 1:
        value = "" if value in ([], [None]) else value[0]
    return from_javascript(value) if isinstance(value, str) else 0 if value is None else value


@in_number.wrapped(invited_by="JavaScript, TypeScript")
def samples_by_javascript(number: Convert, value: Any) -> Any:
    """Samples are converted by JavaScript's Number: null, '' and [] are 0, 0x10 is 16.
    It is the language's conversion."""
    return number(_by_javascript(value))


@in_count.wrapped(invited_by="JavaScript's Math.trunc(Number(value || 0))")
def counts_by_javascript(count: Convert, value: Any) -> Any:
    """Counts are converted by JavaScript's Number: "1.0" and [1] are 1, " " is 0.
    It is the language's conversion."""
    return count(_by_javascript(value))


def _absent_if(reference: Variant, is_absent: Callable[[Any], bool]) -> None:
    """Leaves out stats, evals and metrics where their value counts as absent."""

    def without(members: Any, name: str) -> Any:
        there = isinstance(members, dict) and name in members
        left_out = there and is_absent(members[name])
        return {key: value for key, value in members.items() if key != name} if left_out else members

    def values(read: Convert) -> Convert:
        return lambda groups: read({key: without(group, "metrics") for key, group in groups.items()})

    reference.wrap(outcome._stats, lambda read: lambda job: without(read(without(job, "stats")), "evals"))
    reference.wrap(outcome._metric_values, values)


@in_outcome.changed(clause="003-5-stats-absent", invited_by="`.get('stats') or {}`, `data.stats ?? {}`")
def null_members_as_absent(reference: Variant) -> None:
    """If stats, evals or metrics is null, it counts as absent. One default serves both."""
    _absent_if(reference, lambda value: value is None)


@in_outcome.changed(clause="003-5-stats-absent", invited_by="`.get('stats') or {}`, `data.stats || {}`")
def falsy_members_as_absent(reference: Variant) -> None:
    """If stats, evals or metrics is null, false, 0 or empty, it counts as absent.
    One default serves all of them."""
    _absent_if(reference, lambda value: not value)


@in_outcome.changed(clause="003-5-flat-mean", invited_by="min(max(score, 0), 1)")
def score_clamped(reference: Variant) -> None:
    """The score is clamped to the range from 0 to 1 before resolved is computed.
    A score is a share of the tasks."""
    reference.wrap(outcome._score, lambda score: lambda stats: min(max(score(stats), 0.0), 1.0))
