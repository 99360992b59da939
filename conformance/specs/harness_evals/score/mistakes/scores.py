"""Mistakes in what a score of harness-evals makes of its value and threshold, and in how it is written."""

import json
import math
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import described
from reference_impl.harness_evals import score as score_rules
from reference_impl.harness_evals.json_lines import as_text

mistakes = family("harness.score")
in_decode_score = family("harness.score", of=described.decode_score)
in_as_text = family("harness.score", of=as_text)
in_post_init = family("harness.score", of=score_rules.Score.__post_init__)
in_clamp = family("harness.score", of=score_rules.clamp)


@way("harness.score", clause="004-1-passed-computed")
def passing(reference: Variant, passes: Callable[[Any, Any], bool]) -> None:
    """Changes when a score passes, by its value and threshold."""
    made = reference.get(score_rules.Score.__post_init__)

    def judged(score: Any) -> None:
        made(score)
        score.passed = bool(passes(score.value, score.threshold))

    reference.replace(score_rules.Score.__post_init__, judged)


@way("harness.score", clause="004-1-value-number")
def before(reference: Variant, change: Callable[[Any], None]) -> None:
    """Changes a score before its value is looked at."""
    made = reference.get(score_rules.Score.__post_init__)

    def changed(score: Any) -> None:
        change(score)
        made(score)

    reference.replace(score_rules.Score.__post_init__, changed)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


@passing.made(invited_by="> for >=")
def harness_threshold_exclusive(value: Any, threshold: Any) -> Any:
    """A score passes only above its threshold. Thresholds are often to be exceeded."""
    return value > threshold


@passing.made(invited_by="math.isclose, pytest.approx")
def harness_threshold_with_tolerance(value: Any, threshold: Any) -> bool:
    """A score passes that is nearly at its threshold. Floats are thought to be compared with a tolerance."""
    return value >= threshold or math.isclose(value, threshold)


@passing.made(clause="004-1-threshold-unbounded", invited_by="not value < threshold")
def harness_nan_threshold_passes(value: Any, threshold: Any) -> bool:
    """A score passes where its threshold is NaN. A value is not below a NaN either."""
    return not value < threshold


@passing.made(clause="004-8-failing-score", invited_by="value and value >= threshold")
def harness_zero_never_passes(value: Any, threshold: Any) -> Any:
    """A score of 0 fails whatever its threshold. A failing score is thought to fail."""
    return value and value >= threshold


@family("harness.score", clause="004-1-tolerance").each(
    Case(
        "harness-no-tolerance",
        "a value barely outside of 0 to 1 is refused",
        "The document names no tolerance.",
        "the document as it reads",
        0.0,
    ),
    Case(
        "harness-wide-tolerance",
        "a value up to 1e-5 outside of 0 to 1 is moved to the border",
        "The tolerance is in no text, and any small number looks right.",
        "np.allclose, guesses",
        1e-5,
    ),
)
def tolerance(reference: Variant, tolerated: float) -> None:
    """Tolerates another distance from the range."""
    reference.replace_use((score_rules, "TOLERANCE"), tolerated)


@mistakes.changed(clause="004-1-value-in-range", invited_by="np.clip, min and max")
def harness_out_of_range_clamped(reference: Variant) -> None:
    """A value outside of 0 to 1 is clamped, not refused. A score is always in range then."""
    clamp = reference.get(score_rules.clamp)

    def clamped(score: Any) -> None:
        if _is_number(score.value) and score.value == score.value and not 0.0 <= score.value <= 1.0:
            score.value = clamp(score.value)

    before(reference, clamped)


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


@in_post_init.wrapped(
    clause="004-1-passed-computed", invited_by="validators that run after the fields are set"
)
def harness_passed_before_moved(made: Callable[..., Any], score: Any) -> None:
    """Passed is computed before a value barely outside is moved to the border.
    The comparison stands above the tidying."""
    given = score.value
    made(score)
    score.passed = bool(given >= score.threshold)


@in_post_init.wrapped(clause="004-1-value-as-given", invited_by="float(value), typed fields")
def harness_values_as_floats(made: Callable[..., Any], score: Any) -> None:
    """A value is converted to a float. It is declared as one."""
    made(score)
    score.value = float(score.value)


@before.made(invited_by="strict types")
def harness_bool_values_refused(score: Any) -> None:
    """A value that is a bool is refused. A bool is no number in most languages."""
    if isinstance(score.value, bool):
        raise TypeError("a bool")


@before.made(invited_by="float(value), JavaScript")
def harness_texts_converted(score: Any) -> None:
    """A value that is a text is converted. float() takes texts."""
    if isinstance(score.value, str):
        score.value = float(score.value)


