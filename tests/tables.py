"""Rows for tests, as data: ``tables.yaml`` in the folder of the tests has them, by what they are about."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml

Row = dict[str, Any]


def tables(test: str) -> dict[str, list[Row]]:
    """The tables for the test with that `__file__`."""
    made: dict[str, list[Row]] = yaml.safe_load(Path(test).with_name("tables.yaml").read_text("utf-8"))
    return made


def each(rows: Iterable[Row]) -> pytest.MarkDecorator:
    """A test for each row, which is named after the row's first member."""
    return pytest.mark.parametrize(
        "row", [pytest.param(row, id=str(next(iter(row.values())))) for row in rows]
    )
