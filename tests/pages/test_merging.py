"""Parts put together are the whole, byte for byte but times; what is missing, odd or not theirs is said."""

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.outcomes.running import NOTHING_PASSED
from conformance.run.shards import in_shard, refused_shard, shard_by_id, sizes
from conformance.suite.vectors import load_spec
from conformance.wire.writing import dumps
from tests.conftest import TESTS
from tests.pages.examples import Examples, changed, runner

SPEC = "harbor-0.13.1"
TIMES = {"started_at", "duration_seconds", "start_up_seconds", "seconds", "rate"}
FEW = (f"{SPEC}/aggregation/mean-*", f"{SPEC}/evals_key/*", f"{SPEC}/reward/txt-1*")
"""Enough that each part has failures and passes, with less to ask."""
Json = Any
Run = Callable[..., Json]


def without_times(value: Any, times: set[str] = TIMES) -> Any:
    if isinstance(value, dict):
        return {key: 0 if key in times else without_times(one, times) for key, one in value.items()}
    return [without_times(one, times) for one in value] if isinstance(value, list) else value


@pytest.fixture
def run(examples: Examples, faults: Any) -> Run:
    """The report of one run of the kit; the same run is made once."""

    def do(*args: object, fuzz: bool = False, seed: int = 5) -> Json:
        words = [*map(str, args), *([] if fuzz else ["--again-seed", str(seed)])]
        target = examples.folder / f"{hashlib.sha256(repr((fuzz, words)).encode()).hexdigest()}.json"
        if not target.exists():
            examples.fuzz(target, *words) if fuzz else examples.run(target, *words)
        document = json.loads(target.read_text(encoding="utf-8"))
        assert faults("fuzz-report" if fuzz else "run-report", document) == []
        return document

    return do


@pytest.fixture
def merge(cli: Any, tmp_path: Path, faults: Any) -> Run:
    """What parts are together, which has a page and the exit code of the command."""

    def do(*parts: Json) -> Json:
        for place, part in enumerate(parts, 1):
            (tmp_path / f"{place}.json").write_text(dumps(part), encoding="utf-8")
        names = [f"{place}.json" for place in range(1, len(parts) + 1)]
        done = cli("report", "--merge", *names, "--json", "whole.json")
        if not (tmp_path / "whole.json").exists():
            assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
            return done.stderr.removeprefix("harbor-conformance: ").rstrip("\n")
        document = json.loads((tmp_path / "whole.json").read_text(encoding="utf-8"))
        kind = document["schema"].split(":")[2]
        assert faults(kind, document) == []
        assert done.returncode == document["exit_code"]
        (tmp_path / "whole.json").unlink()
        return document

    return do


@pytest.fixture
def both(run: Run, merge: Run) -> Callable[..., tuple[list[Json], Json]]:
    """Runs in parts and in one piece; the parts, and the whole, which the merge equals."""

    def do(*args: object, of: int = 2) -> tuple[list[Json], Json]:
        parts = [run(*args, "--shard", f"{k}/{of}") for k in range(1, of + 1)]
        whole = run(*args)
        assert dumps(without_times(merge(*parts[1:], *parts[:1]))) == dumps(without_times(whole))
        assert not any(part["complete"] for part in parts)
        assert all(one["claimed"] is None for part in parts for one in part["classes"].values())
        return parts, whole

    return do


