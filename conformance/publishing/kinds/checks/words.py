"""How numbers, verdicts and commands of ``check`` are written on a page."""

import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from conformance.paths import DEFAULT_SPEC
from conformance.publishing.blocks import Mark, Tone

__all__ = [
    "DENOMINATORS",
    "GRAVITY",
    "VERDICTS",
    "Below",
    "cut",
    "explaining",
    "figure",
    "many",
    "number",
    "severity_mark",
    "short_figure",
    "spread",
    "stops",
    "verdict_mark",
    "who",
]

VERDICTS = ("clean", "differs", "wrong", "unfinished", "not judged")
"""Every verdict of a job, as a page counts them."""
GRAVITY = {"clean": 0, "unfinished": 1, "differs": 2, "wrong": 3, "not judged": 4}
"""How grave a verdict is, so that one can be worse than another: worst is to know nothing."""
_SEVERITIES = {"note": 1, "differs": 2, "wrong": 3}
_NEVER = 4

DENOMINATORS = {
    "records": "all records, unscored as zero (harbor's mean)",
    "planned": "all trials planned, missing as zero",
    "scored": "scored trials alone",
    "task-records": "by task, unscored as zero",
    "task-attempts": "by task, missing attempts as zero",
    "task-scored": "by task, scored trials alone",
    "errors-as-zero": "all records, exceptions as zero",
    "errors-left-out": "trials without an exception",
    "best-attempt": "the best attempt at each task",
    "first-attempt": "the first attempt at each task",
}
"""What a score is divided by, in as few words as a picture has room for."""


def many(count: int, noun: str) -> str:
    """A count with its noun, thousands apart."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def number(count: int) -> str:
    """A count, thousands apart."""
    return f"{count:,}"


def cut(text: str, most: int) -> str:
    """The text, cut where it is long."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def figure(value: float | None, fractional: bool) -> str:
    """A score: in percent where rewards are from 0 to 1; a dash where there is none."""
    if value is None:
        return "–"
    return f"{100 * value:.1f} %" if fractional else f"{value:.6g}"


def short_figure(value: float | None, fractional: bool) -> str:
    """The same without a sign of percent, for columns whose caption says it."""
    return figure(value, fractional).removesuffix(" %")


def spread(error: float | None, fractional: bool) -> str:
    """A standard error; nothing where there is none."""
    if error is None:
        return ""
    return f"± {100 * error:.1f}" if fractional else f"± {error:.3g}"


def stops(severity: str, fail_on: str) -> bool:
    """Whether a finding of that severity makes the exit code 1."""
    return _SEVERITIES[severity] >= _SEVERITIES.get(fail_on, _NEVER)


def severity_mark(severity: str, fail_on: str) -> Mark:
    """A severity: what stops is bad, and so is a number that is wrong, whatever the exit code."""
    if severity == "wrong" or stops(severity, fail_on):
        return Mark(severity, Tone.BAD)
    return Mark(severity, Tone.WARN if severity == "differs" else Tone.PLAIN)


def verdict_mark(verdict: str, fail_on: str) -> Mark:
    """A job's verdict."""
    if verdict in _SEVERITIES:
        return severity_mark(verdict, fail_on)
    tones = {"clean": Tone.GOOD, "unfinished": Tone.QUIET}
    return Mark(verdict, tones.get(verdict, Tone.BAD))


def who(group: Mapping[str, Any]) -> str:
    """Agent and model of a group."""
    return " / ".join(filter(None, (group["agent"], group["model"])))


def explaining(document: Mapping[str, Any], job: Mapping[str, Any], name: str) -> str:
    """The command that shows how the number comes about that a finding expects.

    A report is the same wherever its jobs are: of jobs below a folder, the command is for that folder.
    """
    asked = document.get("asked")
    words = ["harbor-conformance", "check", "--explain", name]
    if document["spec"] != DEFAULT_SPEC:
        words += ["--spec", document["spec"]]
    if document["level"] != "bytes":
        words += ["--level", document["level"]]
    if asked is not None:
        words += ["--results-only"] * asked["results_only"]
        words += [] if asked["dataset"] is None else ["--dataset", asked["dataset"]]
        words += [word for log in asked["logs"] for word in ("--log", log)]
    place = job["path"]
    if job["submission"]:  # names are paths below the folder that was audited
        place = "LOCATION" if place.startswith("/") or "://" in place else "."
    words += ["--"] * place.startswith("-")
    return " ".join(map(shlex.quote, [*words, place]))


class Below:
    """The folder that the names of all jobs share: said once, and left out elsewhere."""

    def __init__(self, jobs: Iterable[Mapping[str, Any]]) -> None:
        names = {job["submission"] or job["path"] for job in jobs}
        common: list[str] = []
        for parts in zip(*(name.split("/")[:-1] for name in names), strict=False):
            if len(set(parts)) > 1:
                break
            common.append(f"{parts[0]}/")
        told = "".join(common)
        self.folder = told if any(part != "/" and not part.endswith(":/") for part in common) else ""

    def short(self, name: str) -> str:
        """The name below the folder."""
        return name[len(self.folder) :] or name if name.startswith(self.folder) else name

    def in_text(self, text: str) -> str:
        """A sentence with the names shortened that stand in a list at its end."""
        return re.sub(f"(?<=[:,] ){re.escape(self.folder)}(?=.)", "", text) if self.folder else text
