"""The job's `result.json` as it stands: whose it is, where in it the job is, and of which generation."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from conformance.check.findings import Finding, Findings, Severity
from conformance.check.generations import (
    GROUP_MEMBERS,
    JOB_MEMBERS,
    STATS_MEMBERS,
    JobGeneration,
    job_generation,
)
from conformance.check.job.differences import JOB_FILE
from conformance.check.reading.json_files import (
    Members,
    NotJsonError,
    Number,
    parse,
    plain,
    pointer,
    show,
)
from conformance.check.reading.limits import Limits, TooLargeError

__all__ = ["Inside", "JobFile", "read_job_file"]

_TEXT = "003-3.3-text"
_MOST_NAMED = 10
_MOST_ENTRIES = 1000
"""The most metrics of a group that are passed on."""


@dataclass(frozen=True, slots=True)
class JobFile:
    """What the file holds."""

    content: bytes
    top: Members
    result: Members
    """The job's own object."""
    place: str
    """Where that stands, a JSON pointer: in the file of a job that somebody wrapped, one level down."""
    generation: JobGeneration

    @property
    def finished(self) -> bool:
        """Whether the job says so."""
        return self.result.get("finished_at") is not None

    @property
    def stats(self) -> Any:
        """The statistics, an object if the file is in form."""
        return self.result.get("stats")

    @property
    def evals(self) -> Any:
        """The groups, an object if the file is in form."""
        return self.stats.get("evals") if isinstance(self.stats, Members) else None

    def count(self, *path: str) -> int | None:
        """A count at a place, None if there is none."""
        value: Any = self.result
        for name in path:
            value = value.get(name) if isinstance(value, Members) else None
        is_count = isinstance(value, Number) and isinstance(value.value, int) and value.value >= 0
        return value.value if is_count else None

    def foreign(self) -> list[str]:
        """The places of members at the top that no harbor writes."""
        wrapped = self.place.removeprefix("/")
        outer = [pointer(name) for name, _ in self.top if self.place and pointer(name) != f"/{wrapped}"]
        inner = [self.place + pointer(name) for name, _ in self.result if name not in JOB_MEMBERS]
        return outer + inner

    def in_form(self) -> bool:
        """Whether it has the members of its generation, and no others."""
        return not self.place and all(
            {name for name, _ in members} == {*due} for members, due in self._members()
        )

    def _members(self) -> Iterator[tuple[Members, tuple[str, ...]]]:
        yield self.result, self.generation.job
        if isinstance(self.stats, Members):
            yield self.stats, self.generation.stats
        for group in _groups(self.evals):
            yield group, self.generation.group

    def stated(self) -> dict[str, list[dict[str, Any]]]:
        """The metrics that it states, by evals key, as plain JSON values."""
        found: dict[str, list[dict[str, Any]]] = {}
        for key, group in self.evals if isinstance(self.evals, Members) else ():
            metrics = group.get("metrics") if isinstance(group, Members) else None
            entries = metrics[:_MOST_ENTRIES] if isinstance(metrics, list) else []
            found[key] = [plain(entry) for entry in entries if isinstance(entry, Members)]
        return found

    def note_form(self, findings: Findings) -> None:
        """Says once what is about the file and in no harbor's."""
        if self.place:
            findings.note(f"{JOB_FILE} wraps the job's result in {show(self.place)[1:-1]}")
        foreign = self.foreign()
        if foreign:
            named = ", ".join(show(place)[1:-1] for place in foreign[:_MOST_NAMED])
            more = f" and {len(foreign) - _MOST_NAMED} more" if len(foreign) > _MOST_NAMED else ""
            what = (f"members that no harbor writes: {named}{more}", "no such members")
            note = Severity.NOTE
            findings.add(Finding("schema", JOB_FILE, foreign[0], *what, "003-3.3-members", graver=note))


class Inside(Findings):
    """Findings in a job's object that stands somewhere in its file: their places begin with its place."""

    def __init__(self, outer: Findings, place: str) -> None:
        super().__init__(outer.level)
        self._outer = outer
        self._place = place

    def add(self, finding: Finding) -> None:
        """Passes the finding on with its place in the file."""
        if finding.file == JOB_FILE:
            finding = replace(finding, path=self._place + finding.path)
        super().add(finding)
        self._outer.add(finding)

    def note(self, sentence: str) -> None:
        """Passes the note on."""
        self._outer.note(sentence)


def read_job_file(content: bytes, limits: Limits, findings: Findings) -> JobFile | None:
    """The file, None if it can't be judged; why is a finding."""
    try:
        top = parse(content, limits.file_memory // 3)  # the trials come beside it
    except TooLargeError as error:
        findings.add(Finding("too-large", JOB_FILE, "", error.what, error.due, None))
        return None
    except NotJsonError as error:
        findings.add(Finding("not-json", JOB_FILE, "", str(error), "the job's result in JSON", _TEXT))
        return None
    if not isinstance(top, Members):
        findings.add(Finding("schema", JOB_FILE, "", show(top), "an object", _TEXT))
        return None
    result, place = _unwrapped(top)
    if not any(name in JOB_MEMBERS for name, _ in result):
        what = f"an object of {', '.join(show(name) for name, _ in top[:_MOST_NAMED]) or 'nothing'}"
        findings.add(
            Finding("schema", JOB_FILE, "", what, "the job's result; this is somebody else's", _TEXT)
        )
        return None
    stats = result.get("stats")
    stats = stats if isinstance(stats, Members) else Members()
    group = {name for one in _groups(stats.get("evals")) for name, _ in one if name in GROUP_MEMBERS}
    members = [name for name, _ in result if name in JOB_MEMBERS]
    generation = job_generation(members, [name for name, _ in stats if name in STATS_MEMBERS], group)
    return JobFile(content, top, result, place, generation)


def _unwrapped(top: Members) -> tuple[Members, str]:
    """The job's object and its place: the file's own, or that of the first member that holds statistics."""
    if not top.has("stats"):
        for name, value in top:
            if isinstance(value, Members) and isinstance(value.get("stats"), Members):
                return value, pointer(name)
    return top, ""


def _groups(evals: Any) -> Iterator[Members]:
    for _, group in evals if isinstance(evals, Members) else ():
        if isinstance(group, Members):
            yield group
