"""Looks for an outcome line in a job's logs and holds it to `result.json`."""

import os
import select
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress

from conformance.check.findings import Finding, Findings
from conformance.check.job.differences import JOB_FILE
from conformance.check.job.expected import Expected
from conformance.check.reading.files import Folder, Refused, reason
from conformance.check.reading.json_files import NotJsonError, parse, plain, show
from conformance.check.reading.limits import Spent, TooLargeError, allowed, quantity
from conformance.check.reading.weight import is_light, weigh
from conformance.judging.comparison import Level
from conformance.wire.text import decoded
from reference_impl import summarise
from reference_impl.outcome import RESULT_PREFIX

__all__ = ["LogReader", "is_log", "last_line", "line_findings"]

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
    """Holds the lines of a job's logs to its `result.json`: as it stands, and as it should."""

    def __init__(self, content: bytes, expected: Expected | None, findings: Findings, spent: Spent) -> None:
        self._content = content
        self._expected = expected
        self._findings = findings
        self._spent = spent
        self._due: list[str | None] | None = None

    def judge_logs(self, folder: Folder, names: Sequence[str]) -> str | None:
        """Judges the line of every log in a job's directory; the last of them."""
        last, limits = None, self._spent.limits
        for number, name in enumerate(sorted(names)):
            if number == limits.logs:
                self._findings.note(
                    f"of {len(names)} logs {limits.logs} are searched; --limits 2 doubles that"
                )
                break
            try:
                opened = folder.open(name, limits.log_bytes)
            except Refused as refused:
                if refused.kind == "too-large":
                    self._findings.note(
                        f"{show(name)} is not searched for an outcome line: {refused.what}, {refused.due}"
                    )
                else:
                    self._findings.add(Finding(refused.kind, name, "", refused.what, refused.due, None))
                continue
            if opened is None:
                continue
            if self._spent.log_bytes + opened[1] > limits.all_log_bytes:
                os.close(opened[0])
                most = allowed(limits.all_log_bytes, "bytes")
                self._findings.note(f"{show(name)} and later logs are not searched: of all logs {most}")
                break
            last = self._judge(name, opened[0], opened[1]) or last
        return last

    def judge_named(self, path: str) -> str | None:
        """Judges the line of a log that the user names; there has to be one.

        Raises:
            OSError: it can't be opened.
            Refused: it is no file or pipe, or has too much in it.
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
        line = self._judge(path, descriptor, most)
        if self._spent.log_bytes - before > most:
            raise Refused("too-large", f"more than {quantity(most, 'bytes')}", allowed(most, "bytes"))
        if line is None:
            due = "a line that begins with BASE_BENCHMARK_RESULT="
            clause = "003-5-read-no-line"
            self._findings.add(Finding("outcome-line", path, "", "no outcome line", due, clause))
        return line

    def _judge(self, name: str, descriptor: int, size: int) -> str | None:
        """Judges a log's line and closes the log; None if there is no line."""
        try:
            line, count = last_line(descriptor, size)
        except OSError as error:
            self._findings.add(Finding("unreadable", name, "", reason(error), "a readable file", None))
            return ""
        finally:
            os.close(descriptor)
        self._spent.log_bytes += count
        if line is None:
            return None
        if self._due is None:
            self._due = self._lines()
        for finding in line_findings(name, *line, self._due):
            self._findings.add(finding)
        return line[1]

    def _lines(self) -> list[str | None]:
        """The lines that `result.json` gives as it stands, and as it should."""
        room = self._spent.limits.file_memory // 3
        if not is_light(self._content) and weigh(self._content, room).decoded > room:
            self._findings.note(f"outcome lines are not checked: {JOB_FILE} is too large for that")
            return []
        found = [_line(self._content)]
        if self._expected is not None:
            with suppress(TooLargeError):  # a note says so
                found.append(_line(self._expected.text().encode()))
        return found


def _line(content: bytes) -> str | None:
    """The line that a result gives, None if it gives none."""
    try:
        return summarise(content).line()
    except ValueError:  # a total of more digits than Python prints
        return None


def line_findings(file: str, number: int, line: str, due: Iterable[str | None]) -> list[Finding]:
    """What is wrong with a line; `due` are those of the file as it stands, and as it should.

    A line that is one of them is right: what is wrong with the file is not said twice.
    """
    gaps = [None if one is None else _gap(line, one) for one in due]
    if not all(gaps) or not gaps:
        return []
    gap = gaps[0]
    assert gap is not None
    level, told, likely = gap
    what = (f"line {number}: {show(line)}", f"{told}, from {JOB_FILE}", "003-5-line-format")
    return [Finding("outcome-line", file, "", *what, likely, level)]


def _gap(line: str, due: str) -> tuple[Level, str, str | None] | None:
    if line == due:
        return None
    if len(line) > len(due) + _LONGER:
        return Level.VALUE, due, None
    try:
        said = plain(parse(line.removeprefix(RESULT_PREFIX).encode()))
        meant = plain(parse(due.removeprefix(RESULT_PREFIX).encode()))
    except NotJsonError:
        return Level.VALUE, due, "the line holds no JSON"
    if said != meant:
        return Level.VALUE, due, None
    if repr(said) != repr(meant) and any(type(said.get(key)) is not type(meant[key]) for key in meant):
        return Level.EXACT, due, "an int where a float is due, or the reverse"
    return Level.BYTES, due, "keys are sorted, and white space is as Python's json.dumps writes it"
