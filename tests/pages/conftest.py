"""What the tests of pages share: reports of every kind, and pages of them as a user gets them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.pages.examples import Examples

FORMATS, BADGES = ("log", "markdown", "html", "junit", "ctrf"), ("badge-json", "badge-svg")
Pages = Callable[..., dict[str, str]]


@pytest.fixture(scope="session")
def examples(shared: Any) -> Examples:
    return Examples(shared)


@pytest.fixture
def written(examples: Examples, tmp_path: Path) -> Callable[[Any], Path]:
    """The file of a report that is given by its name, or as it is."""
    count = iter(range(1000))

    def file(document: Any) -> Path:
        if isinstance(document, str):
            return examples.path(document)
        path = tmp_path / f"report-{next(count)}.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    return file


@pytest.fixture
def pages(cli: Any, tmp_path: Path, written: Callable[[Any], Path]) -> Pages:
    """The page of a report, or of what changed between two, in every format that there is of it."""

    def made(*documents: Any) -> dict[str, str]:
        words = ["report", *map(written, documents)]
        done = cli(*words, "--all")
        assert done.returncode == 0, done.stderr
        found = {"text": done.stdout}
        for names in (FORMATS, BADGES):
            done = cli(*words, "-o", f"{tmp_path}/made/", *(f"--format={name}" for name in names))
            if done.returncode == 0:
                found |= {
                    name: Path(line).read_text("utf-8")
                    for name, line in zip(names, done.stdout.splitlines(), strict=True)
                }
            else:
                assert (names, "has no badge" in done.stderr) == (BADGES, True), done.stderr
        return found

    return made