@before.made(invited_by="value or 0.0")
def harness_missing_value_is_zero(score: Any) -> None:
    """A value that is null counts as 0. A missing score is a bad one."""
    if score.value is None:
        score.value = 0.0


@in_post_init.wrapped(clause="004-1-threshold-unbounded", invited_by="one validator for both fields")
def harness_threshold_bounded(made: Callable[..., Any], score: Any) -> None:
    """A threshold outside of 0 to 1 is refused. Values are bounded, so their threshold seems to be."""
    made(score)
    if not 0.0 <= score.threshold <= 1.0:
        raise ValueError("a threshold is between 0.0 and 1.0")


@before.made(clause="004-1-threshold-number", invited_by="validators in another order")
def harness_threshold_checked_first(score: Any) -> None:
    """The threshold is looked at before the value. Which fault is told first seems not to matter."""
    if not _is_number(score.threshold):
        raise TypeError("a threshold is a number")


@in_clamp.wrapped(clause="004-1-clamped-nan", invited_by="comparisons in another order, saturating casts")
def harness_clamped_nan_is_zero(clamp: Callable[..., Any], value: Any) -> Any:
    """A NaN that is clamped becomes 0.0. NaN is no success."""
    return clamp(0.0 if value != value else value)


@in_clamp.wrapped(clause="004-1-clamped", invited_by="if value > 1, if value < 0")
def harness_clamp_keeps_kind(clamp: Callable[..., Any], value: Any) -> Any:
    """Clamping leaves ints and bools in range as they are. What is in range needs no change."""
    return value if _is_number(value) and 0 <= value <= 1 else clamp(value)


@in_decode_score.wrapped(clause="004-1-passed-not-given", invited_by="dataclasses without init=False")
def harness_passed_may_be_given(decode: Callable[[Any], Any], given: Any) -> Any:
    """A score takes at its word who says that it passed. passed is a field of the score like others."""
    score = decode({**given, "passed": None})
    if given.get("passed") is not None:
        score.passed = given["passed"]
    return score


@way("harness.score", clause="004-1-dict-none-dropped")
def changed_members(reference: Variant, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Changes a score's members."""
    as_dict = reference.get(score_rules.Score.as_dict)
    reference.replace(score_rules.Score.as_dict, lambda score: change(as_dict(score)))


@changed_members.made(invited_by="dataclasses.asdict, serde without skip_serializing_if")
def harness_nones_kept(members: dict[str, Any]) -> dict[str, Any]:
    """Members of a score without a value are written as null.
    That is what a plain dump of the fields gives."""
    names = (
        "name",
        "value",
        "threshold",
        "passed",
        "reason",
        "metadata",
        "scoring_duration_ms",
        "created_at",
    )
    return {name: members.get(name) for name in names}


@changed_members.made(invited_by="if value, omitempty in Go")
def harness_empty_members_dropped(members: dict[str, Any]) -> dict[str, Any]:
    """Empty, zero and false members of a score are left out. What is empty tells nothing."""
    return {name: it for name, it in members.items() if it}


@changed_members.made(invited_by="exclude_none of pydantic")
def harness_nulls_dropped_everywhere(value: Any) -> Any:
    """Nulls inside the metadata are left out too. The rule is applied at every level."""
    if isinstance(value, dict):
        return {
            name: harness_nulls_dropped_everywhere(item) for name, item in value.items() if item is not None
        }
    return [harness_nulls_dropped_everywhere(item) for item in value] if isinstance(value, list) else value


@changed_members.made(clause="004-1-dict-order", invited_by="Go's maps, BTreeMap, sort_keys=True")
def harness_members_sorted(members: dict[str, Any]) -> dict[str, Any]:
    """A score's members are sorted by name.
    Sorted keys make files comparable, and some maps keep no other order."""
    return dict(sorted(members.items()))


@changed_members.made(clause="004-1-dict-order", invited_by="properties added to a dump")
def harness_passed_last(members: dict[str, Any]) -> dict[str, Any]:
    """Passed is the last of a score's members. It is computed last."""
    return {
        **{k: it for k, it in members.items() if k != "passed"},
        "passed": members["passed"],
    }


@in_as_text.replaced(clause="004-1-dict-order", invited_by="JSON.stringify, encoding/json, serde_json")
def harness_compact_text(value: Any) -> Any:
    """Scores are written without spaces. Most writers put none; Python's default does."""
    return json.dumps(value, separators=(",", ":"))


@in_as_text.replaced(clause="004-8-json-record", invited_by="serde_json, JSON.stringify, ensure_ascii=False")
def harness_raw_text(value: Any) -> Any:
    """Characters beyond ASCII stand unescaped in scores.
    JSON is UTF-8, and most writers escape only what they must."""
    return json.dumps(value, ensure_ascii=False)
