"""Writes results as Parquet tables for DuckDB, Polars or pandas, with a row per trial, finding, job or score.

Text from a job is only changed where UTF-8 can't encode it.
"""

import json
import math
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.extensions.audit.findings import AuditError, Severity
from conformance.extensions.audit.report import JobAudit, encoded
from conformance.wire.text import printable

SCHEMA = "urn:harbor-conformance:check-tables:2"
"""The `schema` in each file's metadata; it changes when a column changes or is removed."""

TEXT, TRUTH, INT, DOUBLE = "VARCHAR", "BOOLEAN", "BIGINT", "DOUBLE"
TEXTS, DOUBLES, INTS = "VARCHAR[]", "MAP(VARCHAR, DOUBLE)", "MAP(VARCHAR, BIGINT)"
_MOST = 2**63 - 1

Row = dict[str, Any]

_TYPED: dict[str, tuple[tuple[str, str], ...]] = {
    "trials": (
        (TEXT, "job submission trial task source agent model evals_key"),
        (TRUTH, "scored"),
        (DOUBLE, "reward"),
        (DOUBLES, "rewards"),
        (TEXT, "rewards_json exception"),
        (DOUBLE, "started"),
        (INT, "n_input_tokens n_cache_tokens n_output_tokens"),
        (DOUBLE, "cost_usd"),
    ),
    "findings": ((TEXT, "job submission id severity kind level file path found expected clause likely"),),
    "jobs": (
        (TEXT, "job submission state verdict problem"),
        (INT, "planned trials errored findings wrong differs"),
        (INTS, "generations"),
        (TEXT, "stated_json"),
        (TEXTS, "notes"),
    ),
    "scores": ((TEXT, "job submission rules evals_key number"), (DOUBLE, "stated own under")),
}
COLUMNS = {
    table: {name: kind for kind, names in typed for name in names.split()} for table, typed in _TYPED.items()
}
"""All tables: each column with its type. The guide `checking-a-leaderboard` describes the columns."""


def _columns(table: str, source: Any) -> Row:
    """Return the columns of a table that are attributes of an object; values that do not fit become None."""
    fit: dict[str, Callable[[Any], Any]] = {DOUBLE: _double, INT: _int}
    columns = {name: kind for name, kind in COLUMNS[table].items() if hasattr(source, name)}
    return {name: fit.get(kind, lambda value: value)(getattr(source, name)) for name, kind in columns.items()}


def _trials(job: JobAudit) -> Iterator[Row]:
    for trial in job.rows:
        rewards = trial.rewards
        known = None if rewards is None else {key: _double(value) for key, value in rewards.items()}
        yield {
            **_columns("trials", trial),
            "evals_key": trial.group,
            "scored": rewards is not None,
            "reward": next(iter(known.values())) if known is not None and len(known) == 1 else None,
            "rewards": known,
            "rewards_json": None if rewards is None else _exact(rewards),
        }


def _findings(job: JobAudit) -> Iterator[Row]:
    for name, finding in job.named_findings():
        texts = {"id": name, "severity": str(finding.severity), "level": str(finding.breaks)}
        yield {**_columns("findings", finding), **texts}


def _jobs(job: JobAudit) -> Iterator[Row]:
    yield {
        **_columns("jobs", job),
        **{str(level): job.findings.of_severity(level) for level in (Severity.WRONG, Severity.DIFFERS)},
        "findings": job.total,
        "stated_json": None if job.state is None else _exact(job.stated),
        "notes": list(job.findings.notes),
    }


def _scores(job: JobAudit) -> Iterator[Row]:
    for scores in job.under:
        for key, group in scores.groups.items():
            for name in {**group.stated, **group.own, **group.under}:
                ends = {"stated": group.stated, "own": group.own, "under": group.under}
                numbers = {column: _double(values.get(name)) for column, values in ends.items()}
                yield {"rules": scores.rules.name, "evals_key": key, "number": name, **numbers}


def _double(number: Any) -> float | None:
    """Return the number as a double; None for other values, such as a list in a script's metric."""
    try:
        return float(number) if isinstance(number, int | float) else None
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _int(number: Any) -> int | None:
    return number if isinstance(number, int) and -_MOST - 1 <= number <= _MOST else None


def _exact(value: Any) -> str | None:
    """Return JSON in ASCII, with NaN and infinities as Python writes them; None if an int is too long."""
    try:
        return json.dumps(value)
    except (TypeError, ValueError):
        return None


class Tables:
    """The tables of a report, in a folder; they replace those of an earlier report."""

    def __init__(self, folder: Path) -> None:
        """Raises AuditError if DuckDB is missing, or the folder can't be created or written to."""
        self._folder = folder
        try:
            import duckdb

            self._errors, self._connect = (OSError, duckdb.Error), duckdb.connect
            folder.mkdir(exist_ok=True)
            tempfile.TemporaryDirectory(dir=folder).cleanup()
        except ImportError:
            install = "pip install 'harbor-conformance[tables]'"
            raise AuditError(f"--parquet needs the extra `tables`: {install}") from None
        except OSError as error:
            raise AuditError(self._sentence(error)) from None

    def write(self, jobs: Sequence[JobAudit]) -> None:
        """Write all tables, or none.

        Raises:
            AuditError: they can't be written; existing tables are unchanged.
        """
        try:
            folder = tempfile.TemporaryDirectory(prefix=".conformance-", dir=self._folder)
            with folder as new, self._connect() as database:
                database.execute("SET threads = 1; SET autoinstall_known_extensions = false")
                for name, rows in zip(COLUMNS, (_trials, _findings, _jobs, _scores), strict=True):
                    heads = [({"job": job.path, "submission": job.submission}, job) for job in jobs]
                    all_rows = ({**row, **columns} for columns, job in heads for row in rows(job))
                    _write(database, Path(new) / name, all_rows)
                for name in COLUMNS:
                    (Path(new) / name).replace(self._folder / f"{name}.parquet")
        except self._errors as error:
            raise AuditError(self._sentence(error)) from None

    def _sentence(self, error: Exception) -> str:
        number = error.errno if isinstance(error, OSError) else None
        why = os.strerror(number) if number else printable(str(error))
        return f"tables can't be written to {self._folder}: {why}"


def _write(database: Any, to: Path, rows: Iterable[Row]) -> None:
    """Write the table named by the path, through JSON lines: nothing else is fast without another library."""
    types = ", ".join(f"{column!r}: {kind!r}" for column, kind in COLUMNS[to.name].items())
    noted = {"schema": SCHEMA, "table": to.name, "kit_version": __version__}
    pairs = ", ".join(f"{_quoted(key)}: {_quoted(value)}" for key, value in noted.items())
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as lines:
        lines.writelines(json.dumps(encoded(row), ensure_ascii=False) + "\n" for row in rows)
        lines.flush()
        database.execute(
            f"COPY (SELECT * FROM read_json({_quoted(lines.name)}, format = 'newline_delimited', "  # noqa: S608
            f"maximum_object_size = 268435456, columns = {{{types}}})) "
            f"TO {_quoted(str(to))} (FORMAT parquet, COMPRESSION zstd, KV_METADATA {{{pairs}}})"
        )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
