"""What readers of the document alone understood of the built-in metrics' defaults and of odd amounts."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import operational

in_measure = family("harness.operational", of=operational.measure_operational)
in_field = family("harness.operational", of=operational._field, clause="004-3-negative")
_Field = Callable[[Any, Any, Any], Any]
_Measure = Callable[..., Any]


@way("harness.operational", clause="004-3-latency")
def default_maxima(reference: Variant, maximum: Callable[[str], float | None]) -> None:
    """Changes default maxima, None for those that stay."""

    def changed(measure: _Measure) -> _Measure:
        return lambda name, case, limit, threshold: measure(
            name, case, maximum(name) if limit is None else limit, threshold
        )

    reference.wrap(operational.measure_operational, changed)


@default_maxima.made(invited_by="one default for both")
def harness_turn_maxima_of_case(name: str) -> float | None:
    """Metrics of turns have the default maximum of the whole case's metric. They measure the same."""
    return {"turn_latency": 5000, "turn_token_cost": 10000}.get(name)


@default_maxima.made(invited_by="the document's max_value: float = 100")
def harness_maxima_of_template(name: str) -> float | None:
    """Built-in metrics of latency have the default maximum 100. The document's template has it."""
    return 100 if name in ("latency", "turn_latency") else None


@default_maxima.made(invited_by="3 retries")
def harness_three_retries(name: str) -> float | None:
    """The default maximum of retries is 3. Three is what most tools retry."""
    return 3 if name == "retry_count" else None


@default_maxima.made(invited_by="a dollar")
def harness_one_dollar(name: str) -> float | None:
    """The default maximum of cost is 1.0. One is the natural unit."""
    return 1.0 if name == "cost_efficiency" else None


@in_measure.wrapped(clause="004-1-threshold-default", invited_by="the base class's default")
def harness_operational_thresholds_one(
    measure: _Measure, name: str, case: Any, maximum: Any, threshold: Any
) -> Any:
    """All built-in operational metrics have the default threshold 1.0. Every base class has it."""
    return measure(name, case, maximum, 1.0 if threshold is None else threshold)


@in_measure.wrapped(clause="004-1-threshold-default", invited_by="the document's 0.5")
def harness_turn_latency_threshold_half(
    measure: _Measure, name: str, case: Any, maximum: Any, threshold: Any
) -> Any:
    """The latency of turns has the default threshold 0.5. That of their tokens is."""
    half = threshold is None and name == "turn_latency"
    return measure(name, case, maximum, 0.5 if half else threshold)


@in_field.wrapped(invited_by="metadata in every branch")
def harness_negative_with_metadata(field: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """A negative amount is told in the metadata. Raw values belong there."""
    found = field(kind, limit, case)
    if found.metadata is not None or found.missing is not None:
        return found
    amount = kind.convert(getattr(case, kind.field))
    return replace(found, metadata={kind.field: amount, kind.limit_name: limit})


@in_field.wrapped(invited_by="a negative amount as no amount")
def harness_negative_is_missing(field: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """The reason of a negative amount names the field as missing.
    What is negative is taken for not measured."""
    found = field(kind, limit, case)
    return replace(found, missing=kind.field) if found.metadata is None else found


@in_field.wrapped(invited_by="if amount <= 0")
def harness_zero_amount_fails(field: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """An amount of 0 is treated as a negative one. Nothing costs nothing."""
    found = field(kind, limit, case)
    if found.metadata is not None and found.metadata[kind.field] == 0:
        return replace(found, value=0.0, metadata=None)
    return found


@in_field.wrapped(clause="004-8-missing-data", invited_by="metadata in every branch")
def harness_missing_with_metadata(field: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """A missing amount leaves the maximum in the metadata. It is known."""
    found = field(kind, limit, case)
    return found if found.missing is None else replace(found, metadata={kind.limit_name: limit})


@in_field.wrapped(clause="004-8-normalised", invited_by="typed fields")
def harness_limit_as_float(field: _Field, kind: Any, limit: Any, case: Any) -> Any:
    """Metadata of built-in metrics hold the maximum as a float. It is declared as one."""
    found = field(kind, limit, case)
    if found.metadata is None:
        return found
    return replace(found, metadata={**found.metadata, kind.limit_name: float(limit)})
