"""`--explain`: a finding with its rule, and how a metric or a pass@k is computed."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from conformance import __version__
from conformance.extensions.audit.discovery import JobPlace
from conformance.extensions.audit.findings import KINDS, Finding
from conformance.extensions.audit.formats import JOB_FILE
from conformance.extensions.audit.report import LENGTH, Below, Checked
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
    """No finding or place has that name, or more than one does; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to explain."""

    job: Checked
    """The job, audited with `keep_working`."""
    file: str
    path: str
    name: str | None = None
    finding: Finding | None = None


def wanted(asked: str, places: Sequence[JobPlace], audit: Callable[[JobPlace], Checked]) -> Wanted:
    """Finds what is asked for, a finding's name or JOB:PLACE; audits no more jobs than needed.

    Raises:
        AskedError: there is nothing of that name, or more than one.
    """
    if not _NAME.fullmatch(asked):
        return _at_place(asked, places, audit)
    found: list[Wanted] = []
    for job in map(audit, places):
        named = [(name, one) for name, one in job.named() if name.startswith(asked)]
        found += [Wanted(job, one.file, one.path, name, one) for name, one in named]
        if found and len(asked) == LENGTH:
            break
    if not found:
        raise AskedError(
            f"no finding's name begins with {asked!r}; names depend on the places named, the level and the "
            "options, so use those of the report"
        )
    if len(found) > 1:
        few = ", ".join(f"{one.name} ({one.job.path} {one.file}{one.path})" for one in found[:_SHOWN])
        raise AskedError(f"{counted(len(found), 'finding')} have names that begin with {asked!r}: {few}")
    return found[0]


def _at_place(asked: str, places: Sequence[JobPlace], audit: Callable[[JobPlace], Checked]) -> Wanted:
    if ":/" not in asked and not asked.endswith(":"):
        raise AskedError(
            f"{asked!r} is neither a finding's name (up to {LENGTH} of the characters 0-9 and a-f, in "
            "brackets in the report) nor a JOB:PLACE, such as my-job:/stats/n_completed_trials"
        )
    below = Below.of((place.name, place.submission) for place in places)
    for names in (Below(), below):  # a whole name takes precedence over an abbreviation of another
        found = [place for place in places if asked.startswith(f"{names.short(place.name)}:")]
        if found:
            job = audit(max(found, key=lambda place: len(place.name)))
            break
    else:
        raise AskedError(f"no job has the name before the colon in {asked!r}; names are those of the report")
    if job.problem is not None:
        raise AskedError(f"{job.path} was not audited: {job.problem}")
    ends = (at for at, one in enumerate(asked) if one == ":" and job.path.endswith(asked[:at]))
    path = asked[next(ends) + 1 :]
    there = (one for one in job.named() if (one[1].file, one[1].path) == (JOB_FILE, path))
    return Wanted(job, JOB_FILE, path, *next(there, ()))


def explained(asked: Wanted, statements: Mapping[str, str]) -> dict[str, Any]:
    """How a job's expected number is computed, in the form of the schema `check-explanation`."""
    finding, working, result = asked.finding, asked.job.audit.working, None
    steps: list[Step] = []
    if asked.file == JOB_FILE and working is None:
        what = "could not be audited that far"
        if asked.job.audit.state == "unfinished":
            what = "has not finished, so its numbers depend on timing"
        steps = [Step(f"the job {what}, and nothing is worked out")]
    elif asked.file == JOB_FILE and working is not None:
        path = keys_of(asked.path.removeprefix(working.file.place))
        expected = None if finding is None else finding.expected.partition(",")[0]
        steps, result = number_steps(working, path, expected)
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
        "job": asked.job.path,
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


def lines(explanation: Mapping[str, Any]) -> Iterator[str]:
    """The explanation as text; long lists are cut."""
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
