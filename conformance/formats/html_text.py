"""Escapes and truncates a report's text for HTML, and makes all of it visible.

Characters that a reader can't see or a browser acts on (control and format characters, changes of direction,
unusual spaces, lone surrogates) are shown as code points in a ``<bdi>``. So names can't imitate each other,
and the page can always be written as UTF-8.
"""

import itertools
import re

from markupsafe import Markup

__all__ = ["attribute", "element", "is_whole"]

_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"
    "\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\udfff"
    "\ue000-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff"
)
"""Explicit ranges, since Python's tables depend on its version."""
_RUN = re.compile(f"[{_UNSEEN}]+")
_LINED = re.compile(f"[\t\n{_UNSEEN}]+")
_MOST_CODES = 12
"""The most code points shown for one run of characters."""


def attribute(text: str, most: int = 300) -> str:
    """Return the text for an attribute, which jinja escapes."""
    short = text if len(text) <= most else f"{text[:most]}…"
    return _LINED.sub(lambda match: f"[{_codes(match[0])}]", short)


def element(text: str, most: int = 600, *, lines: bool = False) -> Markup:
    """Return the text for an element; if it is too long, its first characters and its length.

    With ``lines``, line ends and tabs are kept.
    """
    safe = text[:most].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if not (safe.isascii() and safe.isprintable()):
        pattern = _RUN if lines else _LINED
        safe = pattern.sub(lambda match: f'<bdi class="u">{_codes(match[0])}</bdi>', safe)
    if len(text) > most:
        safe += f'<span class="cut">… cut, {len(text):,} characters in all</span>'
    return Markup(safe)  # noqa: S704 - this is the escaper


def is_whole(text: str) -> bool:
    """Return whether the element shows the exact text, so that it can be copied."""
    return not _LINED.search(text)


def _codes(run: str) -> str:
    """Return the code points of a run of characters; repeated ones are counted."""
    counted = [(char, len(list(equals))) for char, equals in itertools.groupby(run)]
    codes = [
        f"U+{ord(char):04X}" + (f"×{count}" if count > 1 else "") for char, count in counted[:_MOST_CODES]
    ]
    if len(counted) > _MOST_CODES:
        codes.append(f"and {sum(count for _, count in counted[_MOST_CODES:])} more")
    return " ".join(codes)
