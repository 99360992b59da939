"""What a stranger's command leaves: its output, and the folder it worked in."""

import codecs
import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

__all__ = ["TAIL", "Stream", "remove"]

_CHUNK = 1 << 16
TAIL = 8192
"""How many bytes of the end of an output are kept."""


def remove(folder: Path) -> None:
    """Removes a folder, however deep, and also where its maker took its rights away."""
    with contextlib.suppress(RecursionError):  # most are small: no process is started for those
        shutil.rmtree(folder, ignore_errors=True)
    for words in (["rm", "-rf", "--"], ["chmod", "-R", "u+rwX", "--"], ["rm", "-rf", "--"]):
        if folder.exists():
            subprocess.run([*words, str(folder)], stderr=subprocess.DEVNULL, check=False)


class Stream:
    """One output of a call: counted, decoded and forgotten but for its end."""

    def __init__(self, on_line: Callable[[bytes], None] | None) -> None:
        self.reading, self.writing = os.pipe()
        self.count = 0
        self.tail = b""
        self.decodes = True
        self.is_open = True
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._on_line = on_line
        self._unread = b""

    def take(self) -> bool:
        """Takes what there is to read; whether a line is complete."""
        chunk = os.read(self.reading, _CHUNK)
        self.is_open = bool(chunk)
        self.count += len(chunk)
        self.tail = (self.tail + chunk)[-TAIL:]
        if self.decodes:
            try:
                self._decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError:
                self.decodes = False
        if self._on_line is None:
            return False
        *lines, self._unread = (self._unread + chunk).split(b"\n")
        for line in lines:
            self._on_line(line)
        return bool(lines)
