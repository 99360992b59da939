"""The columns of the tables, each with its type and what it means, and the rows that an audit gives.

Text of a job is data: whatever it says, it is only made such that UTF-8 can hold it.
"""

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from conformance.check.findings import Severity
from conformance.check.report import Checked
from conformance.check.reporting.names import named
from conformance.check.trials.rows import TrialRow
from conformance.wire.text import encodable

__all__ = ["SCHEMA", "TABLES", "Column", "Table"]

SCHEMA = "urn:harbor-conformance:check-tables:1"
"""Stands in each file's metadata, under `schema`. It changes when a column changes or goes."""

TEXT, TRUTH, INT, DOUBLE = "string", "bool", "int64", "double"
TEXTS, DOUBLES, INTS = "list<string>", "map<string, double>", "map<string, int64>"
_MOST = 2**63 - 1

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """One column."""

    name: str
    type: str
    """One of this module's types."""
    means: str


@dataclass(frozen=True, slots=True)
class Table:
    """One file."""

    name: str
    columns: tuple[Column, ...]
    rows: Callable[[Checked], Iterator[Row]]
    """The rows of one job."""


_JOB = Column(
    "job", TEXT, "The job's name in the report: its folder as named, or the path below what was named."
)
_SUBMISSION = Column("submission", TEXT, "The folder of jobs that it belongs to; empty for a job of its own.")

_TRIALS = (
    _JOB,
    _SUBMISSION,
    Column("trial", TEXT, "The trial's name."),
    Column("task", TEXT, "The task's name."),
    Column("source", TEXT, "The dataset; null for a task of none."),
    Column("agent", TEXT, "The agent's name."),
    Column("model", TEXT, "The model's name; null where there is none."),
    Column("evals_key", TEXT, "The key of stats.evals under which the job has it."),
    Column("scored", TRUTH, "Whether the record has rewards."),
    Column("reward", DOUBLE, "The reward, where there is exactly one; else null."),
    Column("rewards", DOUBLES, "Every reward by its key, as the nearest double; null where there are none."),
    Column("rewards_json", TEXT, "The same as JSON, to the last digit; null where there are none."),
    Column("exception", TEXT, "The type of the exception that ended it; null where none did."),
    Column("started", DOUBLE, "When it began: seconds of a clock that a job's trials share."),
    Column("n_input_tokens", INT, "Null where the record has none, or more than 64 bits hold."),
    Column("n_cache_tokens", INT, "As n_input_tokens."),
    Column("n_output_tokens", INT, "As n_input_tokens."),
    Column("cost_usd", DOUBLE, "US dollars; null where the record has none."),
)
_FINDINGS = (
    _JOB,
    _SUBMISSION,
    Column("id", TEXT, "The finding's name in the report, for --explain."),
    Column("severity", TEXT, "wrong, differs or note."),
    Column("kind", TEXT, "One of the report's kinds, such as metric."),
    Column("level", TEXT, "The lowest level of comparison at which it counts."),
    Column("file", TEXT, "The file, relative to the job's folder; empty for the folder."),
    Column("path", TEXT, "The place in it, a JSON pointer; empty for the file as a whole."),
    Column("found", TEXT, "What stands there."),
    Column("expected", TEXT, "What the rules give."),
    Column("clause", TEXT, "The clause broken; null where none is."),
    Column("likely", TEXT, "The likely mistake; null where none is known."),
)
_JOBS = (
    _JOB,
    _SUBMISSION,
    Column("state", TEXT, "finished, unfinished or unknown; null where nothing could be read."),
    Column("verdict", TEXT, "The report's verdict."),
    Column("problem", TEXT, "Why it could not be judged, or not to the end; else null."),
    Column("planned", INT, "Trials that result.json says were planned; null where it does not say."),
    Column("trials", INT, "Trials with a record."),
    Column("errored", INT, "Of these, those that ended in an exception."),
    Column("findings", INT, "All findings; the table of findings has the first thousand of each kind."),
    Column("wrong", INT, "Those that are wrong."),
    Column("differs", INT, "Those that differ."),
    Column("generations", INTS, "The generations of its files, with the number of files."),
    Column("stated_json", TEXT, "The metrics that result.json states, by evals key, as JSON."),
    Column("notes", TEXTS, "What was not checked, and why."),
)


def _trials(job: Checked) -> Iterator[Row]:
    for trial in job.audit.rows if job.audit is not None else ():
        yield _trial(job, trial)


def _trial(job: Checked, trial: TrialRow) -> Row:
    rewards = trial.rewards
    known = None if rewards is None else {_text(key): _double(value) for key, value in rewards.items()}
    return {
        "job": encodable(job.path),
        "submission": encodable(job.submission),
        "trial": encodable(trial.trial),
        "task": encodable(trial.task),
        "source": _text(trial.source),
        "agent": encodable(trial.agent),
        "model": _text(trial.model),
        "evals_key": encodable(trial.group),
        "scored": rewards is not None,
        "reward": next(iter(known.values())) if known is not None and len(known) == 1 else None,
        "rewards": None if known is None else list(known.items()),
        "rewards_json": None if rewards is None else _exact(rewards),
        "exception": _text(trial.exception),
        "started": trial.started,
        "n_input_tokens": _int(trial.n_input_tokens),
        "n_cache_tokens": _int(trial.n_cache_tokens),
        "n_output_tokens": _int(trial.n_output_tokens),
        "cost_usd": None if trial.cost_usd is None else _double(trial.cost_usd),
    }


def _findings(job: Checked) -> Iterator[Row]:
    for name, finding in named(job):
        yield {
            "job": encodable(job.path),
            "submission": encodable(job.submission),
            "id": name,
            "severity": str(finding.severity),
            "kind": finding.kind,
            "level": str(finding.breaks),
            "file": encodable(finding.file),
            "path": encodable(finding.path),
            "found": encodable(finding.found),
            "expected": encodable(finding.expected),
            "clause": finding.clause,
            "likely": _text(finding.likely),
        }


def _jobs(job: Checked) -> Iterator[Row]:
    audit = job.audit
    yield {
        "job": encodable(job.path),
        "submission": encodable(job.submission),
        "state": None if audit is None else audit.state,
        "verdict": job.verdict,
        "problem": _text(job.problem),
        "planned": None if audit is None else _int(audit.planned),
        "trials": 0 if audit is None else audit.trials,
        "errored": 0 if audit is None else audit.errored,
        "findings": job.total,
        "wrong": 0 if audit is None else audit.findings.of_severity(Severity.WRONG),
        "differs": 0 if audit is None else audit.findings.of_severity(Severity.DIFFERS),
        "generations": [] if audit is None else sorted(audit.generations.items()),
        "stated_json": None if audit is None else _exact(audit.stated),
        "notes": [] if audit is None else [encodable(note) for note in audit.findings.notes],
    }


TABLES = (
    Table("trials", _TRIALS, _trials),
    Table("findings", _FINDINGS, _findings),
    Table("jobs", _JOBS, _jobs),
)


def _text(text: str | None) -> str | None:
    return None if text is None else encodable(text)


def _double(number: int | float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _int(number: int | None) -> int | None:
    return number if number is not None and -_MOST - 1 <= number <= _MOST else None


def _exact(value: Any) -> str | None:
    """As JSON in ASCII, NaN and infinities as harbor writes them; None for an int of too many digits."""
    try:
        return json.dumps(value)
    except (TypeError, ValueError):
        return None
