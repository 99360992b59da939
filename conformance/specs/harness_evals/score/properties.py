"""Properties of every score (004 §1)."""

from typing import Any

from conformance.drawing.source import Source
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harness_evals.answers import read
from conformance.specs.harness_evals.drawn import plain_score, plain_value

__all__: list[str] = []

_SCORE = "harness.score"


def _score(asker: Asker, members: Any) -> Any:
    return read(asker.ok(_SCORE, members))


@holds("harness-score-passed-is-computed", plain_score)
def _passed_is_computed(asker: Asker, score: Any) -> None:
    threshold = float(score["threshold"])
    expected = score["value"] >= threshold
    asker.equal(expected, _score(asker, score)["passed"], f"passed for {score['value']!r} at {threshold!r}")


@holds("harness-score-value-kept", plain_score)
def _value_kept(asker: Asker, members: Any) -> None:
    asker.equal(members["value"], _score(asker, members)["value"], "the value")


_ANY = (2, -1, 1.5, -0.25, 1e308, "NaN", "Infinity", "-Infinity", 10**30)


def _any_value(source: Source) -> Any:
    return plain_value(source) if source.below(2) else source.pick(_ANY)


@holds("harness-score-clamped-in-range", lambda source: (plain_score(source), _any_value(source)))
def _clamped_in_range(asker: Asker, drawn: Any) -> None:
    fields, value = drawn
    clamped = _score(asker, {**fields, "value": value, "clamped": True})["value"]
    asker.holds(isinstance(clamped, int | float) and 0 <= clamped <= 1, f"the clamped value is {clamped!r}")


_OUTSIDE = (1.0000011, -1.1e-6, 1.5, 2, -1, 1e308, -5.0, 10**30, "NaN", "Infinity", "-Infinity")


@holds("harness-score-outside-refused", lambda source: (plain_score(source), source.pick(_OUTSIDE)))
def _outside_refused(asker: Asker, drawn: Any) -> None:
    fields, value = drawn
    asker.refused(_SCORE, {**fields, "value": value}, "ValueError")


_BARELY = (1.000001, 1.0000000000000002, 1.0000009, -1e-6, -1e-7, -5e-324)


@holds("harness-score-barely-outside-moved", lambda source: (plain_score(source), source.pick(_BARELY)))
def _barely_outside_moved(asker: Asker, drawn: Any) -> None:
    fields, value = drawn
    outside, border = ({**fields, "value": moved} for moved in (value, 1.0 if value > 1 else 0.0))
    asker.same(_SCORE, outside, border, f"{value!r} is not moved to the border")


@holds("harness-score-passed-not-given", lambda source: (plain_score(source), bool(source.below(2))))
def _passed_not_given(asker: Asker, drawn: Any) -> None:
    fields, passed = drawn
    asker.refused(_SCORE, {**fields, "passed": passed}, "TypeError")


_ORDER = ("name", "value", "threshold", "passed", "reason", "metadata", "scoring_duration_ms", "created_at")


@holds("harness-score-none-left-out", plain_score)
def _none_left_out(asker: Asker, members: Any) -> None:
    expected = [member for member in _ORDER if member == "passed" or members[member] is not None]
    asker.equal(sorted(expected), sorted(_score(asker, members)), "the list of members")


@holds(
    "harness-score-lower-threshold-never-fails",
    lambda source: (plain_score(source), plain_value(source), plain_value(source)),
)
def _lower_threshold_never_fails(asker: Asker, drawn: Any) -> None:
    fields, *limits = drawn
    low, high = (_score(asker, {**fields, "threshold": limit})["passed"] for limit in sorted(limits))
    asker.holds(low or not high, "a score that passes fails at a lower threshold")
