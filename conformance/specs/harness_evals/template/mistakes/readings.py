"""What readers of the document alone understood of its templates, as they are filled in."""

import math
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.variant import Variant
from reference_impl.cpython312.summation import compensated_sum
from reference_impl.harness_evals import templates
from reference_impl.harness_evals.score import clamp

in_deterministic = family("harness.template", of=templates.deterministic, clause="004-4.1-exact")
in_operational = family("harness.template", of=templates.operational, clause="004-4.2-raises")
in_reliability = family("harness.template", of=templates.reliability, clause="004-4.3-two-needed")
in_llm = family("harness.template", of=templates.llm, clause="004-4.4-clamp-judge")
in_cosine = family("harness.template", of=templates.cosine_similarity, clause="004-4.5-cosine")
_Make = Callable[..., Any]
_Vector = Sequence[Any]


@in_deterministic.wrapped(clause="004-4.1-missing-expected", invited_by="Option, undefined")
def harness_nothing_expected_never_met(make: _Make, output: str, expected: str | None) -> Any:
    """An output never equals a missing expectation. Nothing equals nothing only."""
    return make(output, expected) if expected is not None else {"value": 0.0}


@in_deterministic.wrapped(invited_by="Swift's ==, localeCompare")
def harness_outputs_composed(make: _Make, output: str, expected: str | None) -> Any:
    """Outputs that look alike are the same, composed or not. Unicode calls them equivalent."""
    composed = None if expected is None else unicodedata.normalize("NFC", expected)
    return make(unicodedata.normalize("NFC", output), composed)


@in_deterministic.wrapped(invited_by="expected in output")
def harness_expected_within_output(make: _Make, output: str, expected: str | None) -> Any:
    """An output that contains the expected one is a match. Models say more than is asked."""
    return {"value": 1.0} if expected and expected in output else make(output, expected)


@in_deterministic.wrapped(invited_by="splitlines, text mode")
def harness_line_ends_alike(make: _Make, output: str, expected: str | None) -> Any:
    """Outputs are compared with all line ends alike. Systems write either."""
    plain = None if expected is None else expected.replace("\r\n", "\n")
    return make(output.replace("\r\n", "\n"), plain)


@in_operational.wrapped(invited_by="if latency < 0")
def harness_negative_latency_always_raises(make: _Make, latency_ms: Any, max_value: Any) -> Any:
    """Every negative latency raises out of the operational template. A latency can't be negative."""
    if isinstance(latency_ms, int | float) and latency_ms < 0:
        raise ValueError("a negative latency")
    return make(latency_ms, max_value)


@in_operational.wrapped(clause="004-4.2-missing", invited_by="if not latency_ms")
def harness_template_latency_zero_missing(make: _Make, latency_ms: Any, max_value: Any) -> Any:
    """The operational template takes a latency of 0 for missing. 0 counts as false."""
    return make(latency_ms or None, max_value)


@in_operational.wrapped(invited_by="if max_value <= 0")
def harness_template_limit_checked(make: _Make, latency_ms: Any, max_value: Any) -> Any:
    """The operational template refuses a maximum of 0 or less. Built-in metrics do."""
    if max_value <= 0:
        raise ValueError("a maximum is positive")
    return make(latency_ms, max_value)


@in_operational.wrapped(clause="004-4.2-falling", invited_by="max_ms as a limit")
def harness_template_latency_within(make: _Make, latency_ms: Any, max_value: Any) -> Any:
    """The operational template gives 1.0 up to the maximum. The built-in latency does."""
    made = make(latency_ms, max_value)
    return {**made, "value": 1.0} if "metadata" in made and 0 <= latency_ms <= max_value else made


@in_operational.wrapped(clause="004-4.2-metadata", invited_by="typed fields")
def harness_template_metadata_as_floats(make: _Make, latency_ms: Any, max_value: Any) -> Any:
    """The operational template's metadata hold floats. Milliseconds are."""
    made = make(latency_ms, max_value)
    if "metadata" in made:
        made["metadata"] = {name: float(it) for name, it in made["metadata"].items()}
    return made


