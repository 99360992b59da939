"""Jobs that the releases wrote: nothing is found in them, and every number that is changed is found."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.check.audit import audit
from conformance.check.findings import Severity
from conformance.check.generations import JOB_GENERATIONS
from conformance.judging.comparison import Level

Files = dict[str, str]
Place = Callable[[Path, Files], Path]
JOB = "result.json"
CHANGED = ("attempts", "errors", "agents", "metrics", "slash", "package")
"""Situations of which every number is changed."""
OFTEN = ("0.1.3", "0.1.45", "0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.6.2", "0.14.0", "0.21.0", "0.25.0")
"""Releases of every generation; of the others less is changed."""
UNTOLD = "/stats/n_retries"
"""What nothing else tells."""


def key(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def generation(release: str) -> str:
    (one,) = [one for one in JOB_GENERATIONS if key(one.first) <= key(release) <= key(one.last)]
    return one.name


def test_nothing_is_found_and_the_generation_is_named(
    release: str, release_jobs: dict[str, Files], tmp_path: Path, place: Place
) -> None:
    for situation, files in release_jobs.items():
        folder = place(tmp_path / situation, files)
        found = audit(str(folder), Level.BYTES, rows=True)
        by_records = audit(str(folder), Level.BYTES, results_only=True)
        for one in (*found.findings.ordered(), *by_records.findings.ordered()):
            pytest.fail(f"{situation}: {one}")
        if JOB not in files:
            assert found.state == "unknown"
            continue
        assert next(iter(found.generations)) == f"job file: {generation(release)}", situation
        assert sum(found.generations.values()) == 1 + found.trials
        stated = json.loads(files[JOB])
        assert found.planned == stated["n_total_trials"]
        assert found.stated == {name: one["metrics"] for name, one in stated["stats"]["evals"].items()}
        assert len(found.rows) == found.trials
        if found.state == "finished" and found.trials:
            assert {row.group for row in found.rows} >= stated["stats"]["evals"].keys()


def numbers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of numbers, and of lists of trials."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield from numbers(member, (*path, name))
    elif isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        yield path
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from numbers(member, (*path, index))
    elif isinstance(value, int | float):
        yield path


def pointer(path: tuple[Any, ...]) -> str:
    return "".join(f"/{str(one).replace('~', '~0').replace('/', '~1')}" for one in path)


def changed(document: Any, path: tuple[Any, ...]) -> None:
    """Changes one number by more than its last bits, or takes the first trial out of a list."""
    for name in path[:-1]:
        document = document[name]
    value = document[path[-1]]
    if isinstance(value, list):
        del value[0]
        if not value:
            del document[path[-1]]
    else:
        document[path[-1]] = value + 1 if isinstance(value, int) else value + max(abs(value), 1.0) / 64


def test_every_number_that_is_changed_is_found_where_it_stands(
    release: str, release_jobs: dict[str, Files], tmp_path: Path, place: Place
) -> None:
    count = 0
    for situation in CHANGED if release in OFTEN else ("errors",):
        files = release_jobs.get(situation)
        if files is None:
            continue
        folder = place(tmp_path / situation, files)
        if (found := audit(str(folder), Level.VALUE, results_only=True)).state != "finished":
            continue
        for path in numbers(json.loads(files[JOB])):
            if pointer(path) == UNTOLD:
                continue
            document = json.loads(files[JOB])
            changed(document, path)
            (folder / JOB).write_text(json.dumps(document, indent=4), encoding="utf-8")
            found = audit(str(folder), Level.VALUE, results_only=True)
            told = [one for one in found.findings.ordered() if one.severity is Severity.WRONG]
            where = [(one.file, one.path) for one in found.findings.ordered()]
            assert told, (situation, path, where)
            assert any(one.path and pointer(path).startswith(one.path) for one in told if one.file == JOB), (
                situation,
                path,
                where,
            )
            assert len(told) == 1, (situation, path, where)
            count += 1
    assert count > (60 if release in OFTEN else 10)


def test_a_reward_that_is_changed_in_a_record_is_found_there(
    release: str, release_jobs: dict[str, Files], tmp_path: Path, place: Place
) -> None:
    files = release_jobs["rewards"]
    for name in [path for path in files if path.count("/") == 1 and path.endswith(JOB)]:
        record = json.loads(files[name])
        if record["verifier_result"] is None:
            continue
        record["verifier_result"]["rewards"]["reward"] += 0.125
        folder = place(tmp_path / "job", {**files, name: json.dumps(record, indent=4)})
        for results_only in (False, True):
            found = audit(str(folder), Level.VALUE, results_only=results_only)
            told = [(str(one.severity), one.file, one.path) for one in found.findings.ordered()]
            ((severity, file, path),) = told
            assert (severity, file) == ("wrong", name), told
            assert path.startswith("/verifier_result/rewards")


@pytest.mark.parametrize("keys", ["several-keys", "no-keys"])
def test_before_0_6_0_a_metric_takes_one_key_alone(
    release: str, release_jobs: dict[str, Files], keys: str, tmp_path: Path, place: Place
) -> None:
    files = release_jobs.get(keys, {})
    if JOB not in files:
        assert key(release) < key("0.6.0")
        return
    document = json.loads(files[JOB])
    finished = document["finished_at"] is not None
    assert finished is (key(release) >= key("0.6.0"))
    document["finished_at"] = document["started_at"]
    folder = place(tmp_path / keys, files)
    (folder / JOB).write_text(json.dumps(document, indent=4), encoding="utf-8")
    kinds = [one.kind for one in audit(str(folder), Level.VALUE, results_only=True).findings.ordered()]
    assert ("never-finishes" in kinds) is not finished
