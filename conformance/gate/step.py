"""Writes a CI step's outputs and summary.

GitHub reads them from files that environment variables name. The variables are removed before the gate starts
other processes, which would inherit them, and whatever they write to the files is removed. This is not a
sandbox, since a process can still find the files. But a runner that writes to them by accident, or in the
usual way, sets no outputs and no variables for later steps.
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
"""The largest step summary, in bytes; GitHub drops a longer one."""
_OUTPUT, _SUMMARY = "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"
_FILES = (_OUTPUT, _SUMMARY, "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE")
_SECRETS = ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_RUNTIME_TOKEN")
"""Variables with the job's credentials, which no runner needs."""
_ROOM = 200
"""Bytes reserved for the sentence that replaces an omitted part."""


class Step:
    """The CI step that runs the gate; outside CI, its methods do nothing."""

    def __init__(self, environment: MutableMapping[str, str]) -> None:
        """Removes the step's variables from the environment, before any process is started."""
        self.environment: Mapping[str, str] = dict(environment)
        """The original environment."""
        paths = {name: environment.pop(name, "") for name in _FILES}
        self._files = {name: (Path(path), _size(Path(path)) or 0) for name, path in paths.items() if path}
        for name in _SECRETS:
            environment.pop(name, None)

    def write(self, outputs: Mapping[str, str], summary: Sequence[str]) -> list[str]:
        """Sets the outputs and appends the summary's parts, each completely or not at all.

        Returns:
            A sentence for each failed write, and for each file that other processes had written to.
        """
        problems = [sentence for name in _FILES if (sentence := self._truncate(name)) is not None]
        if _OUTPUT in self._files:
            problems += self._append(_OUTPUT, output_text(outputs))
        if _SUMMARY in self._files:
            problems += self._append(_SUMMARY, _fit(summary, MOST_SUMMARY - self._files[_SUMMARY][1]))
        return problems

    def _truncate(self, name: str) -> str | None:
        """Remove what other processes wrote to a file; devices and pipes are left alone."""
        path, size = self._files.get(name, (None, 0))
        now = None if path is None else _size(path)
        if path is None or now is None or now <= size:
            return None
        with contextlib.suppress(OSError):
            os.truncate(path, size)
        return f"the runner, or a process that it started, wrote to ${name}: that was removed"

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
    """Return the outputs in GitHub's format, with delimiters that no value contains."""
    lines = []
    for name, value in outputs.items():
        end = f"end_{secrets.token_hex(16)}"
        while end in value:
            end = f"end_{secrets.token_hex(16)}"
        lines.append(f"{name}<<{end}\n{value}\n{end}\n")
    return "".join(lines)


def _fit(parts: Sequence[str], room: int) -> str:
    """Join the parts that fit; a sentence replaces each of the others."""
    text = ""
    for part in parts:
        part = part if part.endswith("\n") else f"{part}\n"
        used = len(encodable(text + part).encode())
        if used + _ROOM <= room:
            text += part + "\n"
        elif len(encodable(text).encode()) + _ROOM <= room:
            text += "A part of this summary is too long to be shown here; see the reports.\n\n"
    return text


def _size(path: Path) -> int | None:
    """The size of a regular file; None for anything else."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
