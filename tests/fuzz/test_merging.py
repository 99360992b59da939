"""Shards of a fuzz run put together are the jobs of one; what is missing, odd or not theirs is said."""

import hashlib
import json
from typing import Any

import pytest

from conformance.wire.writing import dumps
from tests.outcomes.test_merging import TIMES, timeless
from tests.pages.examples import Examples, changed

SPEC = "harbor-0.13.1"
OLD = "pydantic-2.12.5"


def without_times(document):
    apart = {"looking_seconds", "rate_per_second", "counterexamples", "repeat", "causes"}
    return {key: timeless(one) for key, one in document.items() if key not in apart | TIMES}


@pytest.fixture
def examples(shared):
    """Reports by name."""
    return Examples(shared)


@pytest.fixture
def run(examples, faults):
    """The report of one fuzz run; the same run is made once."""

    def do(*args):
        words = list(map(str, args))
        target = examples.folder / f"{hashlib.sha256(repr(words).encode()).hexdigest()}.json"
        if not target.exists():
            examples.fuzz(target, *words)
        document = json.loads(target.read_text(encoding="utf-8"))
        assert faults("fuzz-report", document) == []
        return document

    return do


@pytest.fixture
def merge(cli, tmp_path, faults):
    """What shards are together, which has a page and the exit code of the command."""

    def do(*parts):
        for place, part in enumerate(parts, 1):
            (tmp_path / f"{place}.json").write_text(dumps(part), encoding="utf-8")
        names = [f"{place}.json" for place in range(1, len(parts) + 1)]
        done = cli("report", "--merge", *names, "--json", "whole.json")
        if not (tmp_path / "whole.json").exists():
            assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
            return done.stderr.removeprefix("harbor-conformance: ").rstrip("\n")
        document = json.loads((tmp_path / "whole.json").read_text(encoding="utf-8"))
        assert faults("fuzz-report", document) == []
        assert done.returncode == document["exit_code"]
        (tmp_path / "whole.json").unlink()
        return document

    return do


OPS = ("--ops", "aggregate,evals_key", "--runner-timeout", "90")
NAIVE = ("--runner", "mistake:naive-sum", *OPS, "--seed", 7, "--inputs", 240)
CALM = ("--runner", "reference", *OPS, "--seed", 3, "--inputs", 60, "--from-scratch")


@pytest.fixture
def three(run):
    return [run(*NAIVE, "--shard", f"{k}/3") for k in (1, 2, 3)]


@pytest.mark.slow
def test_all_parts_of_a_fuzz_run_are_the_jobs_of_one(cli, tmp_path, three, merge) -> None:
    """But for times, and the likely mistakes, which each looks for in what it found."""
    cli("fuzz", *NAIVE, "--jobs", 3, "--json", "whole-fuzz.json", "--out", "found.json")
    whole, together = (
        json.loads((tmp_path / "whole-fuzz.json").read_text("utf-8")),
        merge(*three[1:], three[0]),
    )
    assert without_times(together) == without_times(whole)
    told = [
        [(one["op"], one["kind"], one["count"], one["seed"], one["first_input"]) for one in each["causes"]]
        for each in (together, whole)
    ]
    assert told[0] == told[1]
    assert together["disagreed"] == sum(one["count"] for one in together["causes"]) > 3
    assert [job["seed"] for job in together["jobs"]] == [7000, 7001, 7002]
    assert together["compared"] == sum(job["compared"] for job in together["jobs"]) == 240
    assert (together["exit_code"], together["ended"]) == (1, "inputs")
    parts = [cause for part in three for cause in part["causes"]]
    assert len(parts) > len(together["causes"]), "a cause is told once"
    for cause in together["causes"]:
        shown = [one for one in parts if one["counterexample"] == cause["counterexample"]]
        assert (cause["asked"], cause["repeat"]) == (shown[0]["asked"], shown[0]["repeat"])
        assert cause["likely"] is not None
    looking = sum(part["looking_seconds"] for part in three) / 3
    assert together["duration_seconds"] == max(part["duration_seconds"] for part in three)
    assert together["looking_seconds"] == round(looking, 3)
    assert together["rate_per_second"] == round(240 / (together["duration_seconds"] - looking), 1)
    assert "this is part 1 of 3: merge them all" in cli("report", "3.json").stdout


