"""Mistakes in the value, the threshold and the text of a harness-evals score."""

import math
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import described
from reference_impl.harness_evals import score as score_rules

in_decode_score = family("harness.score", of=described.decode_score)
in_post_init = family("harness.score", of=score_rules.Score.__post_init__)


@in_post_init.wrapped(clause="004-1-passed-computed", invited_by="> for >=")
def harness_threshold_exclusive(made: Callable[..., Any], score: Any) -> None:
    """A score passes only above its threshold. Many thresholds have to be exceeded."""
    made(score)
    score.passed = bool(score.value > score.threshold)


@family("harness.score", clause="004-1-tolerance").changed(invited_by="the document as it reads")
def harness_no_tolerance(reference: Variant) -> None:
    """A value barely outside of 0 to 1 is refused. The document names no tolerance."""
    reference.replace_use((score_rules, "TOLERANCE"), 0.0)


@in_post_init.wrapped(clause="004-1-value-nan", invited_by="value < 0 or value > 1")
def harness_nan_value_accepted(made: Callable[..., Any], score: Any) -> None:
    """A value that is NaN is accepted. A NaN is neither below 0 nor above 1."""
    value = score.value
    if isinstance(value, float) and math.isnan(value):
        score.value = 0.0
        made(score)
        score.value, score.passed = value, False
    else:
        made(score)


@in_post_init.wrapped(clause="004-1-threshold-unbounded", invited_by="one validator for both fields")
def harness_threshold_bounded(made: Callable[..., Any], score: Any) -> None:
    """A threshold outside of 0 to 1 is refused. Values are limited, so thresholds seem to be."""
    made(score)
    if not 0.0 <= score.threshold <= 1.0:
        raise ValueError("a threshold is between 0.0 and 1.0")


@in_decode_score.wrapped(clause="004-1-passed-not-given", invited_by="dataclasses without init=False")
def harness_passed_may_be_given(decode: Callable[[Any], Any], given: Any) -> Any:
    """A score accepts `passed` as an argument. It looks like an ordinary field."""
    score = decode({**given, "passed": None})
    if given.get("passed") is not None:
        score.passed = given["passed"]
    return score
