"""The unchanged reference in this process, without the cost of a copy."""

from typing import Any

from conformance.registry.ops import OPS
from conformance.wire.messages import Ok, Refused, encoded, strict_json
from conformance.wire.numbers import any_digits, meant_at
from reference_impl.runner.serving import table_of

__all__ = ["reference_answer"]


def reference_answer(spec: str, op: str, input_: Any) -> Ok | Refused:
    """The reference's answer to an input by the rules of a spec, in the form of a runner's parsed reply."""
    with any_digits():
        try:
            value = strict_json(encoded(table_of(spec)[op](input_)).encode("ascii"))
            return Ok(meant_at(value, OPS[op].ok_numbers))
        except Exception as error:
            return Refused(type(error).__name__, getattr(error, "reason_code", None))