@in_operational.wrapped(clause="004-4.2-metadata", invited_by="metadata in both branches")
def harness_template_missing_with_metadata(make: _Make, latency_ms: Any, max_value: Any) -> Any:
    """The operational template's metadata are there without a latency too. The maximum is known."""
    made = make(latency_ms, max_value)
    return {**made, "metadata": {"latency_ms": latency_ms, "max_value": max_value}}


@in_operational.wrapped(clause="004-4.2-falling", invited_by="algebra")
def harness_template_by_difference(make: _Make, latency_ms: Any, max_value: Any) -> Any:
    """The operational template computes (maximum - latency) / maximum. It is the same on paper."""
    made = make(latency_ms, max_value)
    if "metadata" in made and latency_ms == latency_ms:
        value = (max_value - latency_ms) / max_value
        made["value"] = value if value > 0.0 else 0.0
    return made


@in_reliability.wrapped(invited_by="len(runs) <= 2")
def harness_three_runs_needed(make: _Make, runs: Any, value: Any) -> Any:
    """The reliability template needs three runs. At least 2 is taken for more than 2."""
    return make(runs[:1], value) if len(runs) == 2 else make(runs, value)


@in_reliability.wrapped(invited_by="self.k")
def harness_template_tells_expected_k(make: _Make, runs: Any, value: Any) -> Any:
    """The reliability template's metadata have the k that is expected, 5. They call it k."""
    made = make(runs, value)
    return {**made, "metadata": {"k": 5}} if "metadata" in made else made


@in_reliability.wrapped(invited_by="set(runs)")
def harness_template_distinct_runs(make: _Make, runs: Any, value: Any) -> Any:
    """The reliability template counts equal runs once. They tell nothing new."""
    return make(list(dict.fromkeys(runs)), value)


@in_reliability.wrapped(clause="004-1-clamped", invited_by="max(0.0, min(1.0, value))")
def harness_template_runs_clamped(reference: Variant, make: _Make, runs: Any, value: Any) -> Any:
    """The reliability template clamps its value. Two other templates do."""
    made = make(runs, value)
    if "metadata" in made and isinstance(value, int | float):
        made["value"] = reference.its(clamp)(value)
    return made


@in_llm.wrapped(clause="004-4.4-judge-missing", invited_by="encoding/json of Go")
def harness_judge_member_in_any_case(make: _Make, result: Any) -> Any:
    """A judge's score is found in any letter case of its name. Some decoders match names so."""
    return make({name.lower(): it for name, it in result.items()} if isinstance(result, dict) else result)


@in_llm.wrapped(invited_by="if value > 1, if value < 0")
def harness_judge_keeps_kind(make: _Make, result: Any) -> Any:
    """A judge's score of 0, 1, true or false stays what it is. What is in range needs no change."""
    made = make(result)
    told = result.get("score")
    return {"value": told} if isinstance(told, int) and 0 <= told <= 1 else made


@in_llm.wrapped(clause="004-4.4-judge-odd", invited_by="strict types")
def harness_judge_bool_refused(make: _Make, result: Any) -> Any:
    """A judge's score that is a bool is refused. A bool is no number in most languages."""
    if isinstance(result, dict) and isinstance(result.get("score"), bool):
        raise TypeError("a bool")
    return make(result)


@in_llm.wrapped(clause="004-4.4-judge-odd", invited_by="lists of answers")
def harness_judge_list_first(make: _Make, result: Any) -> Any:
    """Of a judge's list of answers the first counts. Models wrap answers."""
    return make(result[0] if isinstance(result, list) and result else result)


