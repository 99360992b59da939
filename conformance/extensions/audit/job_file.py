"""Reads the job's own files: `result.json`, `config.json` and `lock.json`."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from typing import Any

import msgspec

from conformance.extensions.audit import reading
from conformance.extensions.audit.expected import MOST_ENTRIES, Header
from conformance.extensions.audit.findings import Finding, Findings, Severity
from conformance.extensions.audit.formats import JOB_FILE, JOB_MEMBERS, JobForm, job_form
from conformance.extensions.audit.reading import Limits, Members, parse, pointer, show
from conformance.judging.levels import Level
from conformance.pages.words import enumerated
from conformance.suite.schemas import schema
from conformance.wire.text import decoded, shortened
from conformance.wire.untrusted_files import Folder, Refused, allowed, quantity
from reference_impl import summarise
from reference_impl.outcome import RESULT_PREFIX

DIFF_NOTE = "a diff job: trials that it reuses are in its source job, and in none of its numbers"
CONFIG, LOCK = "config.json", "lock.json"
_TEXT = "003-3.3-text"
_IDENTITY = "003-3.3-identity-and-times"
_TIMES = ("started_at", "updated_at", "finished_at")
"""The times of a job; the first is never null."""
_MOST_NAMED = 10
_ID = (re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII), "a UUID in lower case")


@dataclass(frozen=True, slots=True)
class JobFile:
    """The content of `result.json`."""

    content: bytes
    top: Members
    result: Members
    place: str
    """The JSON pointer to the job's result: one level down if another tool wrapped it."""
    form: JobForm
    stats: Members
    """The statistics; empty if they are not an object."""
    evals: Any
    """The groups; an object if the file is well-formed."""
    groups: dict[str, Members]

    @property
    def finished(self) -> bool:
        """Whether the job claims to be finished."""
        return self.result.get("finished_at") is not None

    @property
    def counted(self) -> int | None:
        """The number of completed trials that it states; None if it states none."""
        count = reading.count_of(self.stats.get(self.form.stats[0]))
        return reading.count_of(self.stats.get("n_trials")) if count is None else count

    def ended(self) -> datetime | None:
        """Its end; None if it has none."""
        with suppress(msgspec.ValidationError):
            return msgspec.convert(self.result.get("finished_at"), datetime | None)
        return None

    def in_form(self) -> bool:
        """Whether it has exactly the members of its form."""
        every = [(self.result, self.form.job), (self.stats, self.form.stats)]
        every += [(group, self.form.group) for group in self.groups.values()]
        return not self.place and all({name for name, _ in members} == {*wanted} for members, wanted in every)

    def metrics(self) -> dict[str, Any]:
        """Each group's metrics, unchecked."""
        return {key: group.get("metrics") for key, group in self.groups.items()}

    def stated(self) -> dict[str, list[dict[str, Any]]]:
        """The metrics that it states, by evals key, as plain JSON values."""
        return {
            key: [reading.plain(one) for one in entries[:MOST_ENTRIES] if isinstance(one, Members)]
            for key, value in self.metrics().items()
            for entries in [value if isinstance(value, list) else []]
        }

    def unknown_members(self) -> Iterator[Finding]:
        """The note on members that no release writes."""
        outer = [pointer(name) for name, _ in self.top if self.place and pointer(name) != self.place]
        inner = [self.place + pointer(name) for name, _ in self.result if name not in JOB_MEMBERS]
        if places := outer + inner:
            named = enumerated([show(place)[1:-1] for place in places], _MOST_NAMED)
            what = (f"members that no harbor writes: {named}", "no such members", "003-3.3-members")
            yield Finding("schema", JOB_FILE, places[0], *what, severity_override=Severity.NOTE)

    def header(self, config: Any) -> tuple[Header, list[Finding]]:
        """The file's data about the job itself, checked against its form and the configuration."""
        found: list[Finding] = []
        moment = re.compile(schema("definitions")["$defs"]["moment"]["pattern"], re.ASCII)
        of_time = (moment, "an existing time in harbor's format")
        texts: dict[str, str | None] = {}
        for name in ("id", *_TIMES):
            value, (form, wanted) = self.result.get(name), of_time if name in _TIMES else _ID
            texts[name] = value if isinstance(value, str) else None
            good = form.fullmatch(value) if isinstance(value, str) else value is None and name in _TIMES[1:]
            if not good and self.result.has(name):
                found.append(Finding("schema", JOB_FILE, pointer(name), show(value), wanted, _IDENTITY))
        begun, updated, ended = (texts[name] for name in _TIMES)
        if not found and ended is not None and self.result.has("updated_at") and updated != ended:
            what = (show(updated), f"{show(ended)}, when it finished", "003-3.3-finish-time")
            found.append(Finding("time", JOB_FILE, "/updated_at", *what))
        elif not found and begun and ended and len({"Z" in begun, "Z" in ended}) == 1 and ended < begun:
            what = (show(ended), f"not before {begun}, when the job began", "003-3.3-finish-time")
            found.append(Finding("time", JOB_FILE, "/finished_at", *what))
        stated, total = self.stats.get("n_retries"), reading.count_of(self.result.get("n_total_trials"))
        retries, wanted = reading.count_of(stated), ""
        if self.stats.has("n_retries") and retries is None:
            wanted = "a count"
        elif isinstance(config, dict) and "orchestrator" not in config and None not in (retries, total):
            retry = config.get("retry", {})
            each = retry.get("max_retries", 0) if isinstance(retry, dict) else None
            if isinstance(each, int) and (retries or 0) > (most := each * (total or 0)):
                wanted = f"{most} at most, as {CONFIG} allows {each} for each of {total} trials"
        if wanted:
            kind = "schema" if retries is None else "counter"
            what = (show(stated), wanted, "003-3.3-retries")
            found.append(Finding(kind, JOB_FILE, "/stats/n_retries", *what))
        return {**texts, "n_total_trials": total or 0, "n_retries": retries or 0}, found


