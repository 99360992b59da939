"""`--explain`: a finding with its rule, and how a metric or a pass@k comes about."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from conformance import __version__
from conformance.extensions.audit.discovery import JobPlace
from conformance.extensions.audit.findings import KINDS, Finding
from conformance.extensions.audit.formats import JOB_FILE
from conformance.extensions.audit.report import LENGTH, Below, Checked, JobAudit
from conformance.extensions.audit.steps import Step, number_steps
from conformance.outcomes.words import counted
from conformance.suite.schemas import urn
from conformance.wire.pointers import keys_of
from conformance.wire.text import printable, shortened

_NAME = re.compile(rf"[0-9a-f]{{1,{LENGTH}}}", re.ASCII)
_SHOWN = 5
SCHEMA = urn("check-explanation")
_INDENT = "    "
_SHARES, _NAMED = 12, 3
_LONGEST = 1000


class AskedError(ValueError):
    """There is nothing of that name, or more than one; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be explained."""

    place: JobPlace
    file: str
    path: str
    name: str | None = None
    finding: Finding | None = None


def narrowed(asked: str, places: Sequence[JobPlace]) -> Sequence[JobPlace]:
    """The jobs that have to be audited to find what is asked for: one for JOB:PLACE, else all.

    Raises:
        AskedError: it is neither a finding's name nor a place of one of these jobs.
    """
    if _NAME.fullmatch(asked):
        return places
    if ":/" not in asked and not asked.endswith(":"):
        raise AskedError(
            f"{asked!r} is no finding's name (up to {LENGTH} of the characters 0-9 and a-f, in brackets in "
            "the report) and no JOB:PLACE, such as my-job:/stats/n_completed_trials"
        )
    below = Below.of((place.name, place.submission) for place in places)
    for names in (Below(), below):  # a whole name goes before one that is shortened to the same
        found = [place for place in places if asked.startswith(f"{names.short(place.name)}:")]
        if found:
            return [max(found, key=lambda place: len(place.name))]
    raise AskedError(f"no job has the name before the colon in {asked!r}; names are those of the report")


def wanted(asked: str, places: Sequence[JobPlace], jobs: Iterable[Checked]) -> Wanted:
    """What is asked for; `jobs` are those places, audited one after the other, and no more than needed.

    Raises:
        AskedError: there is nothing of that name, or more than one.
    """
    if not _NAME.fullmatch(asked):
        (place,), job = narrowed(asked, places), next(iter(jobs))
        if job.problem is not None:
            raise AskedError(f"{place.name} is not judged: {job.problem}")
        ends = (at for at, one in enumerate(asked) if one == ":" and place.name.endswith(asked[:at]))
        path = asked[next(ends) + 1 :]
        there = (one for one in job.named() if (one[1].file, one[1].path) == (JOB_FILE, path))
        return Wanted(place, JOB_FILE, path, *next(there, ()))
    found: list[Wanted] = []
    for place, job in zip(places, jobs, strict=False):
        for name, finding in job.named():
            if name.startswith(asked):
                found.append(Wanted(place, finding.file, finding.path, name, finding))
        if found and len(asked) == LENGTH:
            break
    if not found:
        raise AskedError(
            f"no finding's name begins with {asked!r}; names hang on the places named, the level and the "
            "options, so give those of the report"
        )
    if len(found) > 1:
        few = ", ".join(f"{one.name} ({one.place.name} {one.file}{one.path})" for one in found[:_SHOWN])
        raise AskedError(f"{counted(len(found), 'finding')} have names that begin with {asked!r}: {few}")
    return found[0]


def explained(asked: Wanted, audit: JobAudit, statements: Mapping[str, str]) -> dict[str, Any]:
    """How the expected number at a place of a job comes about, as the schema `check-explanation` has it.

    `audit` is that job's, with its working kept.
    """
    finding = asked.finding
    steps, result = _steps(asked, audit)
    if not steps and finding is not None:
        steps = [Step(f"it is {KINDS[finding.kind]}")]
    elif not steps:
        what = "no number of the job is at that place" if result is None else f"the trials give {result}"
        steps = [Step(what)]
    about = {
        name: None if finding is None else getattr(finding, name)
        for name in ("clause", "rule", "severity", "kind", "found", "expected", "likely")
    }
    return {
        "schema": SCHEMA,
        "kit_version": __version__,
        "job": asked.place.name,
        "id": asked.name,
        "severity": about["severity"] and str(about["severity"]),
        "file": asked.file,
        "path": asked.path,
        "clause": about["clause"],
        "rule": about["rule"] or statements.get(about["clause"] or ""),
        **{name: about[name] for name in ("kind", "found", "expected", "likely")},
        "steps": [asdict(step) for step in steps],
        "result": result,
    }


def _steps(asked: Wanted, audit: JobAudit) -> tuple[list[Step], str | None]:
    """The steps to the number, and what comes out as the file has to have it, if that is a single value."""
    finding, working = asked.finding, audit.working
    if asked.file != JOB_FILE:
        return [], None
    if working is None:
        what = "could not be judged so far"
        if audit.state == "unfinished":
            what = "has not finished, so its numbers depend on timing"
        return [Step(f"the job {what}, and nothing is worked out")], None
    path = keys_of(asked.path.removeprefix(working.file.place))
    expected = None if finding is None else finding.expected.partition(",")[0]
    return number_steps(working, path, expected)


def lines(explanation: Mapping[str, Any]) -> Iterator[str]:
    """For people: long lists are cut."""
    name = "" if explanation["id"] is None else f" [{explanation['id']}]"
    where = f"{explanation['file'] or 'the directory'} {explanation['path']}".rstrip()
    yield _text(f"{explanation['job']}: {where}") + name
    if explanation["kind"] is not None:
        yield f"{_INDENT}{explanation['severity']}: {explanation['kind']}"
        yield f"{_INDENT}found {_text(explanation['found'])}"
        yield f"{_INDENT}expected {_text(explanation['expected'])}"
        if explanation["likely"] is not None:
            yield f"{_INDENT}likely: {_text(explanation['likely'])}"
    else:
        yield f"{_INDENT}no finding is about this place"
    if explanation["clause"] is not None:
        yield f"{_INDENT}rule {explanation['clause']}: {_text(explanation['rule'] or '')}"
    yield ""
    for step in explanation["steps"]:
        yield _text(step["says"])
        shares = step["shares"][:_SHARES]
        width = max((len(f"{share['count']:,}") for share in shares), default=0)
        for share in shares:
            names = _names(share["count"], share["trials"])
            yield f"{_INDENT}{share['count']:>{width},}  {_text(share['what'])}{names}"
        if rest := len(step["shares"]) - len(shares) + step["left_out"]:
            yield f"{_INDENT}… {rest:,} more"
    if explanation["result"] is not None:
        yield f"expected: {explanation['result']}"


def _names(count: int, trials: Sequence[str]) -> str:
    if not trials:
        return ""
    shown = trials if count <= _NAMED + 1 else trials[:_NAMED]
    more = f", … {count - len(shown):,} more" if count > len(shown) else ""
    return f": {', '.join(map(_text, shown))}{more}"


def _text(text: str) -> str:
    return printable(shortened(text, _LONGEST))