EVERY = load_spec(SPEC)
TELLING = [vector.id for vector in EVERY if vector.variants][::2]
"""Vectors that have another right answer in each environment: enough to mix them."""
PIPELINE = [vector.id for vector in EVERY if vector.op.name == "pipeline"][:30]
(OLD,) = {name for vector in EVERY for name in vector.variants}
EVSYS = ("--runner", "mistake:evsys-macro-pass-rate", "--spec", "evsys")
PLAYED: dict[str, tuple[object, ...]] = {
    "mistake": ("--runner", "mistake:naive-sum", *FEW),
    "level": ("--runner", "mistake:naive-sum+bad-text-is-nan", "--level", "value", *FEW),
    "classes": (*runner("lying.py", "unsupported", "evals_key"), "--classes", "job,reward", *FEW),
    "numbers": (*runner("lying.py", "numbers", "evals_key"), *FEW),
    "unsupported": (*runner("lying.py", "unsupported", "aggregate"), *FEW),
    "evsys": EVSYS,
    "reference": ("--runner", "reference", "--spec", "evsys"),
    "vectors-version": (
        *("--runner", "mistake:naive-sum", "--spec", "harbor-0.25.0"),
        *("--vectors-version", "0.1.0", "*/aggregation/mean-*"),
    ),
    "not-started": ("--runner", "no-such-command"),
}
MIXING, PARTIAL = (str(TESTS / "runners" / name) for name in ("mixing.py", "partial.py"))
PROCESSES = {
    **{f"environment-{how}": (MIXING, how, *TELLING) for how in ("main", "variant", "mixed")},
    **{f"left-out-{how}": (PARTIAL, how, *PIPELINE) for how in ("", "wrong")},
}


@pytest.mark.parametrize("name", PLAYED)
def test_parts_are_the_whole(both: Any, name: str) -> None:
    parts, whole = both(*PLAYED[name], of=3 if name == "reference" else 2)
    if name == "reference":
        assert (whole["exit_code"], whole["complete"]) == (0, True)
        assert {part["exit_code"] for part in parts} == {0}
        assert sum(part["asked_again"]["asked"] for part in parts) == whole["asked_again"]["asked"] > 10


@pytest.fixture
def asked(cli: Any, tmp_path: Path) -> Run:
    """The report of one run of a runner that is a process."""

    def do(*args: object) -> Json:
        done = cli(
            "run", *args, "--again-seed", 5, "--report", "one.json", "--failures", 0, "--runner-timeout", 120
        )
        document = json.loads((tmp_path / "one.json").read_text(encoding="utf-8"))
        assert document["exit_code"] == done.returncode
        return document

    return do


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PROCESSES, "dies", "looks-up"])
def test_parts_of_processes_are_the_whole(asked: Run, merge: Run, name: str, tmp_path: Path) -> None:
    """Of runners that answer as an environment, leave parts out, die and babble, look answers up."""
    program, how, *ids = PROCESSES.get(name, ("", ""))
    args: tuple[object, ...] = ("--runner", f"{sys.executable} {program} {how}", *ids)
    if name == "dies":
        (tmp_path / "dies.py").write_text(DIES, encoding="utf-8")
        args = ("--runner", f"{sys.executable} dies.py", f"{SPEC}/reward/*")
    elif name == "looks-up":
        (tmp_path / "looks_up.py").write_text(LOOKS_UP, encoding="utf-8")
        inputs = json.dumps([json.dumps(vector.input, sort_keys=True) for vector in EVERY])
        (tmp_path / "inputs.json").write_text(inputs, encoding="utf-8")
        args = ("--runner", f"{sys.executable} looks_up.py inputs.json", *FEW, f"{SPEC}/pass_at_k/*")
    parts = [asked(*args, "--shard", f"{k}/2") for k in (1, 2)]
    whole = asked(*args)
    assert dumps(without_times(merge(*parts))) == dumps(without_times(whole))
    if name == "dies":
        assert whole["totals"]["crash"] >= 2
        assert whole["totals"]["protocol-error"] > 2
    elif name == "looks-up":  # what is unsupported in other words alone the whole decides
        assert [part["asked_again"]["wrong"] for part in parts] == [0] * 2
        assert whole["asked_again"]["wrong"] > 3
        assert whole["exit_code"] == 1
    elif name == "environment-mixed":
        assert whole["environment"]["against"]


