"""Text of a report as HTML: the one place where it is escaped, cut and made visible.

Whatever a reader can't see, or a browser acts on (control and format characters, turned directions, blanks
that are not the blank, lone surrogates), stands as its code point in a ``<bdi>``. So a name can't dress as
another one, and the page can be written as UTF-8 whatever is in it.
"""

import re

from markupsafe import Markup

__all__ = ["attribute", "cut", "element", "is_whole"]

_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"
    "\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\udfff"
    "\ue000-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff"
)
"""As ranges, not asked of Python's tables: a page is the same whichever Python wrote it."""
_RUN = re.compile(f"[{_UNSEEN}]+")
_LINED = re.compile(f"[\t\n{_UNSEEN}]+")
_MOST_CODES = 12
"""How many code points of one run are told apart."""


def attribute(text: str, most: int = 300) -> str:
    """The text as an attribute may hold it; jinja escapes it there."""
    short = text if len(text) <= most else f"{text[:most]}…"
    return _LINED.sub(lambda found: f"[{_codes(found[0])}]", short)


def element(text: str, *, lines: bool = False) -> Markup:
    """The text as an element may hold it. ``lines`` says that line ends and tabs are shown as such."""
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if safe.isascii() and safe.isprintable():
        return Markup(safe)  # noqa: S704 - this is the escaper
    pattern = _RUN if lines else _LINED
    return Markup(pattern.sub(lambda found: f'<bdi class="u">{_codes(found[0])}</bdi>', safe))  # noqa: S704


def is_whole(text: str) -> bool:
    """Whether the element shows the text letter by letter, so that it may be copied from it."""
    return not _LINED.search(text)


def cut(text: str, most: int) -> str:
    """The text's first characters, as many as take the room of ``most`` plain ones.

    A code point that has to be named takes more room than itself.
    """
    if len(text) <= most and text.isascii() and text.isprintable():
        return text
    first = text[:most]
    room = len(element(first, lines=True))
    if room > 6 * most:  # <&> take four or five; only code points take more
        first = first[: max(1, most * 6 * most // room)]
    return first


def _codes(run: str) -> str:
    """The run's code points; one that repeats itself is counted."""
    counted: list[tuple[str, int]] = []
    for char in run:
        if counted and counted[-1][0] == char:
            counted[-1] = (char, counted[-1][1] + 1)
        else:
            counted.append((char, 1))
    told = [
        f"U+{ord(char):04X}" + (f"×{count}" if count > 1 else "") for char, count in counted[:_MOST_CODES]
    ]
    if len(counted) > _MOST_CODES:
        told.append(f"and {sum(count for _, count in counted[_MOST_CODES:])} more")
    return " ".join(told)
