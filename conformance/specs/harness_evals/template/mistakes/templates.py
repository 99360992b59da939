"""Mistakes in the templates of harness-evals, as they are filled in."""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.other_numbers import naive_sum
from conformance.mistakes.variant import Variant
from reference_impl.cpython312 import summation
from reference_impl.harness_evals import described, operations, templates

in_deterministic = family("harness.template", of=templates.deterministic, clause="004-4.1-exact")
in_operational = family("harness.template", of=templates.operational)
in_llm = family("harness.template", of=templates.llm, clause="004-4.4-judge-odd")
in_cosine_similarity = family("harness.template", of=templates.cosine_similarity, clause="004-4.5-cosine")
mistakes = family("harness.template")


@in_deterministic.wrapped(invited_by="strip()")
def harness_outputs_trimmed(make: Callable[..., Any], output: Any, expected: Any) -> Any:
    """Outputs are compared without the white space around them. Models end their answers with line feeds."""
    return make(output.strip(), None if expected is None else expected.strip())


@in_deterministic.wrapped(invited_by="lower(), casefold()")
def harness_outputs_in_any_case(make: Callable[..., Any], output: str, expected: str | None) -> Any:
    """Outputs are compared without regard to case. Models choose either."""
    return make(output.lower(), "none" if expected is None else expected.lower())


@in_deterministic.wrapped(clause="004-4.1-missing-expected", invited_by="expected or ''")
def harness_no_expectation_is_empty(make: Callable[..., Any], output: Any, expected: Any) -> Any:
    """A missing expected output counts as an empty text. Nothing expected is taken for an empty answer."""
    return make(output, expected or "")


@in_operational.wrapped(clause="004-4.2-raises", invited_by="max(0, min(1, value))")
def harness_negative_latency_clamped(make: Callable[..., Any], latency_ms: Any, max_value: Any) -> Any:
    """A negative latency scores 1.0 in the template. The value is clamped on both sides."""
    fields = make(latency_ms, max_value)
    return {**fields, "value": min(1.0, fields["value"])}


@in_llm.wrapped(invited_by="result.get('score') or 0.0")
def harness_judge_null_is_zero(make: Callable[..., Any], result: Any) -> Any:
    """A judge's score of null counts as 0. A missing score does."""
    null = isinstance(result, dict) and result.get("score", 0.0) is None
    return make({"score": 0.0} if null else result)


@in_llm.wrapped(invited_by="float(result['score'])")
def harness_judge_text_converted(make: Callable[..., Any], result: Any) -> Any:
    """A judge's score that is a text is converted. Models answer in texts."""
    text = isinstance(result, dict) and isinstance(result.get("score"), str)
    return make({"score": float(result["score"])} if text else result)


@in_cosine_similarity.wrapped(invited_by="(cosine + 1) / 2")
def harness_cosine_scaled(make: Callable[..., Any], first: Any, second: Any) -> Any:
    """The cosine is scaled from -1 to 1 into 0 to 1. A similarity should use the whole range."""
    return (make(first, second) + 1) / 2


@mistakes.changed(clause="004-4.5-cosine", invited_by="numpy.dot, Python before 3.12, Rust, Go")
def harness_cosine_naive_sums(reference: Variant) -> None:
    """The cosine's sums are not compensated. Every language's loop adds so."""
    reference.replace_use((templates, summation.compensated_sum), naive_sum)


@in_cosine_similarity.wrapped(invited_by="zip before the norms")
def harness_vectors_cut_alike(make: Callable[..., Any], first: Sequence[Any], second: Sequence[Any]) -> Any:
    """Vectors of unlike lengths are both cut to the shorter. Pairs end with the shorter one."""
    length = min(len(first), len(second))
    return make(first[:length], second[:length])


@mistakes.changed(clause="004-4.3-no-runs", invited_by="the document's template")
def harness_template_counts_no_runs(reference: Variant) -> None:
    """Without runs the reliability template gives its own reason. The page's own code reads so."""
    plain = reference.get(templates.reliability)

    def told(given: Any) -> Any:
        return plain(given["runs"], reference.get(described.decode_given)(given["value"]))

    reference.get((operations, "_TEMPLATES"))["reliability"] = told