DIES = """
import hashlib, json, os, sys
from reference_impl.runner.serving import reply
for line in sys.stdin.buffer:
    request = json.loads(line)
    if request["op"] != "hello":
        chance = hashlib.sha256(json.dumps(request["input"], sort_keys=True).encode()).digest()[0]
        if chance < 2:
            print("boom", file=sys.stderr)
            print('{"id": %d, "o' % request["id"], end="", flush=True)
            os._exit(3)
        if chance in (5, 6):
            print('{"id": %d, "ok": {"x": NaN}}' % request["id"], flush=True)
            continue
    sys.stdout.buffer.write(reply(line))
    sys.stdout.buffer.flush()
"""
LOOKS_UP = """
import json, sys
from reference_impl.runner.serving import _answer
known = set(json.load(open(sys.argv[1])))
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] != "hello" and json.dumps(request["input"], sort_keys=True) not in known:
        reply = {"unsupported": "never seen"}
    else:
        reply = _answer(request)
    print(json.dumps({"id": request["id"], **reply}), flush=True)
"""


def test_the_list_of_known_failures_is_judged_once(both: Any, examples: Examples) -> None:
    known = examples.folder / "known.txt"
    known.write_text(
        f"{SPEC}/aggregation/mean-*  mismatch  # since 2026-01-02: sums naively\n"
        f"{SPEC}/evals_key/* mismatch  # stale\n"
        f"{SPEC}/pass_at_k/no-such-vector crash\n"
        f"{SPEC}/reward/txt-17-digits mismatch  # passes\n"
        f"{SPEC}/reward/*/asked-again unsupported\n",
        encoding="utf-8",
    )
    parts, whole = both("--runner", "mistake:naive-sum", "--known-failures", known, *FEW)
    assert [problem for part in parts for problem in part["problems"]] == []
    assert [one.partition(":")[0] for one in whole["problems"]] == [
        "known failures, line 2",
        "known failures, line 3",
    ]
    first = whole["known_failures"]["entries"][0]
    assert first["since"] == "2026-01-02"
    assert first["expected"] == sum(part["known_failures"]["entries"][0]["expected"] for part in parts) > 2


def test_of_a_part_all_other_vectors_are_filtered(run: Run) -> None:
    part = run("--runner", "mistake:naive-sum", "--shard", "2/4")
    mine = {vector.id for vector in EVERY if in_shard(vector.id, (2, 4))}
    assert {one["id"] for one in part["results"]} == mine
    assert part["selection"]["shard"] == {"number": 2, "of": 4}
    assert part["selection"]["filtered"] == part["vectors"]["total"] - len(mine)
    assert part["selection"]["not_reached"] == 0
    assert {one["reason"] for one in part["classes"].values()} == {"this is part 2 of 4: merge them all"}


def test_a_part_in_which_nothing_passes_is_no_failure(run: Run, merge: Run) -> None:
    """What no part shows, the whole does: nothing passed."""
    refusing = (*runner("lying.py", "unsupported", "evals_key", "always"), f"{SPEC}/evals_key/*")
    parts = [run(*refusing, "--shard", f"{k}/2") for k in (1, 2)]
    assert {part["exit_code"] for part in parts} == {0}
    assert all(not part["totals"]["passed"] and part["totals"]["unsupported"] for part in parts)
    together = merge(*parts)
    assert (together["exit_code"], together["problems"]) == (2, [NOTHING_PASSED])
    assert run(*refusing)["exit_code"] == 2


def test_an_empty_part_is_no_error(run: Run, merge: Run) -> None:
    one = f"{SPEC}/terminal_bench/exit-one"
    parts = [run("--runner", "reference", "--shard", f"{k}/3", one) for k in (1, 2, 3)]
    assert sorted(len(part["results"]) for part in parts) == [0, 0, 1]
    assert {part["exit_code"] for part in parts} == {0}
    assert merge(*parts)["exit_code"] == 0


@pytest.fixture
def four(run: Run) -> list[Json]:
    """The parts of a small run with failures."""
    return [run(*EVSYS, "--shard", f"{k}/4") for k in (1, 2, 3, 4)]