@in_llm.wrapped(clause="004-4.4-judge-odd", invited_by="a bare score")
def harness_judge_bare_number(make: _Make, result: Any) -> Any:
    """A judge that answers with a bare number gives this score. Models leave the object out."""
    return make({"score": result} if isinstance(result, int | float) else result)


@in_llm.wrapped(invited_by="scores out of 10 or 100")
def harness_judge_percent(make: _Make, result: Any) -> Any:
    """A judge's score above 1 up to 100 is a percentage. Models like to give such."""
    told = result.get("score") if isinstance(result, dict) else None
    return make({"score": told / 100} if isinstance(told, int | float) and 1 < told <= 100 else result)


@in_llm.wrapped(invited_by="Score refuses it")
def harness_judge_refused_beyond(make: _Make, result: Any) -> Any:
    """A judge's score outside of 0 to 1 is a ValueError. That of other metrics is."""
    told = result.get("score") if isinstance(result, dict) else None
    if isinstance(told, int | float) and (told < 0 or told > 1):
        raise ValueError("outside of 0 to 1")
    return make(result)


def _norm(vector: _Vector) -> float:
    return math.sqrt(compensated_sum([item * item for item in vector]))


def _product(first: _Vector, second: _Vector) -> Any:
    return compensated_sum([one * other for one, other in zip(first, second, strict=False)])


@in_cosine.wrapped(invited_by="np.dot")
def harness_vectors_unlike_refused(make: _Make, first: _Vector, second: _Vector) -> Any:
    """Vectors of unlike lengths are a ValueError. Their product is not defined."""
    if len(first) != len(second):
        raise ValueError("unlike lengths")
    return make(first, second)


@in_cosine.wrapped(clause="004-4.5-zero-vector", invited_by="if norm_a * norm_b == 0")
def harness_cosine_zero_by_product(make: _Make, first: _Vector, second: _Vector) -> Any:
    """The cosine is 0.0 where the product of both norms is 0. It is what is divided by."""
    norms = _norm(first) * _norm(second)
    return 0.0 if norms == 0.0 else _product(first, second) / norms


@in_cosine.wrapped(clause="004-4.5-zero-vector", invited_by="math.hypot, BLAS")
def harness_norms_scaled(make: _Make, first: _Vector, second: _Vector) -> Any:
    """Norms neither underflow nor overflow. Good libraries scale."""
    for vector in (first, second):
        squares = compensated_sum([item * item for item in vector])
        if squares != 0.0 and 1e-290 < squares < math.inf:
            continue
        if math.hypot(*vector) not in (0.0, math.inf) and all(map(math.isfinite, vector)):
            scales = [max(map(abs, it), default=0.0) or 1.0 for it in (first, second)]
            return make([it / scales[0] for it in first], [it / scales[1] for it in second])
    return make(first, second)


@in_cosine.wrapped(invited_by="sqrt(a * b)")
def harness_cosine_one_root(make: _Make, first: _Vector, second: _Vector) -> Any:
    """The cosine is divided by one root, of the product of both squares. It is the same on paper."""
    squares = [compensated_sum([item * item for item in vector]) for vector in (first, second)]
    if not all(squares) or not all(map(math.isfinite, squares)) or not squares[0] * squares[1]:
        return make(first, second)
    return _product(first, second) / math.sqrt(squares[0] * squares[1])


@in_cosine.wrapped(invited_by="normalised embeddings")
def harness_cosine_of_unit_vectors(make: _Make, first: _Vector, second: _Vector) -> Any:
    """Vectors are made unit vectors before they are multiplied. It is the same on paper."""
    norms = _norm(first), _norm(second)
    if not all(norms) or not all(map(math.isfinite, norms)):
        return make(first, second)
    return _product([it / norms[0] for it in first], [it / norms[1] for it in second])


@in_cosine.wrapped(invited_by="x / a / b")
def harness_cosine_divided_twice(make: _Make, first: _Vector, second: _Vector) -> Any:
    """The product is divided by one norm, then by the other. It is the same on paper."""
    norms = _norm(first), _norm(second)
    return _product(first, second) / norms[0] / norms[1] if all(norms) else make(first, second)


