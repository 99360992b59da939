"""What a step of a CI system has besides its log: outputs, a summary, annotations.

GitHub reads them from files that variables of the environment name. Whatever the gate starts inherits the
environment: so the variables are taken out of it first, and what is written to the files meanwhile is cut
off again. That is no wall, as whoever looks for the files finds them; but what a runner writes by chance, or
in the usual way, sets no output and no variable of later steps.
"""

import contextlib
import os
import secrets
import stat
from collections.abc import Mapping, MutableMapping, Sequence
from pathlib import Path

from conformance.wire.text import encodable

__all__ = ["MOST_SUMMARY", "Step", "output_text"]

MOST_SUMMARY = 1 << 20
"""Bytes that GitHub takes of a step's summary; of a longer one it takes nothing."""
_OUTPUT, _SUMMARY = "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"
_FILES = (_OUTPUT, _SUMMARY, "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE")
_SECRETS = ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_RUNTIME_TOKEN")
"""What stands for the job itself; no runner needs it."""
_ROOM = 200
"""Bytes kept for the sentence that stands for what is left out."""


class Step:
    """The step that the gate is, where a CI system runs it; elsewhere nothing happens."""

    def __init__(self, environment: MutableMapping[str, str]) -> None:
        """Takes what is the step's own out of the environment, before anything is started in it."""
        self.environment: Mapping[str, str] = dict(environment)
        """The environment as it was."""
        taken = {name: environment.pop(name, "") for name in _FILES}
        self._files = {name: (Path(path), _size(Path(path)) or 0) for name, path in taken.items() if path}
        for name in _SECRETS:
            environment.pop(name, None)

    def write(self, outputs: Mapping[str, str], summary: Sequence[str]) -> list[str]:
        """Sets the outputs and appends the summary's parts, each whole or not at all.

        Returns:
            What could not be written, and what others had written there, a sentence each.
        """
        said = [sentence for name in _FILES if (sentence := self._cut(name)) is not None]
        if _OUTPUT in self._files:
            said += self._append(_OUTPUT, output_text(outputs))
        if _SUMMARY in self._files:
            said += self._append(_SUMMARY, _fitting(summary, MOST_SUMMARY - self._files[_SUMMARY][1]))
        return said

    def _cut(self, name: str) -> str | None:
        """Cuts off what others wrote since; nothing of a device or a pipe."""
        path, size = self._files.get(name, (None, 0))
        now = None if path is None else _size(path)
        if path is None or now is None or now <= size:
            return None
        with contextlib.suppress(OSError):
            os.truncate(path, size)
        return f"something that the runner started wrote to ${name}: it was removed"

    def _append(self, name: str, text: str) -> list[str]:
        path, _ = self._files[name]
        try:
            with open(path, "ab", buffering=0) as file:
                content = encodable(text).encode()
                while content:
                    content = content[file.write(content) :]
        except OSError as error:
            return [f"${name} can't be written: {error.strerror}"]
        return []


def output_text(outputs: Mapping[str, str]) -> str:
    """The outputs as GitHub reads them; no value, whatever is in it, can end before its end."""
    lines = []
    for name, value in outputs.items():
        end = f"end_{secrets.token_hex(16)}"
        while end in value:
            end = f"end_{secrets.token_hex(16)}"
        lines.append(f"{name}<<{end}\n{value}\n{end}\n")
    return "".join(lines)


def _fitting(parts: Sequence[str], room: int) -> str:
    """As many parts as there is room for, and a sentence for each that there is none for."""
    text = ""
    for part in parts:
        part = part if part.endswith("\n") else f"{part}\n"
        used = len(encodable(text + part).encode())
        if used + _ROOM <= room:
            text += part + "\n"
        elif len(encodable(text).encode()) + _ROOM <= room:
            text += "A part of this summary is too long to be shown here: it is among the reports.\n\n"
    return text


def _size(path: Path) -> int | None:
    """Of a plain file; None of anything else."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