def test_what_is_missing_is_named_and_fails(four: list[Json], merge: Run) -> None:
    counts = [len(part["results"]) for part in four]
    together = merge(four[3], four[0])
    assert (together["exit_code"], together["complete"]) == (1, False)
    assert together["problems"] == [
        f"shard {k}/4 is missing: {counts[k - 1]} vectors were not asked" for k in (2, 3)
    ]
    selection, missing = together["selection"], counts[1] + counts[2]
    assert selection["missing_shards"] == {"numbers": [2, 3], "of": 4, "vectors": missing, "properties": 0}
    assert selection["filtered"] == together["vectors"]["total"] - sum(counts)
    assert selection["not_reached"] == 0
    assert len(together["results"]) == counts[0] + counts[3]
    assert {one["reason"] for one in together["classes"].values()} == {"parts of the run are missing"}
    assert all(one["claimed"] is None for one in together["classes"].values())


@pytest.mark.slow
def test_a_part_that_ended_early_is_named(cli: Any, tmp_path: Path, four: list[Json], merge: Run) -> None:
    words = (*EVSYS, "--again-seed", 5, "--shard", "2/4", "--max-time", 0.000001)
    cli("run", *words, "--report", "dead.json")
    dead = json.loads((tmp_path / "dead.json").read_text("utf-8"))
    together, missing = merge(four[0], dead, four[2], four[3]), len(four[1]["results"])
    assert together["exit_code"] == 1
    told = f"shard 2/4 could not be tried: {missing} vectors were not asked"
    assert together["problems"] == [*dead["problems"], told]
    assert together["selection"]["not_reached"] == missing
    assert len(together["results"]) == together["vectors"]["total"] - missing


AVG = "evsys/compute/avg-*"
LISTED = {"pattern": AVG, "outcome": "mismatch", "reason": "", "since": None, "line": 1, "expected": 0}
OTHERS = {
    "`level` is": ("level", "value"),
    "`spec` is": ("spec", "harbor-0.25.0"),
    "`selection.patterns` is of 1 items": ("selection", "patterns", [AVG]),
    "`known_failures` is": ("known_failures", {"file": "known.txt", "entries": [LISTED]}),
    "`asked_again.seed` is 7": ("asked_again", "seed", 7),
    "`selection.classes` is of 1 items": ("selection", "classes", ["evsys"]),
    "`selection.vectors_version` is": ("selection", "vectors_version", "0.3.0"),
    "`selection.shard.of` is 5, not 4": ("selection", "shard", "of", 5),
    "`for_merging.timeout` is": ("for_merging", "timeout", 9),
    "`vectors.total` is": ("vectors", "total", 9),
    "`kit_version` is": ("kit_version", "0.1.0"),
    "`runner.command` is": ("runner", "command", "other"),
}


def test_parts_of_another_run_are_refused(run: Run, four: list[Json], merge: Run) -> None:
    assert merge(four[0], run(*EVSYS, AVG)).startswith(
        "2.json is no part of a run: it was made without --shard"
    )
    for told, (*path, to) in OTHERS.items():
        sentence = merge(four[0], changed(four[1], tuple(path), to), *four[2:])
        assert sentence.startswith("2.json is of another run than 1.json: ")
        assert told in sentence
    assert merge(four[0], four[1], four[1]) == "3.json is there twice: 2.json is the same shard 2/4"
    slower = changed(four[1], ("duration_seconds",), 1e9)
    assert merge(four[0], four[1], slower) == "2.json and 3.json are both shard 2/4, and differ"
    assert "1.json was written by kit 0.1.0, not by" in merge(changed(four[0], ("kit_version",), "0.1.0"))
    other = [changed(part, ("vectors", "digest"), "sha256:" + "0" * 64) for part in four]
    assert "1.json is of other vectors than this kit has: `vectors.digest` is" in merge(*other)


def record(result: Json) -> Json:
    own = {name: result[name] for name in ("id", "outcome", "level", "seconds", "detail", "expected_by")}
    return {**own, "real_outcome": None, "demanded": False, "actual": None, "left_out": None}


