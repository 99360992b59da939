"""What readers of the document alone understood of the built-in operational metrics."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import operational

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
