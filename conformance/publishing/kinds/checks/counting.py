"""Whether a report of ``check`` agrees with itself: what it says of all jobs is what it says of each."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.publishing.kinds.checks.words import VERDICTS, stops
from conformance.publishing.reading import PublishingError
from conformance.wire.text import shortened

__all__ = ["agreed"]

Document = Mapping[str, Any]
_SHOWN = 120
_INTERRUPTED = 128
"""Exit codes from here on say that somebody ended the audit, whatever was found until then."""


def agreed(document: Document) -> None:
    """Holds a report's numbers to each other.

    Raises:
        PublishingError: they contradict each other.
    """
    for contradiction in _contradictions(document):
        raise PublishingError(f"the report contradicts itself: {contradiction}")


def _contradictions(document: Document) -> Iterator[str]:
    jobs, summary = document["jobs"], document["summary"]
    verdicts = Counter(job["verdict"] for job in jobs)
    told = {name: summary["verdicts"][name.replace(" ", "_")] for name in VERDICTS}
    for name, count in told.items():
        yield from _unlike(f"jobs that are {name}", count, verdicts[name])
    yield from _unlike("jobs", summary["jobs"], len(jobs))
    for name in ("trials", "unverified", "total"):
        what = "findings" if name == "total" else name
        yield from _unlike(what, summary[name], sum(job[name] for job in jobs))
    for job in jobs:
        for what in _within(job):
            yield f"of {_named(job['path'])} {what}"
    yield from _kinds(document)
    yield from _exit_code(document)
    yield from _submissions(document)


def _unlike(what: str, whole: int, parts: int) -> Iterator[str]:
    if whole != parts:
        yield f"its summary counts {whole} {what}, its jobs {parts}"


def _named(name: str) -> str:
    return shortened(name, _SHOWN)


def _within(job: Document) -> Iterator[str]:
    """What is not right about one job."""
    severities, counts = job["severities"], job["counts"]
    if not job["total"] == sum(severities.values()) == sum(counts.values()):
        yield "the findings by severity or by kind are not as many as all of them"
    by_severity = Counter(one["severity"] for one in job["findings"])
    by_kind = Counter(one["kind"] for one in job["findings"])
    if any(by_severity[name] > severities[name] for name in by_severity):
        yield "more findings of a severity are listed than it counts"
    if any(by_kind[name] > counts.get(name, 0) for name in by_kind):
        yield "more findings of a kind are listed than it counts"
    if max(job["unverified"], job["errored"]) > job["trials"]:
        yield "more trials are unverified or errored than there are"
    if job["problem"] is not None:
        due = "not judged"
    elif severities["wrong"] or severities["differs"]:
        due = "wrong" if severities["wrong"] else "differs"
    else:
        due = "clean" if job["state"] == "finished" else "unfinished"
    if job["verdict"] != due:
        yield f"the verdict is {job['verdict']}, and what is said of it makes it {due}"


def _kinds(document: Document) -> Iterator[str]:
    """The findings by kind, over all jobs."""
    kinds: Counter[str] = Counter()
    severities: Counter[str] = Counter()
    for job in document["jobs"]:
        kinds.update(job["counts"])
        severities.update(job["severities"])
    told = document["summary"]["kinds"]
    if len({(one["kind"], one["severity"]) for one in told}) != len(told):
        yield "its summary has a kind of finding twice"
    by_kind: Counter[str] = Counter()
    by_severity: Counter[str] = Counter()
    for one in told:
        by_kind[one["kind"]] += one["count"]
        by_severity[one["severity"]] += one["count"]
    for name in sorted(kinds.keys() | by_kind.keys()):
        yield from _unlike(f"findings of kind {name}", by_kind[name], kinds[name])
    for name in sorted(severities.keys() | by_severity.keys()):
        yield from _unlike(f"findings of severity {name}", by_severity[name], severities[name])


def _exit_code(document: Document) -> Iterator[str]:
    """An exit code that is not the one of these jobs."""
    jobs, code = document["jobs"], document["exit_code"]
    if code > _INTERRUPTED:
        if all(job["problem"] is None for job in jobs):
            yield f"the exit code {code} says that it was ended, and no job that it was not judged"
        return
    grave = any(
        count and stops(severity, document["fail_on"])
        for job in jobs
        for severity, count in job["severities"].items()
    )
    # What was not checked is a note too, which has no finding.
    grave = grave or (document["fail_on"] == "note" and any(job["notes"] for job in jobs))
    due = 2 if any(job["problem"] is not None for job in jobs) else int(grave)
    if code != due:
        yield f"its exit code is {code}, and that of its jobs {due}"


def _submissions(document: Document) -> Iterator[str]:
    """Submissions that are not those of the jobs."""
    due: dict[str, Counter[str]] = {}
    for job in document["jobs"]:
        if job["submission"]:
            due.setdefault(job["submission"], Counter())[job["verdict"]] += 1
    names = [one["name"] for one in document["submissions"]]
    if sorted(names) != sorted(due):
        yield "its submissions are not those of its jobs"
        return
    for one in document["submissions"]:
        if any(one["jobs"][name] != due[one["name"]][name] for name in VERDICTS):
            yield f"the jobs of submission {_named(one['name'])} are not those that are listed"
        for group in one["groups"]:
            yield from _group(group, _named(one["name"]))
    known = set(names)
    for board in document["leaderboards"]:
        if any(entry["submission"] not in known for entry in board["entries"]):
            yield "a leaderboard has a submission that is not there"
    for job in document["jobs"]:
        for group in job.get("groups", ()):
            yield from _group(group, _named(job["path"]))


def _group(group: Document, name: str) -> Iterator[str]:
    """Trials that are not as many as the group has."""
    if max(group["errored"], group["errored_scored"]) > group["records"]:
        yield f"of {name} more trials have an exception than there are"
    if any(one["scored"] + one["unscored"] != group["records"] for one in group["scores"]):
        yield f"of {name} scored and unscored trials are not all of them"
    grid = group.get("trials")
    if grid is None:
        return
    if len(grid["tasks"]) + grid["left_out"]["tasks"] != group["tasks"]:
        yield f"of {name} tasks shown and left out are not all of them"
    for one in grid["rewards"]:
        if len(one["cells"]) != len(grid["tasks"]):
            yield f"of {name} there are not as many rows of trials as tasks"
        shown = sum(cell != "." for row in one["cells"] for cell in row.split(" "))
        if not grid["left_out"]["tasks"] and shown + grid["left_out"]["attempts"] != group["records"]:
            yield f"of {name} trials shown and left out are not all of them"
