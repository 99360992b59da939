"""Mistakes in what a score of harness-evals makes of its value and threshold."""

import math
from collections.abc import Callable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

_MADE = "harness_evals.score.Score.__post_init__"


def _passing(reference: Variant, passes: Callable[[Any, Any], bool]) -> None:
    """Changes when a score passes, by its value and threshold."""
    made = reference.get(_MADE)

    def judged(score: Any) -> None:
        made(score)
        score.passed = bool(passes(score.value, score.threshold))

    reference.replace(_MADE, judged)


def _before(reference: Variant, change: Callable[[Any], None]) -> None:
    """Changes a score before its value is looked at."""
    made = reference.get(_MADE)

    def changed(score: Any) -> None:
        change(score)
        made(score)

    reference.replace(_MADE, changed)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


@mistake(
    "harness-threshold-exclusive",
    says="a score passes only above its threshold",
    op="harness.score",
    clause="004-1-passed-computed",
    why="Thresholds are often to be exceeded.",
    invited_by="> for >=",
)
def _(reference: Variant) -> None:
    _passing(reference, lambda value, threshold: value > threshold)


@mistake(
    "harness-threshold-with-tolerance",
    says="a score passes that is nearly at its threshold",
    op="harness.score",
    clause="004-1-passed-computed",
    why="Floats are thought to be compared with a tolerance.",
    invited_by="math.isclose, pytest.approx",
)
def _(reference: Variant) -> None:
    _passing(reference, lambda value, threshold: value >= threshold or math.isclose(value, threshold))


@mistake(
    "harness-nan-threshold-passes",
    says="a score passes where its threshold is NaN",
    op="harness.score",
    clause="004-1-threshold-unbounded",
    why="A value is not below a NaN either.",
    invited_by="not value < threshold",
)
def _(reference: Variant) -> None:
    _passing(reference, lambda value, threshold: not value < threshold)


@mistake(
    "harness-zero-never-passes",
    says="a score of 0 fails whatever its threshold",
    op="harness.score",
    clause="004-8-failing-score",
    why="A failing score is thought to fail.",
    invited_by="value and value >= threshold",
)
def _(reference: Variant) -> None:
    _passing(reference, lambda value, threshold: value and value >= threshold)


@mistake(
    "harness-no-tolerance",
    says="a value barely outside of 0 to 1 is refused",
    op="harness.score",
    clause="004-1-tolerance",
    why="The document names no tolerance.",
    invited_by="the document as it reads",
)
def _(reference: Variant) -> None:
    reference.replace_use("harness_evals.score.TOLERANCE", 0.0)


@mistake(
    "harness-wide-tolerance",
    says="a value up to 1e-5 outside of 0 to 1 is moved to the border",
    op="harness.score",
    clause="004-1-tolerance",
    why="The tolerance is in no text, and any small number looks right.",
    invited_by="np.allclose, guesses",
)
def _(reference: Variant) -> None:
    reference.replace_use("harness_evals.score.TOLERANCE", 1e-5)


@mistake(
    "harness-out-of-range-clamped",
    says="a value outside of 0 to 1 is clamped, not refused",
    op="harness.score",
    clause="004-1-value-in-range",
    why="A score is always in range then.",
    invited_by="np.clip, min and max",
)
def _(reference: Variant) -> None:
    clamp = reference.get("harness_evals.score.clamp")

    def clamped(score: Any) -> None:
        if _is_number(score.value) and score.value == score.value and not 0.0 <= score.value <= 1.0:
            score.value = clamp(score.value)

    _before(reference, clamped)


@mistake(
    "harness-nan-value-accepted",
    says="a value that is NaN is accepted",
    op="harness.score",
    clause="004-1-value-nan",
    why="A NaN is neither below 0 nor above 1.",
    invited_by="value < 0 or value > 1",
)
def _(reference: Variant) -> None:
    made = reference.get(_MADE)

    def unless_nan(score: Any) -> None:
        value = score.value
        if isinstance(value, float) and math.isnan(value):
            score.value = 0.0
            made(score)
            score.value, score.passed = value, False
        else:
            made(score)

    reference.replace(_MADE, unless_nan)


