"""Looks for an outcome line in a job's logs and holds it to `result.json`."""

import os
import select
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
_PIECE = 2**20
_LONGEST = 2**16
"""Bytes of a line that are looked at: none that is right is nearly as long."""
_LONGER = 2**14
_PATIENCE = 10
"""Seconds in which something has to come out of a pipe."""
_NAMES = ("stdout", "stdout.txt", "output.txt")


def is_log(name: str) -> bool:
    """Whether a file of that name may hold the line."""
    return name.endswith((".log", ".out")) or name in _NAMES


def last_line(descriptor: int, most: int) -> tuple[tuple[int, str] | None, int]:
    """The last line with the prefix and its number, None if there is none; and the bytes that were read.

    At most so many bytes are read, and one more. Memory is bounded.
    """
    found: tuple[int, bytes] | None = None
    number, rest, count = 1, b"", 0
    while count <= most and (piece := os.read(descriptor, min(_PIECE, most + 1 - count))):
        count += len(piece)
        text = rest + piece
        end = text.rfind(b"\n") + 1
        at = 0 if text.startswith(_PREFIX) and end else -1
        after = text.rfind(b"\n" + _PREFIX, 0, max(end - 1, 0))
        at = after + 1 if after >= 0 else at
        if at >= 0:
            found = (number + text.count(b"\n", 0, at), text[at : text.index(b"\n", at)][:_LONGEST])
        number += text.count(b"\n", 0, end)
        rest = text[end : end + _LONGEST]
    if rest.startswith(_PREFIX):
        found = (number, rest)
    return (None if found is None else (found[0], decoded(found[1].rstrip(b"\r")))), count


class LogReader:
    """Holds the lines of a job's logs to its `result.json`: as it is, and as it should."""

    def __init__(self, content: bytes, due: str | None, spent: Spent) -> None:
        """`content` is the file, `due` its text as it has to be; None where that is not known."""
        self._texts = [content] if due is None else [content, due.encode("utf-8", "replace")]
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
                    said = f"is not searched for an outcome line: {refused.what}, {refused.due}"
                    self.notes.append(f"{show(name)} {said}")
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
            Refused: it is not a file or pipe, or has too much in it.
        """
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISFIFO(mode) and select.select([descriptor], [], [], _PATIENCE)[0]:
            os.set_blocking(descriptor, True)  # what a shell's <(command) is
        elif not stat.S_ISREG(mode):
            os.close(descriptor)
            what = f"a FIFO without anything in it for {_PATIENCE} s" if stat.S_ISFIFO(mode) else "no file"
            raise Refused("special-file", what, "a log")
        before, most = self._spent.log_bytes, self._spent.limits.log_bytes
        there = self._judge(path, descriptor, most)
        if self._spent.log_bytes - before > most:
            raise Refused("too-large", f"more than {quantity(most, 'bytes')}", allowed(most, "bytes"))
        if not there:
            due, clause = "a line that begins with BASE_BENCHMARK_RESULT=", "003-5-read-no-line"
            self.findings.append(Finding("outcome-line", path, "", "no outcome line", due, clause))

    def _judge(self, name: str, descriptor: int, size: int) -> bool:
        """Judges a log's line and closes the log; False if there is no line."""
        try:
            line, count = last_line(descriptor, size)
        except OSError as error:
            self.findings.append(Finding("unreadable", name, "", reason(error), "a readable file", None))
            return True
        finally:
            os.close(descriptor)
        self._spent.log_bytes += count
        if line is None:
            return False
        if self._lines is None:
            self._lines = [_line(text) for text in self._texts]
        number, text = line
        gaps = [None if due is None else _gap(text, due) for due in self._lines]
        if all(gaps) and gaps[0] is not None:  # what is wrong with the file is not said twice
            level, said, likely = gaps[0]
            what = (f"line {number}: {show(text)}", f"{said}, from {JOB_FILE}", "003-5-line-format")
            self.findings.append(Finding("outcome-line", name, "", *what, likely, level))
        return True


def _line(content: bytes) -> str | None:
    """The line that a result gives, None if it gives none."""
    try:
        return summarise(content).line()
    except ValueError:  # a total of more digits than Python prints
        return None


def _gap(line: str, due: str) -> tuple[Level, str, str | None] | None:
    if line == due:
        return None
    if len(line) > len(due) + _LONGER:
        return Level.VALUE, due, None
    try:
        said = plain(parse(line.removeprefix(RESULT_PREFIX).encode()))
        meant = plain(parse(due.removeprefix(RESULT_PREFIX).encode()))
    except Refused:
        return Level.VALUE, due, "the line holds no JSON"
    if said != meant:
        return Level.VALUE, due, None
    if repr(said) != repr(meant) and any(type(said.get(key)) is not type(meant[key]) for key in meant):
        return Level.EXACT, due, "an int where a float is expected, or the reverse"
    return Level.BYTES, due, "keys are sorted, and white space is as Python's json.dumps writes it"