def test_a_part_that_contradicts_itself_is_refused(four: list[Json], merge: Run) -> None:
    part = four[0]
    wrong = next(place for place, one in enumerate(part["results"]) if one["actual"])
    first = part["results"][0]
    elsewhere = next(vector.id for vector in load_spec("evsys") if shard_by_id(vector.id, 4) == 2)
    each = {"": record(first), "x": record(first)}
    changes: dict[str, tuple[Any, ...]] = {
        "`totals.passed` is": ("totals", "passed", part["totals"]["passed"] + 1),
        "`exit_code` is": ("exit_code", 2),
        "`results` has": ("results", [*part["results"], first]),
        "which is in shard 2/4": ("results", 0, "id", elsewhere),
        "which is no vector of": ("results", 0, "id", "evsys/compute/no-such-thing"),
        "`results[0].rule` is": ("results", 0, "rule", "<b>harmless"),
        "`results[0].op` is": ("results", 0, "op", "evsys.registry"),
        f"`results[{wrong}].expected": ("results", wrong, "expected", {"ok": 1}),
        f"`results[{wrong}].repeat` is": ("results", wrong, "repeat", "rm -rf /"),
        "`selection.shard` is 5 of 4": ("selection", "shard", "number", 5),
        "`selection.not_reached` is": ("selection", "filtered", 0),
        "`for_merging.vectors` has not 4 numbers": ("for_merging", "vectors", [1]),
        "`selection.filtered` leaves": ("for_merging", "vectors", [1, 2, 3, 4]),
        "`for_merging.answers": ("for_merging", "answers", {first["id"]: "[[["}),
        "`for_merging.environments` has": (
            *("for_merging", "environments"), {first["id"]: {"kind": "Record", "each": each}},
        ),
        "`clauses": ("clauses", {}),
        "`offer": ("offer", "passed", 10**6),
        "`offer.vectors` is": ("runner", "ops", ["zzz"]),
    }  # fmt: skip
    for told, (*path, to) in changes.items():
        assert told in merge(changed(part, tuple(path), to)), told


@pytest.mark.parametrize(
    ("shard", "sentence"),
    [
        ("5/4", "the parts are numbered from 1/4 to 4/4"),
        ("0/4", "the parts are numbered from 1/4 to 4/4"),
        ("1/0", "a run has from 1 to 1000 parts"),
        ("x", "write K/N, such as 2/4 for the second of four parts"),
        ("2/4/6", "write K/N, such as 2/4 for the second of four parts"),
    ],
)
def test_what_is_no_part(cli: Any, shard: str, sentence: str) -> None:
    for command in ("run", "fuzz", "gate"):
        done = cli(command, "--runner", "reference", "--shard", shard)
        assert (done.returncode, done.stderr) == (2, f"harbor-conformance: --shard {shard}: {sentence}\n")


def test_parts_are_stable_and_even() -> None:
    ids = [vector.id for vector in EVERY]
    parts = sizes(ids, 4)
    assert sum(parts) == len(ids)
    assert max(parts) < 1.2 * min(parts)
    assert shard_by_id(f"{SPEC}/reward/txt-17-digits", 4) == 3
    assert [in_shard("a/b/c", (k, 3)) for k in (1, 2, 3)].count(True) == 1
    assert refused_shard(1, 1) is None


# Fuzz runs


OPS = ("--ops", "aggregate,evals_key", "--runner-timeout", "90")
NAIVE = ("--runner", "mistake:naive-sum", *OPS, "--seed", 7, "--inputs", 450)
CALM = ("--runner", "reference", *OPS, "--seed", 3, "--inputs", 60, "--from-scratch")


@pytest.fixture
def three(run: Run) -> list[Json]:
    return [run(*NAIVE, "--shard", f"{k}/3", fuzz=True) for k in (1, 2, 3)]


