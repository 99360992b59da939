"""Names of a task's steps: each must be a valid folder name on every system (since 0.23.0).

harbor 0.13.1 accepts any name. Now a task is refused, and never runs, if a step's name is not a portable
folder name, or if two steps have names that are equal on a file system that ignores case or normalises
Unicode. Letters that Unicode added after version 13 are not specified, since Python versions know different
ones.
"""

import re
import unicodedata
from collections.abc import Iterable

from ..errors import ValidationError

__all__ = ["validate_step_names"]

MAX_BYTES = 255  # of a name in UTF-8
REFUSED = '<>:"/\\|?*\x7f'  # and every character below the space
# Windows' names for devices, with any extension. Case is ignored as Python's `re` ignores it.
_DEVICE = re.compile(r"(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[1-9¹²³])", re.IGNORECASE)


def validate_step_names(names: Iterable[str]) -> None:
    """Accept the names of a task's steps, in order.

    Raises:
        ValidationError: a name is not portable, or differs from another only in case or normal form.
    """
    seen: set[str] = set()
    for name in names:
        if not _is_portable(name):
            raise ValidationError("step name", name)
        key = unicodedata.normalize("NFC", name).casefold()
        if key in seen:
            raise ValidationError("step name", name)
        seen.add(key)


def _is_portable(name: str) -> bool:
    """Whether it is not blank, too long or a device, and has no refused character or final dot or space."""
    if not name or name.isspace() or name.endswith((".", " ")):
        return False
    if any(character < " " or character in REFUSED for character in name):
        return False
    if _DEVICE.fullmatch(name.partition(".")[0].rstrip(" ")):
        return False
    return len(name.encode("utf-8")) <= MAX_BYTES
