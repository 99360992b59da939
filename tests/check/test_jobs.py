"""Jobs of the real harbor give no finding."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from conformance.check.audit import audit
from conformance.check.findings import KINDS
from conformance.check.job import explain
from conformance.check.trials.shapes import quick
from conformance.judging.comparison import Level
from conformance.paths import DEFAULT_SPEC
from conformance.suite.clauses import statements

Files = dict[str, str]


def test_there_are_jobs_of_all_kinds(jobs: dict[str, Files]) -> None:
    states = {name: json.loads(files["result.json"])["finished_at"] is None for name, files in jobs.items()}
    assert len(jobs) >= 50
    assert sum(states.values()) >= 4


def test_no_finding(situation: str, written: Callable[..., Path]) -> None:
    found = audit(str(written(situation)), Level.BYTES)
    assert found.findings.ordered() == []


def test_no_finding_with_no_configuration_and_no_lock(situation: str, written: Callable[..., Path]) -> None:
    folder = written(situation)
    (folder / "config.json").unlink()
    (folder / "lock.json").unlink()
    assert audit(str(folder), Level.BYTES).findings.ordered() == []


def test_no_finding_in_older_pydantics_exponents(written: Callable[..., Path]) -> None:
    folder = written("extremes")
    result = folder / "result.json"
    text = result.read_text(encoding="utf-8")
    assert "e+17" in text
    result.write_text(
        text.replace('sum": 1.3345678901234568e+17', 'sum": 1.3345678901234568e17').replace(
            'max": 1.2345678901234568e+17', 'max": 1.2345678901234568e17'
        ),
        encoding="utf-8",
    )
    assert audit(str(folder), Level.BYTES).findings.ordered() == []


@pytest.mark.parametrize(
    ("situation_name", "words"),
    [
        ("resumed-backwards", "only a resumed job"),
        ("script", "script computed"),
        ("killed-half-way", "has not finished"),
    ],
)
def test_what_is_not_checked_is_noted(situation_name: str, words: str, written: Callable[..., Path]) -> None:
    notes = audit(str(written(situation_name)), Level.BYTES).findings.notes
    assert any(words in note for note in notes)


def test_nearly_every_record_is_read_quickly(jobs: dict[str, Files]) -> None:
    records = [
        content.encode()
        for files in jobs.values()
        for path, content in files.items()
        if path.endswith("/result.json")
    ]
    assert sum(quick(record) is not None for record in records) >= len(records) - 5


def test_a_record_reads_the_same_both_ways(jobs: dict[str, Files]) -> None:
    from conformance.check.reading.limits import Limits, Spent
    from conformance.check.trials.records import read_record

    for files in jobs.values():
        for path, content in files.items():
            if not path.endswith("/result.json"):
                continue
            shape = quick(content.encode())
            slowly, found = read_record(
                content.replace(": ", " :").encode(), path, explain=True, spent=Spent(Limits())
            )
            assert found == []
            assert slowly is not None
            if shape is None:
                continue
            for name in ("task_name", "trial_name", "source", "verifier_result", "started_at"):
                assert getattr(shape, name) == getattr(slowly, name)
            assert (shape.agent_info.name, shape.agent_info.model_info is None) == (
                slowly.agent_info.name,
                slowly.agent_info.model_info is None,
            )
            exceptions = [one.exception_info and one.exception_info.exception_type for one in (shape, slowly)]
            assert exceptions[0] == exceptions[1]


def test_no_machine_shows_in_the_jobs(jobs: dict[str, Files]) -> None:
    text = json.dumps(jobs)
    assert "/playback" in text
    assert not any(word in text for word in ("/tmp/", "/home/", "/var/folders/"))


@pytest.mark.oracle
def test_harbor_writes_the_same_again(jobs: dict[str, Files], make_jobs: ModuleType) -> None:
    sample = ["pass-at-k", "not-a-number", "resumed", "steps-gate", "agents-and-models"]
    assert make_jobs.made(sample) == {name: jobs[name] for name in sample}


def test_kinds_are_explained() -> None:
    assert all(KINDS.values())


def test_results_and_records_are_what_their_schemas_say(
    jobs: dict[str, Files], faults: Callable[[str, object], list[str]]
) -> None:
    for name, files in jobs.items():
        for path, content in files.items():
            if path.endswith("result.json"):
                schema = "result-json" if path == "result.json" else "trial-result"
                assert faults(schema, json.loads(content)) == [], (name, path)


def test_every_clause_is_in_the_inventory() -> None:
    sources = Path(explain.__file__).parent.glob("*.py")
    named = {
        clause for path in sources for clause in re.findall(r'"(003-[0-9.]+-[a-z0-9-]+)"', path.read_text())
    }
    assert len(named) > 30
    assert named <= statements(DEFAULT_SPEC).keys()