@pytest.mark.slow
def test_all_parts_of_a_fuzz_run_are_the_jobs_of_one(
    cli: Any, tmp_path: Path, three: list[Json], merge: Run
) -> None:
    """But for times, and the likely mistakes, which each looks for in what it found."""
    cli("fuzz", *NAIVE, "--jobs", 3, "--json", "whole-fuzz.json", "--out", "found.json")
    whole, together = (
        json.loads((tmp_path / "whole-fuzz.json").read_text("utf-8")),
        merge(*three[1:], three[0]),
    )
    times = TIMES | {"looking_seconds", "rate_per_second", "counterexamples", "repeat", "causes"}
    assert without_times(together, times) == without_times(whole, times)
    told = [
        [(one["op"], one["kind"], one["count"], one["seed"], one["first_input"]) for one in each["causes"]]
        for each in (together, whole)
    ]
    assert told[0] == told[1]
    assert together["disagreed"] == sum(one["count"] for one in together["causes"]) > 3
    assert [job["seed"] for job in together["jobs"]] == [7000, 7001, 7002]
    assert together["compared"] == sum(job["compared"] for job in together["jobs"]) == 450
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
    assert together["rate_per_second"] == round(450 / (together["duration_seconds"] - looking), 1)
    assert "this is part 1 of 3: merge them all" in cli("report", "3.json").stdout


@pytest.mark.slow
def test_a_fuzz_run_in_part_is_named_and_fails(run: Run, merge: Run, cli: Any) -> None:
    third = run(*CALM, "--shard", "2/3", fuzz=True)
    assert third["exit_code"] == 0
    together = merge(third)
    assert together["problems"] == [f"shard {k}/3 is missing: its inputs were not compared" for k in (1, 3)]
    assert (together["exit_code"], together["ended"]) == (1, "incomplete")
    assert together["selection"]["missing_shards"] == {"numbers": [1, 3], "of": 3}
    one, two = (run(*CALM, "--shard", f"{k}/2", fuzz=True) for k in (1, 2))
    assert (merge(one, two)["exit_code"], merge(one, two)["ended"]) == (0, "inputs")
    together = merge(one, two | {"ended": "interrupted", "exit_code": 130})
    assert together["problems"] == ["shard 2/2 was interrupted: 30 inputs were compared"]
    assert (together["exit_code"], together["ended"]) == (1, "incomplete")
    dead = run("--runner", "no-such-command", *CALM[2:], "--shard", "2/2", fuzz=True)
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
def test_parts_of_another_fuzz_run_are_refused(run: Run, three: list[Json], merge: Run) -> None:
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
    eight = run(*(8 if word == 7 else word for word in NAIVE), "--shard", "2/3", fuzz=True)
    assert "`selection.seed` is 8, not 7; give all parts the same --seed" in merge(part, eight)
    assert merge(part, three[1], three[1]) == "3.json is there twice: 2.json is the same shard 2/3"
    first = part["causes"][0]
    fewer = [{**first, "count": first["count"] + 1}, *part["causes"][1:]]
    contradictions: dict[str, tuple[Any, ...]] = {
        "its counts are not those of its ops": ("compared", part["compared"] + 1),
        "disagreements, and there are": ("causes", fewer),
        "1 of its disagreements are of no cause": ("causes", 0, "count", first["count"] - 1),
        "`unclaimed` is not": ("unclaimed", ["job"]),
        "the seed 7001 is none of shard 1/3": ("seed", 7001),
        "`selection.shard` is 4 of 3": ("selection", "shard", "number", 4),
        "`causes[0].seed` is 7003": ("causes", 0, "seed", 7003),
        "`causes[0].counterexample` is not the id": (
            *("causes", 0),
            "counterexample",
            f"{SPEC}/aggregation/fuzz-0",
        ),
        "`causes[0].asked.op` is not": ("causes", 0, "asked", "op", "evals_key"),
    }
    for told, (*path, to) in contradictions.items():
        assert told in merge(changed(part, tuple(path), to)), told


def test_parts_of_one_kind_are_merged(four: list[Json], merge: Run, examples: Examples) -> None:
    assert merge(examples("fuzz: disagreements"), four[0]) == (
        "2.json is the report of a run, and 1.json of a fuzz: merge the parts of one"
    )
    assert "is the report of a check: what is merged are parts of a run" in merge(examples("check clean"))
