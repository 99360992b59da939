"""Parts of a run put together are the run in one piece, byte for byte but times."""

import copy
import hashlib
import json
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.publishing.merging import merged
from conformance.publishing.reading import PublishingError, document_of
from conformance.report.shards import in_shard, refused_shard, shard_by_id, sizes
from conformance.run.closing import NOTHING_PASSED
from conformance.suite.vectors import load_spec
from conformance.wire.writing import dumps
from tests.conftest import TESTS

SPEC = "harbor-0.13.1"
OF = 4
TIMES = frozenset({"started_at", "duration_seconds", "start_up_seconds", "seconds", "rate"})
FEW = (f"{SPEC}/aggregation/mean-*", f"{SPEC}/evals_key/*", f"{SPEC}/reward/txt-1*")
"""Enough that each part has failures and passes, with less to ask."""
PATIENCE = 120
"""Seconds for a reply where the machine has other things to do."""
Json = dict[str, Any]


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: 0 if key in TIMES else without_times(one) for key, one in value.items()}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def put_together(*parts: Json) -> Json:
    return merged([document_of(dumps(part).encode(), f"{place}.json") for place, part in enumerate(parts, 1)])


def refused(*parts: Json) -> str:
    """The sentence in which parts are refused."""
    with pytest.raises(PublishingError) as caught:
        put_together(*parts)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


@pytest.fixture
def run(cli: Any, tmp_path: Path, shared: Any, faults: Any) -> Callable[..., Json]:
    """One run of the kit; its report. The same run is made once for all workers of a test run."""
    folder = shared.folder("merging")

    def do(*args: object) -> Json:
        words = tuple(map(str, args))
        if "--runner-timeout" not in words:
            words += ("--runner-timeout", str(PATIENCE))
        kept = folder / f"{hashlib.sha256(repr(words).encode()).hexdigest()}.json"
        with shared.alone(kept):
            if not kept.exists():
                path = tmp_path / "one.json"
                path.unlink(missing_ok=True)
                done = cli("run", *words, "--report", path, "--failures", 0)
                assert path.exists(), done.stderr
                report: Json = json.loads(path.read_text(encoding="utf-8"))
                assert faults("run-report", report) == []
                assert report["exit_code"] == done.returncode
                shutil.move(path, kept)
        found: Json = json.loads(kept.read_text(encoding="utf-8"))
        return found

    return do


@pytest.fixture
def both(run: Callable[..., Json], faults: Any) -> Callable[..., tuple[list[Json], Json]]:
    """Runs in parts and in one piece; the parts, and the whole, which the merge equals."""

    def do(*args: object, of: int = 2, seed: int = 5) -> tuple[list[Json], Json]:
        parts = [run(*args, "--again-seed", seed, "--shard", f"{k}/{of}") for k in range(1, of + 1)]
        whole = run(*args, "--again-seed", seed)
        together = put_together(*parts[1:], *parts[:1])
        assert faults("run-report", json.loads(dumps(together))) == []
        assert dumps(without_times(together)) == dumps(without_times(whole))
        assert not any(part["complete"] for part in parts)
        assert all(one["claimed"] is None for part in parts for one in part["classes"].values())
        return parts, whole

    return do


def python(name: str, *args: str) -> str:
    return shlex.join([sys.executable, str(TESTS / "runners" / name), *args])


