"""Parts of a run put together are the run in one piece, byte for byte but times."""

import copy
import json
import re
import shlex
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
FEW = (f"{SPEC}/aggregation/*", f"{SPEC}/pass_at_k/*", f"{SPEC}/evals_key/*", f"{SPEC}/reward/*")
"""Enough that each part has failures and passes, with less to ask."""
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
def run(cli: Any, tmp_path: Path, faults: Any) -> Callable[..., Json]:
    """One run of the kit; its report."""

    def do(*args: object) -> Json:
        path = tmp_path / "one.json"
        path.unlink(missing_ok=True)
        done = cli("run", *args, "--report", path, "--failures", 0)
        report: Json = json.loads(path.read_text(encoding="utf-8"))
        assert faults("run-report", report) == []
        assert report["exit_code"] == done.returncode
        return report

    return do


@pytest.fixture
def both(run: Callable[..., Json], faults: Any) -> Callable[..., tuple[list[Json], Json]]:
    """Runs in parts and in one piece; the parts, and the whole, which the merge equals."""

    def do(*args: object, seed: int = 5) -> tuple[list[Json], Json]:
        parts = [run(*args, "--again-seed", seed, "--shard", f"{k}/{OF}") for k in range(1, OF + 1)]
        whole = run(*args, "--again-seed", seed)
        together = put_together(*parts[2:], *parts[:2])
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


def test_the_reference(both: Any) -> None:
    parts, whole = both("--runner", "reference")
    assert (whole["exit_code"], whole["complete"]) == (0, True)
    assert {part["exit_code"] for part in parts} == {0}
    assert sum(part["asked_again"]["asked"] for part in parts) == whole["asked_again"]["asked"] > 50


def test_of_a_part_all_other_vectors_are_filtered(run: Any) -> None:
    part = run("--runner", "reference", "--shard", "2/4")
    mine = {vector.id for vector in load_spec(SPEC) if in_shard(vector.id, (2, 4))}
    assert {one["id"] for one in part["results"]} == mine
    assert part["selection"]["shard"] == {"number": 2, "of": 4}
    assert part["selection"]["filtered"] == part["vectors"]["total"] - len(mine)
    assert part["selection"]["not_reached"] == 0
    assert {one["reason"] for one in part["classes"].values()} == {"this is part 2 of 4: merge them all"}


def test_the_readmes_first_runner(both: Any) -> None:
    parts, whole = both("--runner", first_py())
    assert [part["exit_code"] for part in parts] == [1] * OF
    assert len(whole["diagnosis"]["todo"]) > 2


@pytest.mark.parametrize(
    "args",
    [
        ("--runner", "mistake:naive-sum", *FEW),
        ("--runner", "mistake:naive-sum+bad-text-is-nan", "--level", "value", *FEW),
        (
            "--runner",
            "mistake:bad-text-is-zero",
            "--oneshot",
            "--runner-timeout",
            30,
            f"{SPEC}/evals_key/agent-*",
        ),
        ("--runner", first_py(), "--classes", "aggregation,pass-at-k", *FEW),
        ("--runner", python("mixing.py", "main"), f"{SPEC}/job_result/*"),
        ("--runner", python("mixing.py", "variant"), f"{SPEC}/job_result/*"),
        ("--runner", python("mixing.py", "mixed"), f"{SPEC}/job_result/*"),
        ("--runner", python("partial.py", "")),
        ("--runner", python("partial.py", "wrong")),
        ("--runner", python("lying.py", "numbers", "evals_key"), *FEW),
        ("--runner", python("lying.py", "unsupported", "aggregate"), *FEW),
        ("--runner", "mistake:evsys-avg-pools", "--spec", "evsys"),
        (
            "--runner",
            "mistake:naive-sum",
            "--spec",
            "harbor-0.25.0",
            "--vectors-version",
            "0.3.0",
            "*/scores/*",
        ),
        ("--runner", "no-such-command"),
    ],
    ids=lambda args: re.sub(r"[^a-z0-9]+", "-", " ".join(Path(str(one)).name for one in args).lower())[-50:],
)
def test_other_runs(both: Any, args: tuple[object, ...]) -> None:
    both(*args)


def test_a_runner_that_dies_and_babbles(both: Any, tmp_path: Path) -> None:
    program = tmp_path / "dies.py"
    program.write_text(DIES, encoding="utf-8")
    _, whole = both("--runner", shlex.join([sys.executable, str(program)]))
    assert whole["totals"]["crash"] > 5
    assert whole["totals"]["protocol-error"] > 5


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
        if chance == 5:
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
from conformance.suite.vectors import load_spec
from reference_impl.runner.serving import _answer
known = {json.dumps(vector.input, sort_keys=True) for vector in load_spec("harbor-0.13.1")}
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] != "hello" and json.dumps(request["input"], sort_keys=True) not in known:
        reply = {"unsupported": "never seen"}
    else:
        reply = _answer(request)
    print(json.dumps({"id": request["id"], **reply}), flush=True)
