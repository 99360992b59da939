"""Looks for an outcome line in a job's logs and holds it to `result.json`."""

import os
import stat
from collections.abc import Sequence

from conformance.extensions.audit.findings import Finding
from conformance.extensions.audit.formats import JOB_FILE
from conformance.extensions.audit.limits import Spent
from conformance.extensions.audit.reading import parse, plain, show
from conformance.judging.comparison import Level
from conformance.wire.text import decoded
from conformance.wire.untrusted_files import Folder, Refused, allowed, quantity, reason
from reference_impl import summarise
from reference_impl.outcome import RESULT_PREFIX

_PREFIX = RESULT_PREFIX.encode()
_LONGEST = 2**16
"""Bytes of a line that are looked at: none that is right is nearly as long."""
_NAMES = ("stdout", "stdout.txt", "output.txt")


def is_log(name: str) -> bool:
    """Whether a file of that name may hold the line."""
    return name.endswith((".log", ".out")) or name in _NAMES


def last_line(descriptor: int, most: int) -> tuple[int, str] | None:
    """The number of the last line with the prefix, and the line; None if there is none.

    At most so many bytes are read. Memory is bounded.
    """
    found: tuple[int, bytes] | None = None
    number, begins = 1, True
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        while most > 0 and (piece := file.readline(min(_LONGEST, most))):
            if begins and piece.startswith(_PREFIX):
                found = (number, piece)
            most -= len(piece)
            begins = piece.endswith(b"\n")
            number += begins
    return None if found is None else (found[0], decoded(found[1].removesuffix(b"\n").rstrip(b"\r")))


class LogReader:
    """Holds the lines of a job's logs to its `result.json`: as it is, and as it should."""

    def __init__(self, content: bytes, wanted: str | None, spent: Spent) -> None:
        """`content` is the file, `wanted` its text as it has to be; None where that is not known."""
        self._texts = [content] if wanted is None else [content, wanted.encode("utf-8", "replace")]
        self._spent = spent
        self._lines: list[str | None] | None = None
        self.findings: list[Finding] = []
        self.notes: list[str] = []

    def judge_logs(self, folder: Folder, names: Sequence[str]) -> None:
        """Judges the line of every log in a job's directory."""
        limits = self._spent.limits
        for number, name in enumerate(sorted(names)):
            if number == limits.logs:
                self.notes.append(f"of {len(names)} logs {limits.logs} are searched; --limits 2 doubles that")
                break
            try:
                opened = folder.open(name, limits.log_bytes)
            except Refused as refused:
                if refused.kind == "too-large":
                    why = f"is not searched for an outcome line: {refused.what}, {refused.due}"
                    self.notes.append(f"{show(name)} {why}")
                else:
                    self.findings.append(Finding.refused(refused, name))
                continue
            if opened is None:
                continue
            if self._spent.log_bytes + opened[1] > limits.all_log_bytes:
                os.close(opened[0])
                most = allowed(limits.all_log_bytes, "bytes")
                self.notes.append(f"{show(name)} and later logs are not searched: of all logs {most}")
                break
            self._judge(name, opened[0], opened[1])

    def judge_named(self, path: str) -> None:
        """Judges the line of a log that the user names; there has to be one.

        Raises:
            OSError: it can't be opened.
            Refused: it is not a file, or has too much in it.
        """
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        status, most = os.fstat(descriptor), self._spent.limits.log_bytes
        if stat.S_ISREG(status.st_mode) and status.st_size <= most:
            if not self._judge(path, descriptor, status.st_size):
                wanted, clause = "a line that begins with BASE_BENCHMARK_RESULT=", "003-5-read-no-line"
                self.findings.append(Finding("outcome-line", path, "", "no outcome line", wanted, clause))
            return
        os.close(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Refused("special-file", "no file", "a log")
        size = status.st_size
        raise Refused("too-large", quantity(size, "bytes"), allowed(most, "bytes", size))

    def _judge(self, name: str, descriptor: int, size: int) -> bool:
        """Judges a log's line and closes the log; False if there is no line."""
        try:
            line = last_line(descriptor, size)
        except OSError as error:
            self.findings.append(Finding("unreadable", name, "", reason(error), "a readable file", None))
            return True
        finally:
            os.close(descriptor)
        self._spent.log_bytes += size
        if line is None:
            return False
        if self._lines is None:
            self._lines = [_line(text) for text in self._texts]
        number, text = line
        gaps = [None if wanted is None else _gap(text, wanted) for wanted in self._lines]
        if all(gaps) and gaps[0] is not None:  # what is wrong with the file is reported once
            level, printed, likely = gaps[0]
            what = (f"line {number}: {show(text)}", f"{printed}, from {JOB_FILE}", "003-5-line-format")
            self.findings.append(Finding("outcome-line", name, "", *what, likely, level))
        return True


def _line(content: bytes) -> str | None:
    """The line that a result gives, None if it gives none."""
    try:
        return summarise(content).line()
    except ValueError:  # a total of more digits than Python prints
        return None


def _gap(line: str, wanted: str) -> tuple[Level, str, str | None] | None:
    if line == wanted:
        return None
    try:
        printed = plain(parse(line.removeprefix(RESULT_PREFIX).encode()))
        meant = plain(parse(wanted.removeprefix(RESULT_PREFIX).encode()))
    except Refused:
        return Level.VALUE, wanted, "the line holds no JSON"
    if printed != meant:
        return Level.VALUE, wanted, None
    if repr(printed) != repr(meant) and any(type(printed.get(key)) is not type(meant[key]) for key in meant):
        return Level.EXACT, wanted, "an int where a float is expected, or the reverse"
    return Level.BYTES, wanted, "keys are sorted, and white space is as Python's json.dumps writes it"