def first_py() -> str:
    """The README's first runner."""
    readme = (TESTS.parent / "README.md").read_text(encoding="utf-8")
    program = re.search(r"^```python first.py\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert program is not None
    return shlex.join([sys.executable, "-c", program.group(1)])


def test_all_vectors_in_four_parts(both: Any) -> None:
    """The README's first runner: of each outcome some, and several likely mistakes."""
    parts, whole = both("--runner", first_py(), of=OF)
    assert [part["exit_code"] for part in parts] == [1] * OF
    assert len(whole["diagnosis"]["todo"]) > 2
    assert len(whole["results"]) == whole["vectors"]["total"]


def test_of_a_part_all_other_vectors_are_filtered(run: Any) -> None:
    part = run("--runner", first_py(), "--again-seed", 5, "--shard", "2/4")
    mine = {vector.id for vector in load_spec(SPEC) if in_shard(vector.id, (2, 4))}
    assert {one["id"] for one in part["results"]} == mine
    assert part["selection"]["shard"] == {"number": 2, "of": 4}
    assert part["selection"]["filtered"] == part["vectors"]["total"] - len(mine)
    assert part["selection"]["not_reached"] == 0
    assert {one["reason"] for one in part["classes"].values()} == {"this is part 2 of 4: merge them all"}


def test_three_of_four_of_a_whole_run(run: Any) -> None:
    parts = [run("--runner", first_py(), "--again-seed", 5, "--shard", f"{k}/4") for k in (1, 2, 4)]
    together = put_together(*parts)
    missing = sum(shard_by_id(vector.id, 4) == 3 for vector in load_spec(SPEC))
    assert together["problems"] == [f"shard 3/4 is missing: {missing} vectors were not asked"]
    assert (together["exit_code"], together["complete"]) == (1, False)
    assert {one["reason"] for one in together["classes"].values()} == {"parts of the run are missing"}


def test_the_reference(both: Any) -> None:
    parts, whole = both("--runner", "reference", "--spec", "evsys", of=3)
    assert (whole["exit_code"], whole["complete"]) == (0, True)
    assert {part["exit_code"] for part in parts} == {0}
    assert sum(part["asked_again"]["asked"] for part in parts) == whole["asked_again"]["asked"] > 10


EVERY = load_spec(SPEC)
TELLING = [vector.id for vector in EVERY if vector.variants][::2]
"""Vectors that have another right answer in each environment: enough to mix them."""
PIPELINE = [vector.id for vector in EVERY if vector.op.name == "pipeline"][:30]


@pytest.mark.parametrize(
    "args",
    [
        ("--runner", "mistake:naive-sum", *FEW),
        ("--runner", "mistake:naive-sum+bad-text-is-nan", "--level", "value", *FEW),
        ("--runner", first_py(), "--oneshot", "--runner-timeout", 90, f"{SPEC}/aggregation/mean-o*"),
        ("--runner", python("lying.py", "unsupported", "evals_key"), "--classes", "job,reward", *FEW),
        ("--runner", python("mixing.py", "main"), *TELLING),
        ("--runner", python("mixing.py", "variant"), *TELLING),
        ("--runner", python("mixing.py", "mixed"), *TELLING),
        ("--runner", python("partial.py", ""), *PIPELINE),
        ("--runner", python("partial.py", "wrong"), *PIPELINE),
        ("--runner", python("lying.py", "numbers", "evals_key"), *FEW),
        ("--runner", python("lying.py", "unsupported", "aggregate"), *FEW),
        ("--runner", "mistake:evsys-macro-pass-rate", "--spec", "evsys"),
        (
            *("--runner", "mistake:naive-sum", "--spec", "harbor-0.25.0"),
            *("--vectors-version", "0.1.0", "*/aggregation/mean-*"),
        ),
        ("--runner", "no-such-command"),
    ],
    ids=[
        *("mistake", "level", "oneshot", "classes", "environment-main", "environment-variant"),
        *("environments-mixed", "left-out", "left-out-and-wrong", "numbers", "unsupported", "evsys"),
        *("vectors-version", "not-started"),
    ],
)
def test_other_runs(both: Any, args: tuple[object, ...]) -> None:
    both(*args)


def test_a_runner_that_dies_and_babbles(both: Any, tmp_path: Path) -> None:
    program = tmp_path / "dies.py"
    program.write_text(DIES, encoding="utf-8")
    _, whole = both("--runner", shlex.join([sys.executable, str(program)]), f"{SPEC}/reward/*")
    assert whole["totals"]["crash"] >= 2
    assert whole["totals"]["protocol-error"] > 2


DIES = """
import hashlib, json, os, subprocess, sys
own = subprocess.Popen([sys.executable, "-m", "reference_impl"], stdin=-1, stdout=-1, text=True)
for line in sys.stdin:
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
    own.stdin.write(line)
    own.stdin.flush()
    print(own.stdout.readline(), end="", flush=True)
"""


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A list with an entry that holds, a pattern that does, a stale one, one that passes, one of nothing."""
    path = tmp_path_factory.mktemp("known") / "known.txt"
    path.write_text(
        f"{SPEC}/aggregation/mean-*  mismatch  # since 2026-01-02: sums naively\n"
        f"{SPEC}/evals_key/* mismatch  # stale\n"
        f"{SPEC}/pass_at_k/no-such-vector crash\n"
        f"{SPEC}/reward/txt-17-digits mismatch  # passes\n"
        f"{SPEC}/reward/*/asked-again unsupported\n",
        encoding="utf-8",
    )
    return path


def test_the_list_of_known_failures_is_judged_once(both: Any, known: Path) -> None:
    parts, whole = both("--runner", "mistake:naive-sum", "--known-failures", known, *FEW)
    assert [problem for part in parts for problem in part["problems"]] == []
    assert [re.sub(r"(line \d+).*", r"\1", one) for one in whole["problems"]] == [
        "known failures, line 2",
        "known failures, line 3",
    ]
    first = whole["known_failures"]["entries"][0]
    assert first["since"] == "2026-01-02"
    assert first["expected"] == sum(part["known_failures"]["entries"][0]["expected"] for part in parts) > 2


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


def test_what_is_unsupported_in_other_words_alone_the_whole_decides(both: Any, tmp_path: Path) -> None:
    program, inputs = tmp_path / "looks_up.py", tmp_path / "inputs.json"
    program.write_text(LOOKS_UP, encoding="utf-8")
    inputs.write_text(
        json.dumps([json.dumps(vector.input, sort_keys=True) for vector in EVERY]), encoding="utf-8"
    )
    runner = shlex.join([sys.executable, str(program), str(inputs)])
    parts, whole = both("--runner", runner, *FEW, f"{SPEC}/pass_at_k/*")
    assert [part["asked_again"]["wrong"] for part in parts] == [0] * 2
    assert whole["asked_again"]["wrong"] > 3
    assert whole["exit_code"] == 1


def test_a_part_in_which_nothing_passes_is_no_failure(run: Any) -> None:
    """What no part shows, the whole does: nothing passed."""
    runner = python("lying.py", "unsupported", "evals_key", "always")
    parts = [run("--runner", runner, "--shard", f"{k}/2", f"{SPEC}/evals_key/*") for k in (1, 2)]
    assert {part["exit_code"] for part in parts} == {0}
    assert all(not part["totals"]["passed"] and part["totals"]["unsupported"] for part in parts)
    together = put_together(*parts)
    assert together["exit_code"] == 2
    assert together["problems"] == [NOTHING_PASSED]
    assert run("--runner", runner, f"{SPEC}/evals_key/*")["exit_code"] == 2


def test_an_empty_part_is_no_error(run: Any) -> None:
    one = f"{SPEC}/terminal_bench/exit-one"
    parts = [run("--runner", "reference", "--shard", f"{k}/3", one) for k in (1, 2, 3)]
    assert sorted(len(part["results"]) for part in parts) == [0, 0, 1]
    assert {part["exit_code"] for part in parts} == {0}
    assert put_together(*parts)["exit_code"] == 0


SMALL = ("--runner", "mistake:evsys-macro-pass-rate", "--spec", "evsys")
AVG = "evsys/compute/avg-*"


@pytest.fixture
def four(run: Any) -> list[Json]:
    """The parts of a small run with failures."""
    return [run(*SMALL, "--shard", f"{k}/{OF}", "--again-seed", 5) for k in range(1, OF + 1)]


def test_what_is_missing_is_named_and_fails(four: list[Json], faults: Any) -> None:
    counts = [len(part["results"]) for part in four]
    together = put_together(four[3], four[0])
    assert faults("run-report", json.loads(dumps(together))) == []
    assert (together["exit_code"], together["complete"]) == (1, False)
    assert together["problems"] == [
        f"shard {k}/4 is missing: {counts[k - 1]} vectors were not asked" for k in (2, 3)
    ]
    selection = together["selection"]
    assert selection["missing_shards"] == {
        "numbers": [2, 3],
        "of": 4,
        "vectors": counts[1] + counts[2],
        "properties": 0,
    }
    assert selection["filtered"] == together["vectors"]["total"] - sum(counts)
    assert selection["not_reached"] == 0
    assert len(together["results"]) == counts[0] + counts[3]
    assert all(one["claimed"] is None for one in together["classes"].values())


def test_a_part_that_ended_early_is_named(run: Any, four: list[Json]) -> None:
    dead = run(*SMALL, "--shard", "2/4", "--max-time", 0.000001, "--again-seed", 5)
    together = put_together(four[0], dead, four[2], four[3])
    assert together["exit_code"] == 1
    assert together["problems"] == [
        *dead["problems"],
        f"shard 2/4 could not be tried: {len(four[1]['results'])} vectors were not asked",
    ]
    selection = together["selection"]
    assert selection["not_reached"] == len(four[1]["results"])
    assert len(together["results"]) == together["vectors"]["total"] - selection["not_reached"]


def with_change(part: Json, *path: Any, to: Any) -> Json:
    changed = copy.deepcopy(part)
    place = changed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return changed


def test_parts_of_another_run_are_refused(run: Any, four: list[Json]) -> None:
    other = run("--runner", "mistake:evsys-micro-mean", "--spec", "evsys", "--shard", "2/4", AVG)
    assert "2.json is of another run than 1.json: `runner.command` is" in refused(four[0], other)
    other = run(*SMALL, "--shard", "2/5", AVG, "--again-seed", 5)
    assert "`selection.shard.of` is 5, not 4" in refused(four[0], other)
    assert refused(four[0], run(*SMALL, AVG)).startswith(
        "2.json is no part of a run: it was made without --shard"
    )
    listed = {"pattern": AVG, "outcome": "mismatch", "reason": "", "since": None, "line": 1, "expected": 0}
    changes = {
        "`level` is": ("level", "value"),
        "`spec` is": ("spec", "harbor-0.25.0"),
        "`selection.patterns` is of 1 items": ("selection", "patterns", [AVG]),
        "`known_failures` is": ("known_failures", {"file": "known.txt", "entries": [listed]}),
        "`asked_again.seed` is 7": ("asked_again", "seed", 7),
        "`selection.classes` is of 1 items": ("selection", "classes", ["evsys"]),
        "`selection.vectors_version` is": ("selection", "vectors_version", "0.3.0"),
        "`for_merging.timeout` is": ("for_merging", "timeout", 9),
        "`vectors.total` is": ("vectors", "total", 9),
        "`kit_version` is": ("kit_version", "0.1.0"),
    }
    for told, (*path, to) in changes.items():
        sentence = refused(four[0], with_change(four[1], *path, to=to), *four[2:])
        assert sentence.startswith("2.json is of another run than 1.json: ")
        assert told in sentence
    assert refused(four[0], four[1], four[1]) == "3.json is there twice: 2.json is the same shard 2/4"
    other = with_change(four[1], "duration_seconds", to=1e9)
    assert refused(four[0], four[1], other) == "2.json and 3.json are both shard 2/4, and differ"
    older = with_change(four[0], "kit_version", to="0.1.0")
    assert "1.json was written by kit 0.1.0, not by" in refused(older)
    digest = "sha256:" + "0" * 64
    changed = [with_change(part, "vectors", "digest", to=digest) for part in four]
    assert "1.json is of other vectors than this kit has: `vectors.digest` is" in refused(*changed)


def test_a_part_that_contradicts_itself_is_refused(four: list[Json]) -> None:
    part = four[0]
    wrong = next(place for place, one in enumerate(part["results"]) if one["actual"])
    first = part["results"][0]
    elsewhere = next(vector.id for vector in load_spec("evsys") if shard_by_id(vector.id, OF) == 2)
    changes = {
        "`totals.passed` is": with_change(part, "totals", "passed", to=part["totals"]["passed"] + 1),
        "`exit_code` is": with_change(part, "exit_code", to=2),
        "`results` has": with_change(part, "results", to=[*part["results"], first]),
        "which is in shard 2/4": with_change(part, "results", 0, "id", to=elsewhere),
        "which is no vector of": with_change(part, "results", 0, "id", to="evsys/compute/no-such-thing"),
        "`results[0].rule` is": with_change(part, "results", 0, "rule", to="<b>harmless"),
        "`results[0].op` is": with_change(part, "results", 0, "op", to="evsys.registry"),
        f"`results[{wrong}].expected": with_change(part, "results", wrong, "expected", to={"ok": 1}),
        f"`results[{wrong}].repeat` is": with_change(part, "results", wrong, "repeat", to="rm -rf /"),
        "`selection.shard` is 5 of 4": with_change(part, "selection", "shard", "number", to=5),
        "`selection.not_reached` is": with_change(part, "selection", "filtered", to=0),
        "`for_merging.vectors` has not 4 numbers": with_change(part, "for_merging", "vectors", to=[1]),
        "`selection.filtered` leaves": with_change(part, "for_merging", "vectors", to=[1, 2, 3, 4]),
        "`for_merging.answers": with_change(part, "for_merging", "answers", to={first["id"]: "[[["}),
        "`for_merging.environments` has": with_change(
            part,
            *("for_merging", "environments"),
            to={first["id"]: {"kind": "Record", "each": {"": record(first), "x": record(first)}}},
        ),
        "`clauses": with_change(part, "clauses", to={}),
        "`offer": with_change(part, "offer", "passed", to=10**6),
        "`offer.vectors` is": with_change(part, "runner", "ops", to=["zzz"]),
    }
    for told, changed in changes.items():
        assert told in refused(changed), told
    assert "is the report of a check" in str(_not_a_run())


def record(result: Json) -> Json:
    return {
        **{name: result[name] for name in ("id", "outcome", "level", "seconds", "detail", "expected_by")},
        "real_outcome": None,
        "demanded": False,
        "actual": None,
        "left_out": None,
    }


def _not_a_run() -> PublishingError:
    from conformance.publishing.reading import Document

    with pytest.raises(PublishingError) as caught:
        merged([Document("check", "a.json", {})])
    return caught.value


@pytest.mark.parametrize(
    ("shard", "sentence"),
    [
        ("5/4", "--shard 5/4: the parts are numbered from 1/4 to 4/4"),
        ("0/4", "--shard 0/4: the parts are numbered from 1/4 to 4/4"),
        ("1/0", "--shard 1/0: a run has from 1 to 1000 parts"),
        ("x", "--shard x: write K/N, such as 2/4 for the second of four parts"),
        ("2/4/6", "--shard 2/4/6: write K/N, such as 2/4 for the second of four parts"),
    ],
)
def test_what_is_no_part(cli: Any, shard: str, sentence: str) -> None:
    for command in (("run",), ("fuzz",)):
        done = cli(*command, "--runner", "reference", "--shard", shard)
        assert (done.returncode, done.stderr) == (2, f"harbor-conformance: {sentence}\n")


def test_parts_are_stable_and_even() -> None:
    ids = [vector.id for vector in load_spec(SPEC)]
    parts = sizes(ids, OF)
    assert sum(parts) == len(ids)
    assert max(parts) < 1.2 * min(parts)
    assert shard_by_id(f"{SPEC}/reward/txt-17-digits", 4) == shard_by_id(f"{SPEC}/reward/txt-17-digits", 4)
    assert [in_shard("a/b/c", (k, 3)) for k in (1, 2, 3)].count(True) == 1
    assert refused_shard(1, 1) is None
