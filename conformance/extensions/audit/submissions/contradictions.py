"""Where a submission's metadata contradicts its trials: another agent or model, a day before they ran."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta, timezone

from conformance.extensions.audit.metadata import Metadata
from conformance.extensions.audit.submissions.attempts import Submission

__all__ = ["contradictions"]

_AGENT = re.compile(r"agent|agent_?name|agent_display_name|agent/name", re.IGNORECASE)
_MODEL = re.compile(r"model|model_?name|model_display_name|models?/name", re.IGNORECASE)
_DATE = re.compile(
    r"date|submitted|submitted_at|(submission|run|evaluation)_?date|date_submitted", re.IGNORECASE
)
_DAY = re.compile(r"\s*(\d{4})-(\d\d)-(\d\d)(?!\d)")
_SHORTEST = 3
"""Characters from which on a name within another is taken for the same."""


def contradictions(metadata: Sequence[Metadata], submission: Submission) -> list[str]:
    """What does not fit, in sentences."""
    rows = [attempt.row for group in submission.groups.values() for attempt in group.attempts]
    if not rows:
        return []
    notes = []
    for file in metadata:
        named = {
            "agent": (_under(file, _AGENT), {row.agent for row in rows}),
            "model": (_under(file, _MODEL), {row.model for row in rows if row.model}),
        }
        for what, (said, found) in named.items():
            unsaid = sorted(name for name in found if not any(_alike(name, text) for text in said))
            if said and unsaid:
                notes.append(f"{file.file} names the {what} {_list(said)}, trials have {_list(unsaid)}")
        notes += _early(file, [row.started for row in rows if row.started is not None])
    return notes


def _under(file: Metadata, name: re.Pattern[str]) -> list[str]:
    """The texts whose last keys match, positions in a list aside."""
    found = []
    for path, text in file.values.items():
        keys = [key for key in path.split("/") if not key.isdigit()]
        if text.strip() and text != "null" and any(name.fullmatch("/".join(keys[-n:])) for n in (1, 2)):
            found.append(text)
    return found


def _alike(one: str, other: str) -> bool:
    short, long = sorted((_folded(one), _folded(other)), key=len)
    return short == long or (len(short) >= _SHORTEST and short in long)


def _folded(name: str) -> str:
    """The name without what people write in one way or another."""
    return re.sub(r"[\W_]+", "", name.rpartition("/")[2].casefold())


def _list(names: Iterable[str]) -> str:
    texts = list(dict.fromkeys(names))
    return ", ".join(texts[:3]) + (", …" if len(texts) > 3 else "")


def _early(file: Metadata, started: Sequence[float]) -> Iterator[str]:
    """Dates that lie a day or more before the first trial began."""
    if not started:
        return
    try:
        began = datetime.fromtimestamp(min(started), timezone.utc).date()
    except (OverflowError, ValueError, OSError):
        return
    for path, text in file.values.items():
        match = _DAY.match(text)
        if match is None or _DATE.fullmatch(path.rpartition("/")[2]) is None:
            continue
        try:
            day = date(*map(int, match.groups()))
        except ValueError:
            continue
        if day + timedelta(days=1) < began:
            yield f"{file.file} has the date {day} at {path}, the first trial began on {began}"