def read_job_file(folder: Folder, limits: Limits, findings: Findings) -> JobFile | None:
    """The job's file; None if it does not exist or can't be used, which a finding reports."""
    try:
        content = reading.read_file(folder, JOB_FILE, limits.job_bytes)
        top = None if content is None else parse(content, limits.file_values, "the job's result in JSON")
    except Refused as refused:
        clause = _TEXT if refused.kind == "not-json" else None
        findings.refuse(refused, JOB_FILE, clause)
        return None
    if content is None:
        return None
    if not isinstance(top, Members):
        findings.add("schema", JOB_FILE, "", show(top), "an object", _TEXT)
        return None
    result, place = top, ""
    if not top.has("stats"):  # another tool may have wrapped the job's result
        for name, value in top:
            if not place and isinstance(value, Members) and isinstance(value.get("stats"), Members):
                result, place = value, pointer(name)
    if not any(name in JOB_MEMBERS for name, _ in result):
        what = f"an object of {', '.join(show(name) for name, _ in top[:_MOST_NAMED]) or 'nothing'}"
        wanted = "the job's result; this is from another tool"
        findings.add("schema", JOB_FILE, "", what, wanted, _TEXT)
        return None
    stats = result.get("stats") if isinstance(result.get("stats"), Members) else Members()
    evals = stats.get("evals")
    every = evals if isinstance(evals, Members) else Members()
    groups = {key: one for key, one in every if isinstance(one, Members)}
    in_groups = {name for one in groups.values() for name, _ in one}
    form = job_form({name for name, _ in result}, {name for name, _ in stats}, in_groups)
    return JobFile(content, top, result, place, form, stats, evals, groups)


def read_config(folder: Folder, limits: Limits, findings: Findings) -> Any:
    """The configuration; None if there is none or it can't be read."""
    try:
        content = reading.read_file(folder, CONFIG, limits.record_bytes)
        if content is not None:
            value = parse(content, limits.file_values, "the job's configuration")
            twice = ("the key occurs twice", "once", None)
            for at in reading.repeated(value):
                findings.add("duplicate-key", CONFIG, at, *twice)
            return reading.plain(value)
    except Refused as refused:
        findings.refuse(refused, CONFIG)
    findings.note(f"{CONFIG} is missing or not read: the job's metrics are taken from {JOB_FILE}")
    return None


def read_plan(folder: Folder, limits: Limits, findings: Findings) -> int | None:
    """The number of planned trials in the job's lock; None if it has none."""
    try:
        content = reading.read_file(folder, LOCK, limits.job_bytes)
        lock = None if content is None else parse(content, limits.file_values)
    except Refused as refused:  # what is not a file is reported with the directory
        if refused.kind == "too-large":
            findings.note(f"{LOCK} is not checked: {refused.what}, {refused.due}")
        return None
    trials = lock.get("trials") if isinstance(lock, Members) else None
    return len(trials) if isinstance(trials, list) and not isinstance(trials, Members) else None


