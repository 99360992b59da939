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

DIFF_NOTE = "a diff job: the trials that it reuses are in its source job, and not in its numbers"
CONFIG, LOCK = "config.json", "lock.json"
_TEXT = "003-3.3-text"
_IDENTITY = "003-3.3-identity-and-times"
_TIMES = ("started_at", "updated_at", "finished_at")
"""The members with a job's times; the first is never null."""
_MOST_NAMED = 10
_ID = (re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII), "a UUID in lower case")


@dataclass(frozen=True, slots=True)
class JobFile:
    """The content of `result.json`."""

    content: bytes
    top: Members
    result: Members
    prefix: str
    """The JSON pointer to the job's result, which is one level down if another tool wrapped it."""
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
        """The stated number of completed trials; None if there is none."""
        count = reading.count_of(self.stats.get(self.form.stats[0]))
        return reading.count_of(self.stats.get("n_trials")) if count is None else count

    def end_time(self) -> datetime | None:
        """Return when the job finished; None if unknown."""
        with suppress(msgspec.ValidationError):
            return msgspec.convert(self.result.get("finished_at"), datetime | None)
        return None

    def has_exact_members(self) -> bool:
        """Return whether the file has exactly the members of its form."""
        pairs = [(self.result, self.form.job), (self.stats, self.form.stats)]
        pairs += [(group, self.form.group) for group in self.groups.values()]
        return not self.prefix and all({name for name, _ in members} == {*names} for members, names in pairs)

    def metrics(self) -> dict[str, Any]:
        """Return each group's metrics, unchecked."""
        return {key: group.get("metrics") for key, group in self.groups.items()}

    def stated(self) -> dict[str, list[dict[str, Any]]]:
        """Return the stated metrics by evals key, as plain JSON values."""
        return {
            key: [reading.plain(metric) for metric in entries[:MOST_ENTRIES] if isinstance(metric, Members)]
            for key, value in self.metrics().items()
            for entries in [value if isinstance(value, list) else []]
        }

    def unknown_members(self) -> Iterator[Finding]:
        """Report members that no release writes, in one note."""
        outer = [pointer(name) for name, _ in self.top if self.prefix and pointer(name) != self.prefix]
        inner = [self.prefix + pointer(name) for name, _ in self.result if name not in JOB_MEMBERS]
        if places := outer + inner:
            named = enumerated([show(path)[1:-1] for path in places], _MOST_NAMED)
            details = (f"members that no release writes: {named}", "no such members", "003-3.3-members")
            yield Finding("schema", JOB_FILE, places[0], *details, severity_override=Severity.NOTE)

    def header(self, config: Any) -> tuple[Header, list[Finding]]:
        """Return the data about the job itself, and findings from checking it against the configuration."""
        findings: list[Finding] = []
        moment = re.compile(schema("definitions")["$defs"]["moment"]["pattern"], re.ASCII)
        of_time = (moment, "an existing time in harbor's format")
        texts: dict[str, str | None] = {}
        for name in ("id", *_TIMES):
            value, (form, wanted) = self.result.get(name), of_time if name in _TIMES else _ID
            texts[name] = value if isinstance(value, str) else None
            good = form.fullmatch(value) if isinstance(value, str) else value is None and name in _TIMES[1:]
            if not good and self.result.has(name):
                findings.append(Finding("schema", JOB_FILE, pointer(name), show(value), wanted, _IDENTITY))
        begun, updated, end_time = (texts[name] for name in _TIMES)
        if not findings and end_time is not None and self.result.has("updated_at") and updated != end_time:
            details = (show(updated), f"{show(end_time)}, when it finished", "003-3.3-finish-time")
            findings.append(Finding("time", JOB_FILE, "/updated_at", *details))
        elif (
            not findings
            and begun
            and end_time
            and len({"Z" in begun, "Z" in end_time}) == 1
            and end_time < begun
        ):
            details = (show(end_time), f"not before {begun}, when the job began", "003-3.3-finish-time")
            findings.append(Finding("time", JOB_FILE, "/finished_at", *details))
        stated, total = self.stats.get("n_retries"), reading.count_of(self.result.get("n_total_trials"))
        retries, wanted = reading.count_of(stated), ""
        if self.stats.has("n_retries") and retries is None:
            wanted = "a count"
        elif isinstance(config, dict) and "orchestrator" not in config and None not in (retries, total):
            retry = config.get("retry", {})
            per_trial = retry.get("max_retries", 0) if isinstance(retry, dict) else None
            if isinstance(per_trial, int) and (retries or 0) > (most := per_trial * (total or 0)):
                wanted = f"at most {most}, as {CONFIG} allows {per_trial} for each of {total} trials"
        if wanted:
            kind = "schema" if retries is None else "counter"
            details = (show(stated), wanted, "003-3.3-retries")
            findings.append(Finding(kind, JOB_FILE, "/stats/n_retries", *details))
        return {**texts, "n_total_trials": total or 0, "n_retries": retries or 0}, findings


