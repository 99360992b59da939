"""Properties of the reason code for every text."""

from typing import Any

from conformance.drawing.reasons import KNOWN_CODES, SEPARATORS, reason
from conformance.drawing.source import Source
from conformance.properties.asking import Asker
from conformance.properties.registry import holds

__all__: list[str] = []

_OP = "reason_code"
_BLANKS = (" ", "\n", "\t", "\x0b", "\x1c", "\x1f", "\x85", "\xa0", "\u2003", "\u3000")


def _blank(source: Source) -> str:
    return "".join(source.times(3, lambda source: source.pick(_BLANKS)))


def _code(asker: Asker, text: str | None) -> Any:
    return asker.ok(_OP, {"text": text})["reason_code"]


@holds("reason-code-of-a-code", reason)
def _code_of_a_code(asker: Asker, text: str) -> None:
    code = _code(asker, text)
    if code is not None:
        asker.equal(code, _code(asker, code), "the code of a code")


@holds("reason-code-known-codes-stand", lambda source: source.pick(KNOWN_CODES))
def _known_codes_are_kept(asker: Asker, code: str) -> None:
    asker.equal(code, _code(asker, code), "the code of a known code")


def _swapped(text: str) -> str:
    return "".join(char.swapcase() if char.isascii() else char for char in text)


@holds("reason-code-case", reason)
def _case(asker: Asker, text: str) -> None:
    asker.same(_OP, {"text": text}, {"text": _swapped(text)}, "the case of ASCII letters matters")


def _separators_picked(source: Source) -> list[str]:
    return source.several(4, lambda source: source.pick(SEPARATORS))


@holds("reason-code-separators", lambda source: (source.pick(KNOWN_CODES), _separators_picked(source)))
def _separators(asker: Asker, drawn: Any) -> None:
    code, separators = drawn
    first, *words = code.split("_")
    text = first + "".join(separators[index % len(separators)] + word for index, word in enumerate(words))
    asker.equal(code, _code(asker, text), f"the code of {text!a}")


@holds("reason-code-space-around", lambda source: (reason(source), _blank(source), _blank(source)))
def _space_around(asker: Asker, drawn: Any) -> None:
    text, before, after = drawn
    asker.same(_OP, {"text": text}, {"text": before + text + after}, "white space around the text matters")


@holds("reason-code-blank-is-none", _blank)
def _blank_is_none(asker: Asker, blank: str) -> None:
    asker.equal(None, _code(asker, blank), "the code of a blank text")


@holds(
    "reason-code-words-anywhere",
    lambda source: (_blank(source), source.shuffled(("reward", "missing", "file")), source.pick(", :/!")),
)
def _words_anywhere(asker: Asker, drawn: Any) -> None:
    before, words, joint = drawn
    asker.equal(
        "harbor_reward_missing", _code(asker, before + joint.join(words)), "the code of reward and missing"
    )
