"""Writes the tables, a few thousand rows at a time: whole or not at all."""

import contextlib
import os
import secrets
from pathlib import Path
from types import TracebackType
from typing import Any

from conformance import __version__
from conformance.check.report import Checked
from conformance.check.tables.columns import DOUBLES, INTS, SCHEMA, TABLES, TEXTS, Row, Table
from conformance.wire.text import printable

__all__ = ["Tables", "TablesError"]

BATCH = 5_000
"""Rows that are kept until they are written together."""


class TablesError(Exception):
    """Tables that can't be written; the message says why."""


class Tables:
    """The tables of one report, in a folder; those of an earlier one are replaced when the block ends.

    Where the block ends with an exception, or they can't be written, what stood there is as it was.
    """

    def __init__(self, folder: Path) -> None:
        """Raises TablesError: pyarrow is not there, or the folder can't be made or written to."""
        self._folder = folder
        self._given_up = False
        self.unwritten: str | None = None
        """Why they could not be written, a sentence."""
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise TablesError(
                "--parquet needs the extra `tables`: pip install 'harbor-conformance[tables]'"
            ) from None
        self._errors = (OSError, pyarrow.ArrowException)
        self._tables: list[_Open] = []
        try:
            folder.mkdir(exist_ok=True)
            for table in TABLES:
                self._tables.append(_Open(folder, table))
        except self._errors as error:
            self._leave()
            raise TablesError(self._sentence(error)) from None

    def add(self, job: Checked) -> None:
        """Adds what a job gave."""
        if self.unwritten is None:
            try:
                for table in self._tables:
                    table.add(job)
            except self._errors as error:  # the audit goes on, and it is told at the end
                self.unwritten = self._sentence(error)

    def give_up(self) -> None:
        """Leaves what stood there as it was when the block ends."""
        self._given_up = True

    def _sentence(self, error: Exception) -> str:
        number = error.errno if isinstance(error, OSError) else None
        why = os.strerror(number) if number else printable(str(error))
        return f"tables can't be written to {self._folder}: {why}"

    def _leave(self) -> None:
        for table in self._tables:
            table.leave()

    def __enter__(self) -> "Tables":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and not self._given_up and self.unwritten is None:
                for table in self._tables:
                    table.finish()
                for table in self._tables:
                    table.put_in_place()
        except self._errors as error:
            self.unwritten = self._sentence(error)
        finally:
            self._leave()


class _Open:
    """A file that is being written, beside its place."""

    def __init__(self, folder: Path, table: Table) -> None:
        from pyarrow import parquet

        self._table = table
        self._rows: list[Row] = []
        self._schema = _schema(table)
        self._place = folder / f"{table.name}.parquet"
        self._beside = folder / f".conformance-{os.getpid()}-{secrets.token_hex(4)}"
        self._writer = parquet.ParquetWriter(self._beside, self._schema, compression="zstd")

    def add(self, job: Checked) -> None:
        for row in self._table.rows(job):
            self._rows.append(row)
            if len(self._rows) == BATCH:
                self._write()

    def _write(self) -> None:
        import pyarrow

        self._writer.write_batch(pyarrow.RecordBatch.from_pylist(self._rows, schema=self._schema))
        self._rows = []

    def finish(self) -> None:
        if self._rows:
            self._write()
        self._writer.close()
        descriptor = os.open(self._beside, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def put_in_place(self) -> None:
        self._beside.replace(self._place)

    def leave(self) -> None:
        with contextlib.suppress(Exception):
            self._writer.close()
        with contextlib.suppress(OSError):
            self._beside.unlink()


def _schema(table: Table) -> Any:
    """The columns as pyarrow has them, what they mean in their metadata."""
    import pyarrow

    text = pyarrow.string()
    types = {
        TEXTS: pyarrow.list_(text),
        DOUBLES: pyarrow.map_(text, pyarrow.float64()),
        INTS: pyarrow.map_(text, pyarrow.int64()),
    }
    return pyarrow.schema(
        [
            pyarrow.field(
                column.name,
                types.get(column.type) or pyarrow.type_for_alias(column.type),
                metadata={"means": column.means},
            )
            for column in table.columns
        ],
        metadata={"schema": SCHEMA, "table": table.name, "kit_version": __version__},
    )
