"""Reads the job's own files: `result.json`, `config.json` and `lock.json`."""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from conformance.extensions.audit.expected import Header
from conformance.extensions.audit.findings import Finding, Severity
from conformance.extensions.audit.formats import JOB_FILE, JOB_FORMS, JOB_MEMBERS, VERSION, JobForm, job_form
from conformance.extensions.audit.limits import Limits, read_file
from conformance.extensions.audit.reading import (
    Members,
    count_of,
    parse,
    plain,
    pointer,
    repeated,
    show,
)
from conformance.pages.words import enumerated
from conformance.suite.schemas import schema
from conformance.wire.untrusted_files import Folder, Refused

DIFF_NOTE = "a diff job: trials that it reuses are in its source job, and in none of its numbers"
CONFIG, LOCK = "config.json", "lock.json"
_TEXT = "003-3.3-text"
_IDENTITY = "003-3.3-identity-and-times"
_MOST_NAMED = 10
_MOST_ENTRIES = 1000
"""The most metrics of a group that are passed on."""
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)


@dataclass(frozen=True, slots=True)
class JobFile:
    """What `result.json` holds."""

    content: bytes
    top: Members
    result: Members
    """The job's own object."""
    place: str
    """Where that is, a JSON pointer: in the file of a job that somebody wrapped, one level down."""
    form: JobForm
    stats: Members
    """The statistics, empty where they are no object."""
    evals: Any
    """The groups, an object if the file is in form."""
    groups: list[Members]
    """Its groups that are objects."""

    @property
    def finished(self) -> bool:
        """Whether the job says so."""
        return self.result.get("finished_at") is not None

    @property
    def counted(self) -> int | None:
        """The trials that it counts, None if it does not say."""
        count = count_of(self.stats.get(self.form.stats[0]))
        return count_of(self.stats.get("n_trials")) if count is None else count

    def with_config(self, config: Any) -> "JobFile":
        """The file, in the form of the release that wrote the configuration: each run writes both.

        Only the version distinguishes 0.26.0 from the releases before it, so a file without it needs another
        witness.
        """
        late = isinstance(config, dict) and VERSION in config and self.form is JOB_FORMS[-2]
        return replace(self, form=JOB_FORMS[-1]) if late else self

    def in_form(self) -> bool:
        """Whether it has the members of its form, and no others."""
        every = [(self.result, self.form.job), (self.stats, self.form.stats)]
        every += [(group, self.form.group) for group in self.groups]
        return not self.place and all({name for name, _ in members} == {*wanted} for members, wanted in every)

    def metrics(self) -> dict[str, Any]:
        """Each group's metrics as they are."""
        evals = self.evals if isinstance(self.evals, Members) else ()
        return {key: group.get("metrics") for key, group in evals if isinstance(group, Members)}

    def stated(self) -> dict[str, list[dict[str, Any]]]:
        """The metrics that it states, by evals key, as plain JSON values."""
        return {
            key: [plain(one) for one in entries[:_MOST_ENTRIES] if isinstance(one, Members)]
            for key, value in self.metrics().items()
            for entries in [value if isinstance(value, list) else []]
        }

    def strangers(self) -> Iterator[Finding]:
        """The note on members that no harbor writes."""
        outer = [pointer(name) for name, _ in self.top if self.place and pointer(name) != self.place]
        inner = [self.place + pointer(name) for name, _ in self.result if name not in JOB_MEMBERS]
        if places := outer + inner:
            named = enumerated([show(place)[1:-1] for place in places], _MOST_NAMED)
            what = (f"members that no harbor writes: {named}", "no such members", "003-3.3-members")
            yield Finding("schema", JOB_FILE, places[0], *what, graver=Severity.NOTE)

    def header(self) -> tuple[Header, list[Finding]]:
        """What the file says of the job itself, held to its form."""
        found: list[Finding] = []
        time = "a time that there is, as harbor prints it"

        def text(name: str, form: re.Pattern[str], wanted: str, nullable: bool) -> str | None:
            value = self.result.get(name)
            good = isinstance(value, str) and form.fullmatch(value)
            if not good and self.result.has(name) and not (value is None and nullable):
                found.append(Finding("schema", JOB_FILE, pointer(name), show(value), wanted, _IDENTITY))
            return value if isinstance(value, str) else None

        retries = self.stats.get("n_retries")
        header = Header(
            text("id", _ID, "a UUID in lower case", False),
            text("started_at", _moment(), time, False),
            text("updated_at", _moment(), time, True),
            text("finished_at", _moment(), time, True),
            count_of(self.result.get("n_total_trials")) or 0,
            count_of(retries) or 0,
        )
        updated, ended = header.updated_at, header.finished_at
        if not found and ended is not None and self.result.has("updated_at") and updated != ended:
            wanted = f"{show(ended)}, when it finished"
            found.append(
                Finding("time", JOB_FILE, "/updated_at", show(updated), wanted, "003-3.3-finish-time")
            )
        if self.stats.has("n_retries") and count_of(retries) is None:
            place, clause = "/stats/n_retries", "003-3.3-retries"
            found.append(Finding("schema", JOB_FILE, place, show(retries), "a count", clause))
        return header, found

    def retries_beyond(self, config: Any) -> Iterator[Finding]:
        """Retries that the configuration does not allow."""
        retries, total = count_of(self.stats.get("n_retries")), count_of(self.result.get("n_total_trials"))
        if not isinstance(config, dict) or retries is None or total is None or "orchestrator" in config:
            return
        retry = config.get("retry", {})
        each = retry.get("max_retries", 0) if isinstance(retry, dict) else None
        if isinstance(each, int) and retries > each * total:
            wanted = f"{each * total} at most, as {CONFIG} allows {each} for each of {total} trials"
            yield Finding("counter", JOB_FILE, "/stats/n_retries", str(retries), wanted, "003-3.3-retries")


