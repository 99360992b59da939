"""Explanations of numbers that harbor's releases wrote: what comes out is what stands in the file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.check.explaining import Wanted, explained
from conformance.check.reading.json_files import Number, parse, pointer, walk
from conformance.check.reading.limits import Limits
from conformance.check.submissions.discovery import JobPlace
from conformance.check.work import Terms, checked
from conformance.judging.comparison import Level

sys.path.insert(0, str(Path(__file__).parent / "release_jobs"))

from kept_jobs import kept

NOT_OF_THE_TRIALS = ("n_retries", "scored")
"""What no trial tells, and what a script computes."""


def finished(release: str, folder: Path) -> Iterator[JobPlace]:
    """The jobs of a release that came to their end."""
    for situation, made in kept(release).items():
        for path, content in made["files"].items():
            file = folder / situation / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode())
        yield JobPlace(situation, str(folder / situation))


@pytest.mark.parametrize("release", ["0.1.2", "0.4.0", "0.6.0", "0.9.0", "0.25.0"])
def test_every_number_comes_out(release: str, tmp_path: Path) -> None:
    count = 0
    for place in finished(release, tmp_path):
        audit = checked(place, Terms(Level.VALUE, keep_working=True)).audit
        if audit is None or audit.state != "finished":
            continue
        for path, value in walk(parse((Path(place.path) / "result.json").read_bytes())):
            if isinstance(value, Number) and path[-1] not in NOT_OF_THE_TRIALS:
                wanted = Wanted(place, "result.json", pointer(*path))
                explanation = explained(wanted, audit, Limits(), {})
                assert explanation.result == value.text, (place.name, path)
                assert any(value.text in step.says for step in explanation.steps), (place.name, path)
                count += 1
    assert count > 80