def diff_sources(config: Any) -> tuple[str, ...]:
    """The ids of the jobs that a diff job starts from, by its configuration; an unknown one is empty."""
    sources = config.get("source_jobs") if isinstance(config, dict) else None
    every = [one for one in sources if isinstance(one, dict)] if isinstance(sources, list) else []
    return tuple(str(one.get("job_id") or "") for one in every if one.get("action") == "diff")


_OLD_EXPONENT = re.compile(r'(?m)^( +(?:"(?:[^"\\]|\\.)*": )?-?[0-9](?:\.[0-9]+)?e)\+([0-9]+,?)$')
_MOST_SHOWN = 120


def text_finding(wanted: str, content: bytes) -> Iterator[Finding]:
    """At most one finding: where the text first differs from harbor's.

    Exponents may lack the plus sign that pydantic writes since 2.13.
    """
    if content in (wanted.encode(), _OLD_EXPONENT.sub(r"\1\2", wanted).encode()):
        return
    found, lines = decoded(content).split("\n"), wanted.split("\n")
    at = next(number for number, (left, right) in enumerate(zip_longest(found, lines)) if left != right)
    left, right = (one[at] if at < len(one) else "nothing" for one in (found, lines))
    what = (f"line {at + 1}: {shortened(left, _MOST_SHOWN)}", shortened(right, _MOST_SHOWN))
    yield Finding("text", JOB_FILE, "", *what, "003-3.3-text", breaks=Level.BYTES)


_PREFIX = RESULT_PREFIX.encode()
_LONGEST = 2**16
"""The most bytes of a line that are read: no right line is nearly as long."""


def judge_log(path: str, content: bytes, wanted: str | None, most: int) -> Finding | None:
    """Checks the last outcome line in a log of at most `most` bytes; there must be one.

    `content` is the job's file, `wanted` its expected text; None if that is unknown. Errors in the file are
    reported elsewhere, so the line may match either of them.

    Raises:
        OSError: the log can't be read.
        Refused: it is not a file, or has too much in it.
    """
    found = _last_line(path, most)
    if found is None:
        wanted_line = "a line that begins with BASE_BENCHMARK_RESULT="
        return Finding("outcome-line", path, "", "no outcome line", wanted_line, "003-5-read-no-line")
    number, text = found
    texts, lines = [content, *([] if wanted is None else [wanted.encode("utf-8", "replace")])], list[str]()
    try:
        lines += [summarise(one).line() for one in texts]
    except ValueError:  # a total with more digits than Python prints
        return None
    if text in lines:
        return None
    what = (f"line {number}: {show(text)}", f"{lines[0]}, from {JOB_FILE}", "003-5-line-format")
    return Finding("outcome-line", path, "", *what, breaks=_gap(text, lines[0]))


def _last_line(path: str, most: int) -> tuple[int, str] | None:
    """The number of the last line with the prefix, and the line; None if there is none."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise Refused("special-file", "no file", "a log")
        left = size = status.st_size
        if size > most:
            raise Refused("too-large", quantity(size, "bytes"), allowed(most, "bytes", size))
        found: tuple[int, bytes] | None = None
        number, begins = 1, True
        while left > 0 and (piece := file.readline(min(_LONGEST, left))):
            if begins and piece.startswith(_PREFIX):
                found = (number, piece)
            left -= len(piece)
            begins = piece.endswith(b"\n")
            number += begins
    return None if found is None else (found[0], decoded(found[1].removesuffix(b"\n").rstrip(b"\r")))


def _gap(line: str, wanted: str) -> Level:
    """The lowest level at which two lines differ."""
    try:
        printed = reading.plain(parse(line.removeprefix(RESULT_PREFIX).encode()))
        meant = reading.plain(parse(wanted.removeprefix(RESULT_PREFIX).encode()))
    except Refused:
        return Level.VALUE
    same_types = printed == meant and all(type(printed.get(key)) is type(meant[key]) for key in meant)
    return Level.VALUE if printed != meant else Level.BYTES if same_types else Level.EXACT
