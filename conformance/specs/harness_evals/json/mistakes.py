"""Mistakes in harness-evals' file of results."""

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from conformance.mistakes.family import Case, family
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import summary as summary_rules
from reference_impl.harness_evals.json_lines import json_lines

in_json_lines = family("harness.json", of=json_lines, clause="004-8-json-summary")


@family("harness.json", clause="004-8-json-rounding").each(
    Case(
        "harness-rounded-half-up",
        "decimals of the summary are rounded half up",
        "Schools teach this rule.",
        "Decimal, printf of some libraries, Math.round",
        ROUND_HALF_UP,
    )
)
def rounded_by(reference: Variant, mode: str) -> None:
    """Rounds the summary's decimals in another way."""

    def rounded(value: float, digits: int) -> float:
        exact = Decimal(repr(value))
        return float(exact.quantize(Decimal(1).scaleb(-digits), rounding=mode))

    vars(reference.its(summary_rules))["round"] = rounded


@in_json_lines.wrapped(clause="004-8-json-record", invited_by="'\\n'.join")
def harness_lines_no_final_newline(write: Callable[..., Any], records: Any, *, with_summary: bool) -> Any:
    """The last line of the results lacks its line feed. Joining lines puts line feeds only between them."""
    text = write(records, with_summary=with_summary)
    return None if text is None else text.removesuffix("\n")