"""


def test_what_is_unsupported_in_other_words_alone_the_whole_decides(both: Any, tmp_path: Path) -> None:
    program = tmp_path / "looks_up.py"
    program.write_text(LOOKS_UP, encoding="utf-8")
    parts, whole = both("--runner", shlex.join([sys.executable, str(program)]), *FEW)
    assert [part["asked_again"]["wrong"] for part in parts] == [0] * OF
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


_FOUR: list[Json] = []


@pytest.fixture
def four(run: Any) -> list[Json]:
    """The parts of a small run with failures; made once."""
    few = f"{SPEC}/aggregation/mean-*"
    for k in range(len(_FOUR) + 1, OF + 1):
        _FOUR.append(run("--runner", "mistake:naive-sum", "--shard", f"{k}/{OF}", few))
    return copy.deepcopy(_FOUR)


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


def test_three_of_four_of_a_whole_run(run: Any) -> None:
    parts = [run("--runner", "reference", "--again-seed", 1, "--shard", f"{k}/4") for k in (1, 2, 4)]
    together = put_together(*parts)
    missing = sum(shard_by_id(vector.id, 4) == 3 for vector in load_spec(SPEC))
    assert together["problems"] == [f"shard 3/4 is missing: {missing} vectors were not asked"]
    assert (together["exit_code"], together["complete"]) == (1, False)
    assert {one["reason"] for one in together["classes"].values()} == {"parts of the run are missing"}


def test_a_part_that_ended_early_is_named(run: Any, four: list[Json]) -> None:
    few = f"{SPEC}/aggregation/mean-*"
    dead = run("--runner", "mistake:naive-sum", "--shard", "2/4", "--max-time", 0.000001, few)
    together = put_together(four[0], dead, four[2], four[3])
    assert together["exit_code"] == 1
    assert (
        together["selection"]["filtered"]
        + len(four[1]["results"])
        + sum(len(part["results"]) for part in (four[0], four[2], four[3]))
        == together["vectors"]["total"]
    )


def with_change(part: Json, *path: Any, to: Any) -> Json:
    changed = copy.deepcopy(part)
    place = changed
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return changed


def test_parts_of_another_run_are_refused(run: Any, four: list[Json], tmp_path: Path) -> None:
    few = f"{SPEC}/aggregation/mean-*"
    listed = tmp_path / "known.txt"
    listed.write_text(f"{few} mismatch\n", encoding="utf-8")
    others = {
        "`runner.command` is": ["--runner", "mistake:empty-list-is-nan", "--shard", "2/4", few],
        "`level` is": ["--runner", "mistake:naive-sum", "--shard", "2/4", "--level", "value", few],
        "`spec` is": ["--runner", "mistake:naive-sum", "--spec", "harbor-0.25.0", "--shard", "2/4"],
        "`selection.patterns[0]` is": ["--runner", "mistake:naive-sum", "--shard", "2/4", f"{SPEC}/reward/*"],
        "`selection.shard.of` is 5, not 4": ["--runner", "mistake:naive-sum", "--shard", "2/5", few],
        "`known_failures` is": [
            *("--runner", "mistake:naive-sum", "--shard", "2/4", few, "--known-failures", listed)
        ],
        "`asked_again.seed` is 7": [
            "--runner",
            "mistake:naive-sum",
            "--shard",
            "2/4",
            few,
            "--again-seed",
            7,
        ],
        "`selection.classes` is": [
            *("--runner", "mistake:naive-sum", "--shard", "2/4", few, "--classes", "reward")
        ],
        "`for_merging.timeout` is": [
            *("--runner", "mistake:naive-sum", "--shard", "2/4", few, "--runner-timeout", 9)
        ],
        "was made without --shard": ["--runner", "mistake:naive-sum", few],
    }
    for told, args in others.items():
        if "empty-list" in str(args):
            args[1] = "mistake:bad-text-is-zero"
        sentence = refused(four[0], run(*args), *four[2:])
        assert told in sentence
        assert sentence.startswith("2.json is ")
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
    elsewhere = next(vector.id for vector in load_spec(SPEC) if shard_by_id(vector.id, OF) == 2)
    changes = {
        "`totals.passed` is": with_change(part, "totals", "passed", to=part["totals"]["passed"] + 1),
        "`exit_code` is": with_change(part, "exit_code", to=2),
        "`results` has": with_change(part, "results", to=[*part["results"], first]),
        "which is in shard 2/4": with_change(part, "results", 0, "id", to=elsewhere),
        "which is no vector of": with_change(part, "results", 0, "id", to=f"{SPEC}/reward/no-such-thing"),
        "`results[0].rule` is": with_change(part, "results", 0, "rule", to="<b>harmless"),
        "`results[0].op` is": with_change(part, "results", 0, "op", to="evals_key"),
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
            to={first["id"]: {"kind": "Record", "each": {"": record(first)}}},
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