@functools.cache
def _moment() -> re.Pattern[str]:
    """The times that there are, as harbor prints them."""
    return re.compile(schema("definitions")["$defs"]["moment"]["pattern"], re.ASCII)


def read_job_file(folder: Folder, limits: Limits) -> tuple[JobFile | None, list[Finding]]:
    """The job's file, None if it is not there or can't be judged; then a finding says why."""
    try:
        content = read_file(folder, JOB_FILE, limits.job_bytes)
        if content is None:
            return None, []
        top = parse(content, limits.file_values, "the job's result in JSON")
    except Refused as refused:
        return None, [Finding.refused(refused, JOB_FILE, _TEXT if refused.kind == "not-json" else None)]
    if not isinstance(top, Members):
        return None, [Finding("schema", JOB_FILE, "", show(top), "an object", _TEXT)]
    result, place = top, ""
    if not top.has("stats"):  # somebody may have wrapped the job's own object
        for name, value in top:
            if not place and isinstance(value, Members) and isinstance(value.get("stats"), Members):
                result, place = value, pointer(name)
    if not any(name in JOB_MEMBERS for name, _ in result):
        what = f"an object of {', '.join(show(name) for name, _ in top[:_MOST_NAMED]) or 'nothing'}"
        wanted = "the job's result; this is from another tool"
        return None, [Finding("schema", JOB_FILE, "", what, wanted, _TEXT)]
    stats = result.get("stats")
    stats = stats if isinstance(stats, Members) else Members()
    evals = stats.get("evals")
    groups = [one for _, one in evals if isinstance(one, Members)] if isinstance(evals, Members) else []
    form = job_form(
        {name for name, _ in result}, {name for name, _ in stats}, {name for one in groups for name, _ in one}
    )
    return JobFile(content, top, result, place, form, stats, evals, groups), []


def read_config(folder: Folder, limits: Limits) -> tuple[Any, list[Finding], list[str]]:
    """The configuration, None if there is none that can be read; with what is wrong, and notes."""
    found = []
    try:
        content = read_file(folder, CONFIG, limits.record_bytes)
        if content is not None:
            value = parse(content, limits.file_values, "the job's configuration")
            twice = ("the key comes twice", "once", None)
            return plain(value), [Finding("duplicate-key", CONFIG, at, *twice) for at in repeated(value)], []
    except Refused as refused:
        found = [Finding.refused(refused, CONFIG)]
    return None, found, [f"{CONFIG} is missing or not read: the job's metrics are read off {JOB_FILE}"]


def read_plan(folder: Folder, limits: Limits) -> tuple[int | None, list[str]]:
    """The number of planned trials, as the job's lock has it; None if it does not say. And notes."""
    try:
        content = read_file(folder, LOCK, limits.job_bytes)
        lock = None if content is None else parse(content, limits.file_values)
    except Refused as refused:  # what is not a file is a finding of the directory
        too_large = refused.kind == "too-large"
        return None, [f"{LOCK} is not looked at: {refused.what}, {refused.due}"] * too_large
    trials = lock.get("trials") if isinstance(lock, Members) else None
    return (len(trials) if isinstance(trials, list) and not isinstance(trials, Members) else None), []


def diff_sources(config: Any) -> tuple[str, ...]:
    """The ids of the jobs that a job's configuration says it is a diff of; empty where one is not known."""
    sources = config.get("source_jobs") if isinstance(config, dict) else None
    return tuple(
        str(one.get("job_id") or "")
        for one in (sources if isinstance(sources, list) else ())
        if isinstance(one, dict) and one.get("action") == "diff"
    )
