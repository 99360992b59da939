"""How the kit writes a file that somebody waits for: whole or not at all, and one sentence where it can't."""

import json
import os
from pathlib import Path
from typing import Any

__all__ = ["dumps", "unwritten", "write_if_changed", "write_text"]


def dumps(document: Any) -> str:
    """A JSON document as the kit writes it: two spaces, ASCII, one final newline, no NaN.

    ASCII, because many documents hold characters that no editor shows apart.
    """
    return json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def write_text(path: Path, text: str) -> None:
    """Writes a file, replacing it whole; a link stays one, a device or a pipe is written to.

    Raises:
        OSError: the file can't be written.
    """
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    target = Path(os.path.realpath(path))
    partial = target.with_name(target.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(target)


def write_if_changed(path: Path, text: str) -> bool:
    """The same; False when the text stood there already.

    Raises:
        OSError: the file can't be read or written.
    """
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    write_text(path, text)
    return True


def unwritten(path: Path, text: str) -> str | None:
    """Writes a file; a sentence where it can't be written."""
    try:
        write_text(path, text)
    except OSError as error:
        return f"{path} can't be written: {error.strerror}"
    return None