def read_job_file(folder: Folder, limits: Limits, findings: Findings) -> JobFile | None:
    """Return the job's file; None if it does not exist, or can't be used, which is reported."""
    try:
        content = reading.read_file(folder, JOB_FILE, limits.job_bytes)
        top = None if content is None else parse(content, limits.file_values, "the job's result in JSON")
    except Refused as refused:
        clause = _TEXT if refused.kind == "not-json" else None
        findings.add_refusal(refused, JOB_FILE, clause)
        return None
    if content is None:
        return None
    if not isinstance(top, Members):
        findings.add("schema", JOB_FILE, "", show(top), "an object", _TEXT)
        return None
    result, prefix = top, ""
    if not top.has("stats"):  # another tool may have wrapped the job's result
        for name, value in top:
            if not prefix and isinstance(value, Members) and isinstance(value.get("stats"), Members):
                result, prefix = value, pointer(name)
    if not any(name in JOB_MEMBERS for name, _ in result):
        description = f"an object of {', '.join(show(name) for name, _ in top[:_MOST_NAMED]) or 'nothing'}"
        wanted = "the job's result; this file is from another tool"
        findings.add("schema", JOB_FILE, "", description, wanted, _TEXT)
        return None
    stats = result.get("stats") if isinstance(result.get("stats"), Members) else Members()
    evals = stats.get("evals")
    entries = evals if isinstance(evals, Members) else Members()
    groups = {key: group for key, group in entries if isinstance(group, Members)}
    in_groups = {name for group in groups.values() for name, _ in group}
    form = job_form({name for name, _ in result}, {name for name, _ in stats}, in_groups)
    return JobFile(content, top, result, prefix, form, stats, evals, groups)


def read_config(folder: Folder, limits: Limits, findings: Findings) -> Any:
    """Return the configuration; None if there is none or it can't be read."""
    try:
        content = reading.read_file(folder, CONFIG, limits.record_bytes)
        if content is not None:
            value = parse(content, limits.file_values, "the job's configuration")
            twice = ("the key occurs twice", "once", None)
            for path in reading.repeated(value):
                findings.add("duplicate-key", CONFIG, path, *twice)
            return reading.plain(value)
    except Refused as refused:
        findings.add_refusal(refused, CONFIG)
    findings.note(f"{CONFIG} is missing or not read: the job's metrics are taken from {JOB_FILE}")
    return None


def read_plan(folder: Folder, limits: Limits, findings: Findings) -> int | None:
    """Return the number of planned trials in the job's lock file; None if unknown."""
    try:
        content = reading.read_file(folder, LOCK, limits.job_bytes)
        lock = None if content is None else parse(content, limits.file_values)
    except Refused as refused:  # anything but a file is reported with the directory
        if refused.kind == "too-large":
            findings.note(f"{LOCK} is not checked: {refused.found}, {refused.expected}")
        return None
    trials = lock.get("trials") if isinstance(lock, Members) else None
    return len(trials) if isinstance(trials, list) and not isinstance(trials, Members) else None


