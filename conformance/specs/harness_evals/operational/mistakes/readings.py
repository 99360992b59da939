"""What readers of the document alone understood of the built-in operational metrics."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import operational

in_turn_latency = family("harness.operational", of=operational._turn_latency, clause="004-3-turns")
in_turn_token_cost = family("harness.operational", of=operational._turn_token_cost, clause="004-3-turns")
in_field = family("harness.operational", of=operational._field, clause="004-3-conversion")
in_measure = family("harness.operational", of=operational.measure_operational)
_Field = Callable[[Any, Any, Any], Any]


@way("harness.operational", clause="004-3-conversion")
def whole_amounts(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes amounts of tokens and retries before they are converted."""

    def changed(field: _Field) -> _Field:
        def read(kind: Any, limit: Any, case: Any) -> Any:
            if kind.field in ("token_count", "retry_count"):
                case = replace(case, **{kind.field: change(getattr(case, kind.field))})
            return field(kind, limit, case)

        return read

    reference.wrap(operational._field, changed)


@way("harness.operational", clause="004-3-conversion")
def amounts(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes amounts of all kinds before they are converted."""

    def changed(field: _Field) -> _Field:
        return lambda kind, limit, case: field(
            kind, limit, replace(case, **{kind.field: change(getattr(case, kind.field))})
        )

    reference.wrap(operational._field, changed)


@way("harness.operational", clause="004-3-turns")
def turns(reference: Variant, change: Callable[[str, list[Any]], list[Any]]) -> None:
    """Changes the messages that the metrics of turns look at: ``change`` has the field's name and them."""

    def changed(measure: _Field) -> _Field:
        def scored(kind: Any, limit: Any, case: Any) -> Any:
            messages = change(kind.field, list(case.messages or ()))
            return measure(kind, limit, replace(case, messages=messages))

        return scored

    reference.wrap(operational._turn_latency, changed)
    reference.wrap(operational._turn_token_cost, changed)


@in_turn_latency.wrapped(invited_by="passed / total")
def harness_share_of_turns(measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """Turn latency gives the share of turns within the maximum. Values are normalised to 0 to 1."""
    found = measure(kind, limit, case)
    told = found.metadata
    return (
        found if told is None else replace(found, value=1.0 - told["n_turns_failed"] / told["n_turns_scored"])
    )


@in_turn_latency.wrapped(invited_by="any for all")
def harness_one_quick_turn_is_enough(measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """Turn latency passes where one turn is within the maximum. One of them has to be."""
    found = measure(kind, limit, case)
    told = found.metadata
    some = told is not None and told["n_turns_failed"] < told["n_turns_scored"]
    return replace(found, value=1.0) if some else found


@in_turn_latency.wrapped(invited_by="mean <= maximum")
def harness_mean_turn_latency(reference: Variant, measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """Turn latency looks whether the mean of the turns is within the maximum. Tokens are averaged too."""
    found = measure(kind, limit, case)
    if found.metadata is None:
        return found
    return replace(found, value=1.0 if found.metadata["mean_latency_ms"] <= limit else 0.0)


@in_turn_token_cost.wrapped(invited_by="mean, then the line")
def harness_turn_tokens_averaged_first(
    reference: Variant, measure: _Field, kind: Any, limit: Any, case: Any
) -> Any:
    """The tokens of turns are averaged before they are scored.
    A straight line gives the same up to its end."""
    found = measure(kind, limit, case)
    if found.metadata is None:
        return found
    return replace(
        found, value=reference.its(operational._falling)(found.metadata["mean_token_count"], limit)
    )


@in_turn_token_cost.wrapped(invited_by="all within the maximum")
def harness_turn_tokens_all_within(measure: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """Turn tokens give 1.0 if all turns are within the maximum and else 0.0. Turn latency does so."""
    found = measure(kind, limit, case)
    if found.metadata is None:
        return found
    return replace(found, value=1.0 if max(found.metadata["turn_token_counts"]) <= limit else 0.0)


@turns.made(invited_by="turn.token_count or 0")
def harness_turn_without_data_is_zero(field: str, messages: list[Any]) -> list[Any]:
    """An assistant message without data counts as a turn of 0. A missing amount is taken for none."""
    told = [
        getattr(it, field) is None and not (isinstance(it.metadata, dict) and field in it.metadata)
        for it in messages
    ]
    return [replace(it, **{field: 0}) if none else it for it, none in zip(messages, told, strict=True)]


@turns.made(invited_by="messages[-1]")
def harness_last_turn_alone(reference: Variant, field: str, messages: list[Any]) -> list[Any]:
    """Of the assistant's messages with data only the last counts as turn. The last is the answer."""
    latency_of = reference.its(operational._latency_of)
    told = [
        it
        for it in messages
        if it.role == "assistant"
        and (latency_of(it) if field == "latency_ms" else it.token_count) is not None
    ]
    return [it for it in messages if it not in told[:-1]]


@turns.made(invited_by="lower()")
def harness_roles_in_any_case(field: str, messages: list[Any]) -> list[Any]:
    """Roles of messages are compared without regard to case. Some services write Assistant."""
    return [replace(it, role=it.role.lower()) for it in messages]


@turns.made(invited_by="model, ai, bot")
def harness_all_but_users_are_turns(field: str, messages: list[Any]) -> list[Any]:
    """Messages of every role but the user's are turns. What the user didn't write the assistant did."""
    return [it if it.role == "user" else replace(it, role="assistant") for it in messages]


@turns.made(invited_by="typed fields alone")
def harness_turn_metadata_unread(field: str, messages: list[Any]) -> list[Any]:
    """A message's metadata are not looked at for a turn's latency. Typed fields hold the data."""
    return [replace(it, metadata=None) for it in messages]


@turns.made(invited_by="one helper for both")
def harness_turn_tokens_from_metadata(field: str, messages: list[Any]) -> list[Any]:
    """A turn's tokens are looked for in the message's metadata too. Its latency is."""
    return [
        replace(it, token_count=it.metadata.get("token_count"))
        if it.token_count is None and isinstance(it.metadata, dict)
        else it
        for it in messages
    ]


@turns.made(invited_by="metadata first")
def harness_turn_metadata_first(field: str, messages: list[Any]) -> list[Any]:
    """A latency in a message's metadata is preferred to the message's own. Metadata are more precise."""
    told = [isinstance(it.metadata, dict) and it.metadata.get("latency_ms") is not None for it in messages]
    return [replace(it, latency_ms=None) if one else it for it, one in zip(messages, told, strict=True)]


@whole_amounts.made(invited_by="Math.round, round()")
def harness_amounts_rounded(given: Any) -> Any:
    """Tokens and retries with a fraction are rounded, not cut. The nearest int is the best."""
    return round(given) if isinstance(given, float) and math.isfinite(given) else given


@whole_amounts.made(invited_by="Math.floor, //")
def harness_amounts_rounded_down(given: Any) -> Any:
    """Tokens and retries with a fraction are rounded down, so -0.5 is negative.
    Cutting is taken for floor."""
    return math.floor(given) if isinstance(given, float) and math.isfinite(given) else given


@whole_amounts.made(invited_by="int(float(text)), parseInt")
def harness_fraction_texts_cut(given: Any) -> Any:
    """A text that spells a fraction is taken for tokens or retries, and cut. A number with a fraction is."""
    if not isinstance(given, str):
        return given
    try:
        int(given)
    except ValueError:
        return float(given)
    return given


@whole_amounts.made(invited_by="strict integers")
def harness_fractions_refused(given: Any) -> Any:
    """Tokens or retries with a fraction are refused. They count things."""
    if isinstance(given, float) and not given.is_integer():
        raise ValueError("a fraction")
    return given


@amounts.made(invited_by="Rust's parse, strconv of Go")
def harness_amount_texts_with_blanks_refused(given: Any) -> Any:
    """A text with white space around its number is refused for an amount. Most parsers refuse it."""
    if isinstance(given, str) and given != given.strip():
        raise ValueError("white space")
    return given


@amounts.made(invited_by="Rust, Go, JavaScript")
def harness_amount_texts_with_underscores_refused(given: Any) -> Any:
    """A text with underscores between digits is refused for an amount. Most parsers refuse it."""
    if isinstance(given, str) and "_" in given:
        raise ValueError("an underscore")
    return given


@amounts.made(invited_by="ASCII digits")
def harness_amount_texts_ascii_only(given: Any) -> Any:
    """A text with digits beyond ASCII is refused for an amount. Most parsers refuse them."""
    if isinstance(given, str) and not given.strip().isascii():
        raise ValueError("digits beyond ASCII")
    return given


@amounts.made(invited_by="strict types")
def harness_amount_bools_refused(given: Any) -> Any:
    """A bool is refused for an amount. A bool is no number in most languages."""
    if isinstance(given, bool):
        raise TypeError("a bool")
    return given


@in_measure.wrapped(clause="004-3-limit-positive", invited_by="checks in measure")
def harness_limit_checked_late(
    measure: Callable[..., Any], name: str, case: Any, maximum: Any, threshold: Any
) -> Any:
    """A maximum of 0 or less is refused only where there is an amount to measure. It is looked at there."""
    if maximum is not None and maximum <= 0:
        made = measure(name, case, None, threshold)
        if made[0].metadata is None:
            return made
    return measure(name, case, maximum, threshold)


@in_measure.wrapped(clause="004-3-limit-positive", invited_by="is_finite")
def harness_limit_infinite_refused(
    measure: Callable[..., Any], name: str, case: Any, maximum: Any, threshold: Any
) -> Any:
    """An infinite maximum is refused. A limit is thought to be finite."""
    if maximum == math.inf:
        raise ValueError("an infinite maximum")
    return measure(name, case, maximum, threshold)


@in_measure.wrapped(clause="004-3-limit-positive", invited_by="not maximum > 0")
def harness_limit_nan_refused(
    measure: Callable[..., Any], name: str, case: Any, maximum: Any, threshold: Any
) -> Any:
    """A maximum that is NaN is refused. It is not above 0."""
    if isinstance(maximum, float) and math.isnan(maximum):
        raise ValueError("a maximum that is NaN")
    return measure(name, case, maximum, threshold)


@in_measure.wrapped(clause="004-3-limit-positive", invited_by="maximum or 5000")
def harness_limit_zero_is_default(
    measure: Callable[..., Any], name: str, case: Any, maximum: Any, threshold: Any
) -> Any:
    """A maximum of 0 counts as left out. 0 counts as false."""
    return measure(name, case, maximum or None, threshold)


@in_measure.wrapped(clause="004-1-threshold-default", invited_by="threshold or 1.0")
def harness_operational_threshold_zero_is_default(
    measure: Callable[..., Any], name: str, case: Any, maximum: Any, threshold: Any
) -> Any:
    """A threshold of 0 counts as left out for a built-in operational metric. 0 counts as false."""
    return measure(name, case, maximum, threshold or None)


@in_measure.wrapped(clause="004-1-threshold-default", invited_by="the document's 0.5")
def harness_operational_thresholds_half(
    measure: Callable[..., Any], name: str, case: Any, maximum: Any, threshold: Any
) -> Any:
    """All built-in operational metrics have the default threshold 0.5. The operational template has it."""
    return measure(name, case, maximum, 0.5 if threshold is None else threshold)


@in_field.wrapped(clause="004-8-normalised", invited_by="raw values in metadata")
def harness_raw_amounts_in_metadata(field: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """Metadata of built-in metrics hold amounts as given, not as converted. Raw values belong there."""
    found = field(kind, limit, case)
    if found.metadata is None:
        return found
    return replace(found, metadata={**found.metadata, kind.field: getattr(case, kind.field)})


@in_field.wrapped(clause="004-3-falling", invited_by="one rule for all")
def harness_whole_metrics_at_or_beyond(
    reference: Variant, field: _Field, kind: Any, limit: Any, case: Any
) -> Any:
    """Tokens and retries are 1.0 up to the maximum and 0.0 above, as latency is.
    One rule seems to hold for all."""
    found = field(kind, limit, case)
    if found.metadata is None or kind.field not in ("token_count", "retry_count"):
        return found
    return replace(found, value=1.0 if found.metadata[kind.field] <= limit else 0.0)
