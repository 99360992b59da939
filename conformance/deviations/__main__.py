"""Runs the reference with deviations: ``python -m conformance.deviations ID[+ID][+MISTAKE] [spec]``."""

import functools
import json
from collections.abc import Callable, Sequence
from typing import Any

from conformance.deviations.deviation import Answer, Deviation, apply_in_order
from conformance.deviations.space import space_of, vectors_of
from conformance.mistakes.__main__ import serve
from conformance.mistakes.catalogue import Mistake, MistakeError, find_mistakes
from conformance.mistakes.variant import Variant
from conformance.registry.op import Op
from conformance.registry.ops import op_of
from conformance.wire.messages import Ok, Refused
from conformance.wire.numbers import decode_at, spell_at
from conformance.wire.text import shortened

__all__ = ["deviating_reference", "find_deviations", "main"]


def find_deviations(names: str, spec: str) -> tuple[list[Deviation], list[Mistake]]:
    """The deviations and mistakes named by a text such as ``aggregate:input/rewards:first+naive-sum``.

    Raises:
        MistakeError: a name is unknown; the message is one sentence.
    """
    words = [word.strip() for word in names.split("+")]
    deviations = []
    for word in words:
        op, colon, _ = word.partition(":")
        if colon:
            deviation = space_of(spec, op).find(word) if op in vectors_of(spec) else None
            if deviation is None:
                raise MistakeError(
                    f"there is no deviation {shortened(word, 120)!r} of {spec}:"
                    " 'harbor-conformance kit mutants --places --json' lists them"
                )
            deviations.append(deviation)
    mistakes = "+".join(word for word in words if ":" not in word)
    return deviations, find_mistakes(mistakes, spec) if mistakes else []


def deviating_reference(deviations: Sequence[Deviation], mistakes: Sequence[Mistake], spec: str) -> Variant:
    """A copy of the reference with these mistakes and deviations."""
    variant = Variant(spec=spec)
    for mistake in mistakes:
        mistake.change(variant)
    for name in dict.fromkeys(deviation.op for deviation in deviations):
        own = [deviation for deviation in deviations if deviation.op == name]
        variant.wrap_op(name, functools.partial(_wrap_op, op=op_of(spec, name), deviations=own))
    return variant


def _wrap_op(original: Callable[[Any], Any], op: Op, deviations: Sequence[Deviation]) -> Callable[[Any], Any]:
    def ask_original(input_: Any) -> Answer:
        try:
            value = original(spell_at(input_, op.input_numbers, everything=False))
        except Exception as error:
            return Refused(type(error).__name__, getattr(error, "reason_code", None), str(error))
        return Ok(decode_at(json.loads(json.dumps(value)), op.ok_numbers))

    def answer_or_raise(input_: Any) -> Any:
        result = apply_in_order(deviations, decode_at(input_, op.input_numbers), ask_original)
        if isinstance(result, Ok):
            return spell_at(result.value, op.ok_numbers, everything=False)
        error: Exception = type(result.type, (Exception,), {"reason_code": result.reason_code})(
            result.message
        )
        raise error  # of the error's type, which the serving module describes in its reply

    return answer_or_raise


def main() -> None:
    """Serves the reference with the deviations and mistakes that the command line names."""
    serve("deviation", lambda names, spec: deviating_reference(*find_deviations(names, spec), spec))


if __name__ == "__main__":
    main()
