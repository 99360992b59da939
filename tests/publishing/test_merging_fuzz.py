"""Parts of a fuzz run put together: every seed, every cause once; what is missing or odd is said."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.fuzz.merging import merged_fuzz
from conformance.publishing.kinds import page_of
from conformance.publishing.reading import PublishingError, document_of
from conformance.wire.writing import dumps

Json = dict[str, Any]
OF = 3
SPEC = "harbor-0.13.1"
TIMES = frozenset(
    {"started_at", "start_up_seconds", "duration_seconds", "looking_seconds", "rate_per_second"}
)
OF_FILES = frozenset({"counterexamples", "repeat"})
"""Each part writes a file of its own."""
_RUNS: dict[tuple[str, ...], Json] = {}


@pytest.fixture
def fuzz(cli: Any, tmp_path: Path, faults: Any) -> Callable[..., Json]:
    """One run of fuzz; its report. The same run is made once."""

    def do(*args: object, runner: str = "mistake:naive-sum") -> Json:
        words = (
            "--runner",
            runner,
            "--ops",
            "aggregate,evals_key",
            "--runner-timeout",
            "90",
            *map(str, args),
        )
        if words not in _RUNS:
            path = tmp_path / "fuzz.json"
            done = cli("fuzz", *words, "--json", path, "--out", tmp_path / "found.json", "--failures", 0)
            report: Json = json.loads(path.read_text(encoding="utf-8"))
            assert faults("fuzz-report", report) == []
            assert report["exit_code"] == done.returncode
            _RUNS[words] = report
        return copy.deepcopy(_RUNS[words])

    return do


@pytest.fixture
def three(fuzz: Callable[..., Json]) -> list[Json]:
    return [fuzz("--seed", 7, "--inputs", 450, "--shard", f"{k}/{OF}") for k in range(1, OF + 1)]


@pytest.fixture
def put_together(faults: Any) -> Callable[..., Json]:
    def do(*parts: Json) -> Json:
        told = [document_of(dumps(part).encode(), f"{place}.json") for place, part in enumerate(parts, 1)]
        together = merged_fuzz(told)
        text = dumps(together)
        assert faults("fuzz-report", json.loads(text)) == []
        page_of(document_of(text.encode(), "whole"))  # it holds together
        return together

    return do


@pytest.fixture
def refused(put_together: Callable[..., Json]) -> Callable[..., str]:
    def do(*parts: Json) -> str:
        with pytest.raises(PublishingError) as caught:
            put_together(*parts)
        sentence = str(caught.value)
        assert "\n" not in sentence
        return sentence

    return do


def changed(part: Json, *path: Any, to: Any) -> Json:
    part = copy.deepcopy(part)
    place = part
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return part


def test_all_parts_are_the_jobs_of_one_run(fuzz: Any, three: list[Json], put_together: Any) -> None:
    """But for times, and the likely mistakes, which each looks for in what it found."""
    whole, together = fuzz("--seed", 7, "--inputs", 450, "--jobs", OF), put_together(*three[1:], three[0])
    assert list(together) == list(whole)
    rest = TIMES | OF_FILES | {"causes"}
    assert {name: together[name] for name in together if name not in rest} == {
        name: whole[name] for name in whole if name not in rest
    }
    told = [
        [(one["op"], one["kind"], one["count"], one["seed"], one["first_input"]) for one in each["causes"]]
        for each in (together, whole)
    ]
    assert told[0] == told[1]
    assert together["disagreed"] == sum(one["count"] for one in together["causes"]) > 3
    assert [job["seed"] for job in together["jobs"]] == [7000, 7001, 7002]
    assert together["compared"] == sum(job["compared"] for job in together["jobs"]) == 450
    assert (together["exit_code"], together["ended"]) == (1, "inputs")


def test_a_cause_is_told_once_with_its_smallest_counterexample(three: list[Json], put_together: Any) -> None:
    together = put_together(*three)
    parts = [cause for part in three for cause in part["causes"]]
    assert len(parts) > len(together["causes"])
    for cause in together["causes"]:
        alike = [one for one in parts if (one["op"], one["kind"]) == (cause["op"], cause["kind"])]
        shown = [one for one in alike if one["counterexample"] == cause["counterexample"]]
        assert shown
        assert cause["asked"] == shown[0]["asked"]
        assert cause["repeat"] == shown[0]["repeat"]
        assert cause["likely"] is not None


def test_rates_and_times(three: list[Json], put_together: Any) -> None:
    together = put_together(*three)
    assert together["duration_seconds"] == max(part["duration_seconds"] for part in three)
    looking = sum(part["looking_seconds"] for part in three) / OF
    assert together["looking_seconds"] == round(looking, 3)
    assert together["rate_per_second"] == round(450 / (together["duration_seconds"] - looking), 1)


def test_parts_may_have_several_jobs(fuzz: Any, put_together: Any) -> None:
    args = ("--seed", 3, "--inputs", 60, "--from-scratch")
    parts = [
        fuzz(*args, "--shard", "1/2", "--jobs", 2, runner="reference"),
        fuzz(*args, "--shard", "2/2", runner="reference"),
    ]
    together = put_together(*parts)
    assert [job["seed"] for job in together["jobs"]] == [3000, 3001, 3002]
    assert (together["exit_code"], together["ended"], together["causes"]) == (0, "inputs", [])


def test_what_is_missing_is_named_and_fails(fuzz: Any, put_together: Any) -> None:
    args = ("--seed", 3, "--inputs", 60, "--from-scratch", "--shard")
    part = fuzz(*args, "2/3", runner="reference")
    assert part["exit_code"] == 0
    together = put_together(part)
    assert together["problems"] == [f"shard {k}/3 is missing: its inputs were not compared" for k in (1, 3)]
    assert (together["exit_code"], together["ended"]) == (1, "incomplete")
    assert together["selection"]["missing_shards"] == {"numbers": [1, 3], "of": 3}
    page = page_of(document_of(dumps(together).encode(), "whole"))
    assert page.verdict.word == "in part"
    assert page.exit_code == 1


def test_a_part_that_was_interrupted_is_named_and_fails(fuzz: Any, put_together: Any) -> None:
    args = ("--seed", 3, "--inputs", 60, "--from-scratch", "--shard")
    parts = [fuzz(*args, f"{k}/2", runner="reference") for k in (1, 2)]
    parts[1] |= {"ended": "interrupted", "exit_code": 130}
    together = put_together(*parts)
    assert together["problems"] == ["shard 2/2 was interrupted: 30 inputs were compared"]
    assert (together["exit_code"], together["ended"]) == (1, "incomplete")


def test_a_part_whose_runner_did_not_start(fuzz: Any, put_together: Any) -> None:
    args = ("--seed", 3, "--inputs", 60, "--from-scratch", "--shard")
    dead = fuzz(*args, "2/2", runner="no-such-command")
    other = changed(fuzz(*args, "1/2", runner="reference"), "runner", "command", to="no-such-command")
    together = put_together(other, dead)
    assert together["exit_code"] == 2
    assert together["problems"] == dead["problems"] != []
    assert together["jobs"][1]["problem"] == dead["problems"][0]


def test_parts_that_answer_as_different_environments(fuzz: Any, put_together: Any) -> None:
    args = ("--seed", 3, "--inputs", 60, "--from-scratch", "--shard")
    parts = [
        fuzz(*args, f"{k}/2", runner="reference") | {"environment": name, "telling": 1}
        for k, name in ((1, SPEC), (2, "pydantic-2.12.5"))
    ]
    together = put_together(*parts)
    assert (together["exit_code"], together["environment"]) == (1, None)
    assert together["problems"] == [
        f"shard 1/2 answers as {SPEC} does, shard 2/2 as pydantic-2.12.5: it mixes environments, and no "
        "single one explains the run"
    ]
    mixed = changed(parts[1], "environment", to=None)
    assert put_together(parts[0], mixed)["environment"] is None


def test_parts_of_another_run_are_refused(fuzz: Any, three: list[Json], refused: Any) -> None:
    other = fuzz("--seed", 8, "--inputs", 450, "--shard", "2/3")
    assert refused(three[0], other) == (
        "2.json is of another run than 1.json: `selection.seed` is 8, not 7; give all parts the same --seed"
    )
    whole = fuzz("--seed", 7, "--inputs", 450, "--jobs", OF)
    assert refused(three[0], whole) == (
        "2.json is no part of a fuzz run: it was made without --shard (`selection.shard`)"
    )
    changes = {
        "`kit_version` is": ("kit_version", "0.1.0"),
        "`level` is": ("level", "value"),
        "`runner.command` is": ("runner", "command", "./other"),
        "`runner.version` is": ("runner", "version", "9"),
        "`selection.ops` is": ("selection", "ops", ["aggregate"]),
        "`selection.inputs` is": ("selection", "inputs", 3),
        "`selection.without` is": ("selection", "without", ["x"]),
        "`selection.shard.of` is 4, not 3": ("selection", "shard", {"number": 2, "of": 5}),
        "`vectors_changed` is": ("vectors_changed", 1),
    }
    for told, (*path, to) in changes.items():
        sentence = refused(three[0], changed(three[1], *path, to=to), three[2])
        assert told.replace("4", "5") in sentence if "shard" in told else told in sentence
    assert refused(three[0], three[1], three[1]) == "3.json is there twice: 2.json is the same shard 2/3"
    slower = changed(three[1], "duration_seconds", to=1e6)
    assert refused(three[0], three[1], slower) == "2.json and 3.json are both shard 2/3, and differ"


def test_a_part_that_contradicts_itself_is_refused(three: list[Json], refused: Any) -> None:
    part = three[0]
    first = part["causes"][0]
    fewer = [{**first, "count": first["count"] + 1}, *part["causes"][1:]]
    changes = {
        "its counts are not those of its ops": ("compared", part["compared"] + 1),
        "disagreements, and there are": ("causes", fewer),
        "1 of its disagreements are of no cause": ("causes", 0, "count", first["count"] - 1),
        "`unclaimed` is not": ("unclaimed", ["job"]),
        "the seed 7001 is none of shard 1/3": ("seed", 7001),
        "`selection.shard` is 4 of 3": ("selection", "shard", "number", 4),
        "`causes[0].seed` is 7003": ("causes", 0, "seed", 7003),
        "`causes[0].counterexample` is not the id": (
            *("causes", 0, "counterexample"),
            f"{SPEC}/aggregation/fuzz-000000000000",
        ),
        "`causes[0].asked.op` is not": ("causes", 0, "asked", "op", "evals_key"),
    }
    for told, (*path, to) in changes.items():
        assert told in refused(changed(part, *path, to=to)), told
    quiet = {"exit_code": 0, "ended": "inputs", "causes": [], "disagreed": 0, "counterexamples": None}
    assert "its counts are not those of its ops" in refused(part | quiet)


def test_the_command(cli: Any, three: list[Json], tmp_path: Path) -> None:
    paths = []
    for place, part in enumerate(three):
        paths.append(tmp_path / f"{place}.json")
        paths[-1].write_text(dumps(part), encoding="utf-8")
    done = cli("report", "--merge", *paths, "--json", tmp_path / "whole.json")
    assert done.returncode == 1
    assert "on random inputs" in done.stdout
    assert json.loads((tmp_path / "whole.json").read_text(encoding="utf-8"))["compared"] == 450
    done = cli("report", paths[0])
    assert "this is part 1 of 3: merge them all" in done.stdout
    run = tmp_path / "run.json"
    assert (
        cli("run", "--runner", "reference", "--spec", "evsys", "--shard", "1/2", "--report", run).returncode
        == 0
    )
    done = cli("report", "--merge", paths[0], run)
    assert (done.returncode, done.stderr) == (
        2,
        f"harbor-conformance: {run} is the report of a run, and {paths[0]} of a fuzz: "
        "merge the parts of one\n",
    )