@mistake(
    "harness-passed-before-moved",
    says="passed is computed before a value barely outside is moved to the border",
    op="harness.score",
    clause="004-1-passed-computed",
    why="The comparison stands above the tidying.",
    invited_by="validators that run after the fields are set",
)
def _(reference: Variant) -> None:
    made = reference.get(_MADE)

    def judged_first(score: Any) -> None:
        given = score.value
        made(score)
        score.passed = bool(given >= score.threshold)

    reference.replace(_MADE, judged_first)


@mistake(
    "harness-values-as-floats",
    says="a value is converted to a float",
    op="harness.score",
    clause="004-1-value-as-given",
    why="It is declared as one.",
    invited_by="float(value), typed fields",
)
def _(reference: Variant) -> None:
    made = reference.get(_MADE)

    def as_float(score: Any) -> None:
        made(score)
        score.value = float(score.value)

    reference.replace(_MADE, as_float)


@mistake(
    "harness-bool-values-refused",
    says="a value that is a bool is refused",
    op="harness.score",
    clause="004-1-value-number",
    why="A bool is no number in most languages.",
    invited_by="strict types",
)
def _(reference: Variant) -> None:
    def refuse_bools(score: Any) -> None:
        if isinstance(score.value, bool):
            raise TypeError("a bool")

    _before(reference, refuse_bools)


@mistake(
    "harness-texts-converted",
    says="a value that is a text is converted",
    op="harness.score",
    clause="004-1-value-number",
    why="float() takes texts.",
    invited_by="float(value), JavaScript",
)
def _(reference: Variant) -> None:
    def convert(score: Any) -> None:
        if isinstance(score.value, str):
            score.value = float(score.value)

    _before(reference, convert)


@mistake(
    "harness-missing-value-is-zero",
    says="a value that is null counts as 0",
    op="harness.score",
    clause="004-1-value-number",
    why="A missing score is a bad one.",
    invited_by="value or 0.0",
)
def _(reference: Variant) -> None:
    def fill(score: Any) -> None:
        if score.value is None:
            score.value = 0.0

    _before(reference, fill)


@mistake(
    "harness-threshold-bounded",
    says="a threshold outside of 0 to 1 is refused",
    op="harness.score",
    clause="004-1-threshold-unbounded",
    why="Values are bounded, so their threshold seems to be.",
    invited_by="one validator for both fields",
)
def _(reference: Variant) -> None:
    made = reference.get(_MADE)

    def bounded(score: Any) -> None:
        made(score)
        if not 0.0 <= score.threshold <= 1.0:
            raise ValueError("a threshold is between 0.0 and 1.0")

    reference.replace(_MADE, bounded)


@mistake(
    "harness-threshold-checked-first",
    says="the threshold is looked at before the value",
    op="harness.score",
    clause="004-1-threshold-number",
    why="Which fault is told first seems not to matter.",
    invited_by="validators in another order",
)
def _(reference: Variant) -> None:
    def check(score: Any) -> None:
        if not _is_number(score.threshold):
            raise TypeError("a threshold is a number")

    _before(reference, check)


@mistake(
    "harness-clamped-nan-is-zero",
    says="a NaN that is clamped becomes 0.0",
    op="harness.score",
    clause="004-1-clamped-nan",
    why="NaN is no success.",
    invited_by="comparisons in another order, saturating casts",
)
def _(reference: Variant) -> None:
    clamp = reference.get("harness_evals.score.clamp")
    reference.replace("harness_evals.score.clamp", lambda value: clamp(0.0 if value != value else value))


@mistake(
    "harness-clamp-keeps-kind",
    says="clamping leaves ints and bools in range as they are",
    op="harness.score",
    clause="004-1-clamped",
    why="What is in range needs no change.",
    invited_by="if value > 1, if value < 0",
)
def _(reference: Variant) -> None:
    clamp = reference.get("harness_evals.score.clamp")

    def kept(value: Any) -> Any:
        return value if _is_number(value) and 0 <= value <= 1 else clamp(value)

    reference.replace("harness_evals.score.clamp", kept)


@mistake(
    "harness-passed-may-be-given",
    says="a score takes at its word who says that it passed",
    op="harness.score",
    clause="004-1-passed-not-given",
    why="passed is a field of the score like others.",
    invited_by="dataclasses without init=False",
)
def _(reference: Variant) -> None:
    def believing(decode: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def made(given: Any) -> Any:
            score = decode({**given, "passed": None})
            if given.get("passed") is not None:
                score.passed = given["passed"]
            return score

        return made

    reference.wrap("harness_evals.described.decode_score", believing)