def diff_sources(config: Any) -> tuple[str, ...]:
    """Return the ids of a diff job's source jobs, by its configuration; an unknown id is empty."""
    sources = config.get("source_jobs") if isinstance(config, dict) else None
    jobs = [source for source in sources if isinstance(source, dict)] if isinstance(sources, list) else []
    return tuple(str(job.get("job_id") or "") for job in jobs if job.get("action") == "diff")


_OLD_EXPONENT = re.compile(r'(?m)^( +(?:"(?:[^"\\]|\\.)*": )?-?[0-9](?:\.[0-9]+)?e)\+([0-9]+,?)$')
_MOST_LINE_SHOWN = 120


def text_finding(wanted: str, content: bytes) -> Iterator[Finding]:
    """Report the first line that differs from harbor's text, if there is one.

    Exponents may lack the plus sign that pydantic writes since 2.13.
    """
    if content in (wanted.encode(), _OLD_EXPONENT.sub(r"\1\2", wanted).encode()):
        return
    actual, lines = decoded(content).split("\n"), wanted.split("\n")
    index = next(number for number, (left, right) in enumerate(zip_longest(actual, lines)) if left != right)
    left, right = (side[index] if index < len(side) else "nothing" for side in (actual, lines))
    details = (f"line {index + 1}: {shortened(left, _MOST_LINE_SHOWN)}", shortened(right, _MOST_LINE_SHOWN))
    yield Finding("text", JOB_FILE, "", *details, "003-3.3-text", breaks=Level.BYTES)


_PREFIX = RESULT_PREFIX.encode()
_LONGEST = 2**16
"""How many bytes of a line are read; no correct line is nearly as long."""


def check_log(path: str, content: bytes, wanted: str | None, most: int) -> Finding | None:
    """Check the last outcome line in a log of at most `most` bytes; there must be one.

    `content` is the job's file, `wanted` its expected text, or None if that is unknown. The line may match
    either, since errors in the file are reported elsewhere.

    Raises:
        OSError: the log can't be read.
        Refused: it is not a file, or is too large.
    """
    last = _last_line(path, most)
    if last is None:
        wanted_line = "a line that begins with BASE_BENCHMARK_RESULT="
        return Finding("outcome-line", path, "", "no outcome line", wanted_line, "003-5-read-no-line")
    number, text = last
    texts, lines = [content, *([] if wanted is None else [wanted.encode("utf-8", "replace")])], list[str]()
    try:
        lines += [summarise(result).line() for result in texts]
    except ValueError:  # a total with more digits than Python prints
        return None
    if text in lines:
        return None
    details = (f"line {number}: {show(text)}", f"{lines[0]}, from {JOB_FILE}", "003-5-line-format")
    return Finding("outcome-line", path, "", *details, breaks=_level_of_difference(text, lines[0]))


def _last_line(path: str, most: int) -> tuple[int, str] | None:
    """Return the last line with the prefix, after its number; None if there is none."""
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise Refused("special-file", "not a file", "a log")
        left = size = status.st_size
        if size > most:
            raise Refused("too-large", quantity(size, "bytes"), allowed(most, "bytes", size))
        last: tuple[int, bytes] | None = None
        number, begins = 1, True
        while left > 0 and (piece := file.readline(min(_LONGEST, left))):
            if begins and piece.startswith(_PREFIX):
                last = (number, piece)
            left -= len(piece)
            begins = piece.endswith(b"\n")
            number += begins
    return None if last is None else (last[0], decoded(last[1].removesuffix(b"\n").rstrip(b"\r")))


def _level_of_difference(line: str, wanted: str) -> Level:
    """Return the lowest level at which two lines differ."""
    try:
        printed = reading.plain(parse(line.removeprefix(RESULT_PREFIX).encode()))
        meant = reading.plain(parse(wanted.removeprefix(RESULT_PREFIX).encode()))
    except Refused:
        return Level.VALUE
    same_types = printed == meant and all(type(printed.get(key)) is type(meant[key]) for key in meant)
    return Level.VALUE if printed != meant else Level.BYTES if same_types else Level.EXACT