@pytest.mark.slow
def test_a_fuzz_run_in_part_is_named_and_fails(run, merge, cli) -> None:
    third = run(*CALM, "--shard", "2/3")
    assert third["exit_code"] == 0
    together = merge(third)
    assert together["problems"] == [f"shard {k}/3 is missing: its inputs were not compared" for k in (1, 3)]
    assert (together["exit_code"], together["ended"]) == (1, "incomplete")
    assert together["selection"]["missing_shards"] == {"numbers": [1, 3], "of": 3}
    one, two = (run(*CALM, "--shard", f"{k}/2") for k in (1, 2))
    assert (merge(one, two)["exit_code"], merge(one, two)["ended"]) == (0, "inputs")
    together = merge(one, two | {"ended": "interrupted", "exit_code": 130})
    assert together["problems"] == ["shard 2/2 was interrupted: 30 inputs were compared"]
    assert (together["exit_code"], together["ended"]) == (1, "incomplete")
    dead = run("--runner", "no-such-command", *CALM[2:], "--shard", "2/2")
    together = merge(changed(one, ("runner", "command"), "no-such-command"), dead)
    assert (together["exit_code"], together["problems"]) == (2, dead["problems"])
    assert together["jobs"][1]["problem"] == dead["problems"][0]
    mixed = merge(one | {"environment": SPEC, "telling": 1}, two | {"environment": OLD, "telling": 1})
    assert (mixed["exit_code"], mixed["environment"]) == (1, None)
    assert mixed["problems"] == [
        f"shard 1/2 answers as {SPEC} does, shard 2/2 as {OLD}: it mixes environments, and no single one "
        "explains the run"
    ]


@pytest.mark.slow
def test_parts_of_another_fuzz_run_are_refused(run, three, merge) -> None:
    part = three[0]
    others = {
        "`kit_version` is": ("kit_version", "0.1.0"),
        "`level` is": ("level", "value"),
        "`runner.version` is": ("runner", "version", "9"),
        "`selection.ops` is": ("selection", "ops", ["aggregate"]),
        "`selection.inputs` is": ("selection", "inputs", 3),
        "`selection.without` is": ("selection", "without", ["x"]),
        "`selection.shard.of` is 5, not 3": ("selection", "shard", {"number": 2, "of": 5}),
        "`vectors_changed` is": ("vectors_changed", 1),
    }
    for told, (*path, to) in others.items():
        sentence = merge(part, changed(three[1], tuple(path), to), three[2])
        assert told in sentence
    eight = run(*(8 if word == 7 else word for word in NAIVE), "--shard", "2/3")
    assert "`selection.seed` is 8, not 7; give all parts the same --seed" in merge(part, eight)
    assert merge(part, three[1], three[1]) == "3.json is there twice: 2.json is the same shard 2/3"
    most, first = max(enumerate(part["causes"]), key=lambda numbered: numbered[1]["count"])
    fewer = [{**one, "count": one["count"] + (one is first)} for one in part["causes"]]
    contradictions: dict[str, tuple[Any, ...]] = {
        "disagreements, and there are": ("causes", fewer),
        "no_op is no op of": ("causes", 0, "op", "no_op"),
        f"its causes have {part['disagreed'] - 1:,} disagreements": (
            "causes",
            most,
            "count",
            first["count"] - 1,
        ),
        "the seed 7001 is none of shard 1/3": ("seed", 7001),
        "`selection.shard` is 4 of 3": ("selection", "shard", "number", 4),
        "a cause has the seed 7003": ("causes", 0, "seed", 7003),
    }
    for told, (*path, to) in contradictions.items():
        assert told in merge(changed(part, tuple(path), to)), told
    # What follows from the rest is worked out, whatever a part says of it.
    causes = [{**one, "counterexample": f"{SPEC}/aggregation/fuzz-0"} for one in part["causes"]]
    forged = {"disagreed": part["disagreed"] + 1, "unclaimed": ["job"], "causes": causes}
    together = merge(part | forged, *three[1:])
    assert without_times(together) == without_times(merge(*three))
    assert together["causes"] == merge(*three)["causes"]


def test_parts_of_one_kind_are_merged(merge, examples) -> None:
    said = "only transcripts of a run's shards, or fuzz reports, can be merged"
    assert merge(examples("check clean")) == f"1.json is the report of a check: {said}"
    assert (
        merge(examples("fuzz: disagreements"), examples("wrong")) == f"2.json is the report of a run: {said}"
    )
