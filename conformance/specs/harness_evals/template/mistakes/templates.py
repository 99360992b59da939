"""Mistakes in the templates of harness-evals, as they are filled in."""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import naive_sum
from conformance.mistakes.variant import Variant

_TEMPLATES = "harness_evals.templates"


@mistake(
    "harness-outputs-trimmed",
    says="outputs are compared without the white space around them",
    op="harness.template",
    clause="004-4.1-exact",
    why="Models end their answers with line feeds.",
    invited_by="strip()",
)
def _(reference: Variant) -> None:
    def trimmed(make: Callable[..., Any]) -> Callable[..., Any]:
        return lambda output, expected: make(output.strip(), None if expected is None else expected.strip())

    reference.wrap(f"{_TEMPLATES}.deterministic", trimmed)


@mistake(
    "harness-outputs-in-any-case",
    says="outputs are compared without regard to case",
    op="harness.template",
    clause="004-4.1-exact",
    why="Models choose either.",
    invited_by="lower(), casefold()",
)
def _(reference: Variant) -> None:
    def folded(make: Callable[..., Any]) -> Callable[..., Any]:
        def scored(output: str, expected: str | None) -> Any:
            return make(output.lower(), "none" if expected is None else expected.lower())

        return scored

    reference.wrap(f"{_TEMPLATES}.deterministic", folded)


@mistake(
    "harness-no-expectation-is-empty",
    says="a missing expected output counts as an empty text",
    op="harness.template",
    clause="004-4.1-missing-expected",
    why="Nothing expected is taken for an empty answer.",
    invited_by="expected or ''",
)
def _(reference: Variant) -> None:
    reference.wrap(
        f"{_TEMPLATES}.deterministic", lambda make: lambda output, expected: make(output, expected or "")
    )


@mistake(
    "harness-negative-latency-clamped",
    says="a negative latency scores 1.0 in the template",
    op="harness.template",
    clause="004-4.2-raises",
    why="The value is clamped on both sides.",
    invited_by="max(0, min(1, value))",
)
def _(reference: Variant) -> None:
    def clamped(make: Callable[..., Any]) -> Callable[..., Any]:
        def scored(latency_ms: Any, max_value: Any) -> Any:
            fields = make(latency_ms, max_value)
            return {**fields, "value": min(1.0, fields["value"])}

        return scored

    reference.wrap(f"{_TEMPLATES}.operational", clamped)


@mistake(
    "harness-judge-null-is-zero",
    says="a judge's score of null counts as 0",
    op="harness.template",
    clause="004-4.4-judge-odd",
    why="A missing score does.",
    invited_by="result.get('score') or 0.0",
)
def _(reference: Variant) -> None:
    def filled(make: Callable[..., Any]) -> Callable[..., Any]:
        def scored(result: Any) -> Any:
            null = isinstance(result, dict) and result.get("score", 0.0) is None
            return make({"score": 0.0} if null else result)

        return scored

    reference.wrap(f"{_TEMPLATES}.llm", filled)


@mistake(
    "harness-judge-text-converted",
    says="a judge's score that is a text is converted",
    op="harness.template",
    clause="004-4.4-judge-odd",
    why="Models answer in texts.",
    invited_by="float(result['score'])",
)
def _(reference: Variant) -> None:
    def converted(make: Callable[..., Any]) -> Callable[..., Any]:
        def scored(result: Any) -> Any:
            text = isinstance(result, dict) and isinstance(result.get("score"), str)
            return make({"score": float(result["score"])} if text else result)

        return scored

    reference.wrap(f"{_TEMPLATES}.llm", converted)


@mistake(
    "harness-cosine-scaled",
    says="the cosine is scaled from -1 to 1 into 0 to 1",
    op="harness.template",
    clause="004-4.5-cosine",
    why="A similarity should use the whole range.",
    invited_by="(cosine + 1) / 2",
)
def _(reference: Variant) -> None:
    reference.wrap(
        f"{_TEMPLATES}.cosine_similarity", lambda make: lambda first, second: (make(first, second) + 1) / 2
    )


@mistake(
    "harness-cosine-naive-sums",
    says="the cosine's sums are not compensated",
    op="harness.template",
    clause="004-4.5-cosine",
    why="Every language's loop adds so.",
    invited_by="numpy.dot, Python before 3.12, Rust, Go",
)
def _(reference: Variant) -> None:
    reference.replace_use(f"{_TEMPLATES}.compensated_sum", naive_sum)


@mistake(
    "harness-vectors-cut-alike",
    says="vectors of unlike lengths are both cut to the shorter",
    op="harness.template",
    clause="004-4.5-cosine",
    why="Pairs end with the shorter one.",
    invited_by="zip before the norms",
)
def _(reference: Variant) -> None:
    def cut(make: Callable[..., Any]) -> Callable[..., Any]:
        def cosine(first: Sequence[Any], second: Sequence[Any]) -> Any:
            length = min(len(first), len(second))
            return make(first[:length], second[:length])

        return cosine

    reference.wrap(f"{_TEMPLATES}.cosine_similarity", cut)


@mistake(
    "harness-template-counts-no-runs",
    says="without runs the reliability template gives its own reason",
    op="harness.template",
    clause="004-4.3-no-runs",
    why="The page's own code reads so.",
    invited_by="the document's template",
)
def _(reference: Variant) -> None:
    plain = reference.get(f"{_TEMPLATES}.reliability")

    def told(given: Any) -> Any:
        return plain(given["runs"], reference.get("harness_evals.described.decode_given")(given["value"]))

    reference.get("harness_evals.operations._TEMPLATES")["reliability"] = told