@in_cosine.wrapped(invited_by="abs(cosine)")
def harness_cosine_absolute(make: _Make, first: _Vector, second: _Vector) -> Any:
    """A negative cosine counts as a positive one. Opposites are thought to be alike."""
    return abs(make(first, second))


@in_cosine.wrapped(invited_by="guards against NaN")
def harness_cosine_nan_is_zero(make: _Make, first: _Vector, second: _Vector) -> Any:
    """A cosine that is NaN is 0.0. NaN is no similarity."""
    made = make(first, second)
    return made if made == made else 0.0


@in_cosine.wrapped(clause="004-4.5-zero-vector", invited_by="if first == second: return 1.0")
def harness_equal_vectors_alike(make: _Make, first: _Vector, second: _Vector) -> Any:
    """Equal vectors have the cosine 1.0, zeros too. What is equal is alike."""
    return 1.0 if list(first) == list(second) else make(first, second)


@in_cosine.wrapped(clause="004-4.5-zero-vector", invited_by="+ 1e-9, eps=1e-8")
def harness_small_norms_are_zero(make: _Make, first: _Vector, second: _Vector) -> Any:
    """Norms below 1e-8 count as 0. Libraries guard the division so."""
    return 0.0 if min(_norm(first), _norm(second)) < 1e-8 else make(first, second)


@in_operational.wrapped(clause="004-4.2-metadata", invited_by="metadata of a success")
def harness_template_metadata_of_success(make: _Make, latency_ms: Any, max_value: Any) -> Any:
    """The operational template has no metadata where its score is 0.0. A failure tells a reason instead."""
    made = make(latency_ms, max_value)
    return {"value": 0.0} if "metadata" in made and made["value"] == 0.0 else made


@in_operational.wrapped(clause="004-4.2-falling", invited_by="abs(latency)")
def harness_template_nan_raises(make: _Make, latency_ms: Any, max_value: Any) -> Any:
    """The operational template refuses a NaN latency. Its score would be NaN."""
    if isinstance(latency_ms, float) and math.isnan(latency_ms):
        raise ValueError("NaN")
    return make(latency_ms, max_value)


@in_llm.wrapped(clause="004-4.4-judge-missing", invited_by="result['score']")
def harness_judge_missing_raises(make: _Make, result: Any) -> Any:
    """A judge that gives no score raises. The schema demands one."""
    if isinstance(result, dict) and "score" not in result:
        raise KeyError("score")
    return make(result)


@in_llm.wrapped(clause="004-4.4-judge-odd", invited_by="except: value = 0.0")
def harness_judge_odd_is_zero(make: _Make, result: Any) -> Any:
    """A judge's answer that makes no score gets 0.0. A metric is never to raise."""
    try:
        return make(result)
    except (TypeError, AttributeError):
        return {"value": 0.0}


@in_llm.wrapped(clause="004-4.4-judge-missing", invited_by="scores that nest")
def harness_judge_nested(make: _Make, result: Any) -> Any:
    """A judge's score is looked for inside of its answer too. Models wrap answers."""
    if isinstance(result, dict) and "score" not in result:
        inner = next((it for it in result.values() if isinstance(it, dict) and "score" in it), result)
        return make(inner)
    return make(result)


@in_reliability.wrapped(invited_by="filter(None, runs)")
def harness_template_empty_runs_not_counted(make: _Make, runs: Any, value: Any) -> Any:
    """The reliability template counts no runs whose output is empty. They are taken for no runs."""
    return make([run for run in runs if run], value)


@in_deterministic.wrapped(invited_by="if output and output == expected")
def harness_empty_never_matches(make: _Make, output: str, expected: str | None) -> Any:
    """An empty output never matches, not even an empty expectation. It is no answer."""
    return make(output, expected) if output else {"value": 0.0}
