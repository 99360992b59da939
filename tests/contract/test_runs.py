"""The same runner through ``run``, ``gate`` and pytest: one exit code, and reports that agree."""

import gzip
import itertools
import json

import pytest

from tests.conftest import PLAIN
from tests.reports import timeless

pytestmark = pytest.mark.usefixtures("undiagnosed")

FACES = ("run", "gate", "pytest")
REPHRASED_SUFFIX, PACKED = "/asked-again", b"\x1f\x8b"
WRONG, UNSUPPORTED = {"ok": {"value": "wrong"}}, {"unsupported": "not here"}


@pytest.fixture
def face(cli, few, runner, tmp_path, pytester, monkeypatch, whole_kit):
    """``face(name, *args)``: the exit code, the report, and what is printed; of a shard its transcript."""
    for variable in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "CI"):
        monkeypatch.delenv(variable, raising=False)
    pytester.makeini("[pytest]\nfilterwarnings = error\n")

    def do(name, *args, spec="evsys", output="out"):
        given = ["--spec", spec, *map(str, args)]
        path = tmp_path / output / "report.json"
        path.parent.mkdir(exist_ok=True)
        if name == "pytest":
            given = [f"--conformance-{one[2:]}" if one.startswith("--") else one for one in given]
            words = ["--runner", "in-process", "-m", "not conformance_properties"]
            ended = pytester.runpytest_inprocess(*PLAIN, *words, f"--conformance-report={path}", *given)
            return int(ended.ret), read(path), ended.stdout.str()
        more = ["-o", path.parent] if name == "gate" else ["--report", path]
        if name == "gate" and "--classes" not in given:
            given += ["--classes", "all"]
        ended = cli(name, "--runner", "in-process", *more, *given)
        return ended.returncode, read(path), ended.stdout + ended.stderr

    return do


def read(path):
    transcript = path.with_name("transcript.jsonl.gz")
    content = (transcript if transcript.exists() else path).read_bytes()
    if not content.startswith(PACKED):
        return json.loads(content)
    return [json.loads(line) for line in gzip.decompress(content).splitlines()]


def outcomes(report):
    passed = {row[0]: "passed" for rows in report["passed"].values() for row in rows}
    return passed | {one["id"]: one["outcome"] for one in report["results"]}


def asked_again(report):
    again = report["asked_again"]
    return {one["id"] for one in again["results"]}.union(*again["passed"].values())


def honest(op, given, reply):
    return reply


def wrong_once(op, given, reply):
    return WRONG if given == {"metric": "avg", "task_rewards": [[0, 0, 0]]} else reply


def lacks_one(op, given, reply):
    return UNSUPPORTED if given == {"metric": "avg", "task_rewards": [[0, 0, 0]]} else reply


def answers_nothing(op, given, reply):
    return UNSUPPORTED


RUNNERS = {
    # how it answers, options: the exit code, outcomes that are not passed, whether the class is claimed
    "honest": (honest, [], 0, [], "bytes"),
    "wrong-once": (wrong_once, [], 1, ["mismatch"], None),
    "lacks-one": (lacks_one, ["--classes", "all"], 1, ["unsupported"], None),
    "nothing": (answers_nothing, ["--classes", "all"], 1, ["unsupported"] * 10, None),
    "known": (wrong_once, ["--known-failures", "LISTED"], 0, ["expected-failure"], None),
    "known-otherwise": (wrong_once, ["--known-failures", "CRASH"], 1, ["mismatch"], None),
}


@pytest.mark.parametrize("name", FACES)
@pytest.mark.parametrize("kind", RUNNERS)
def test_each_runner_has_its_exit_code(face, runner, tmp_path, name, kind) -> None:
    change, args, code, others, claim = RUNNERS[kind]
    lists = {"LISTED": "*/compute/* mismatch\n", "CRASH": "*/compute/* crash\n"}
    for listed in set(lists) & set(args):
        (tmp_path / listed).write_text(lists[listed], "utf-8")
    runner.but(change)
    found, report, printed = face(name, *(str(tmp_path / one) if one in lists else one for one in args))
    summary = report["summary"]
    assert (found, summary["exit_code"]) == (code, code), printed
    assert [one["outcome"] for one in report["results"]] == others
    assert len(outcomes(report)) == report["vectors"]["total"] == sum(summary["totals"].values()) == 10
    assert summary["classes"]["evsys"]["claimed"] == claim
    assert report["problems"] == []
    if name == "pytest":
        assert (f"{len(others)} failed" in printed) == (code == 1)


@pytest.mark.parametrize("name", FACES)
def test_who_looks_answers_up_is_found_out(face, few, runner, name) -> None:
    """What is asked in other words is what the runner hears that is no vector's; the report has all of it."""
    vectors = [*few.vectors("compute"), *few.vectors("registry")]
    published = [json.dumps([one["op"], one["input"]]) for one in vectors]
    runner.but(lambda op, given, reply: reply if json.dumps([op, given]) in published else WRONG)
    code, report, printed = face(name, "--again-seed", "5")
    others = [request for request in runner.asked if json.dumps(request) not in published]
    assert list(outcomes(report).values()) == ["passed"] * 10
    assert report["asked_again"]["seed"] == 5
    assert {one["outcome"] for one in report["asked_again"]["results"]} == {"mismatch"}
    assert len(report["asked_again"]["results"]) == len(set(map(json.dumps, others))) >= 5
    assert (code, report["summary"]["classes"]["evsys"]["claimed"]) == (1, None)
    assert "in other words" in printed or "rephrased" in printed
    if name == "pytest":
        assert f"{len(report['asked_again']['results'])} failed" in printed
    heard = runner.asked
    runner.asked = []
    face(name, "--again-seed", "5")
    assert runner.asked == heard
    other = face(name, "--again-seed", "6")[1]
    assert asked_again(other) != asked_again(report)


@pytest.mark.parametrize("name", FACES)
def test_a_problem_of_the_talk_fails_the_run(face, runner, name) -> None:
    runner.last_words = b"goodbye\n"
    code, report, printed = face(name)
    assert (code, report["summary"]["totals"]) == (1, {"passed": 10})
    assert len(report["problems"]) == 1
    assert report["problems"][0] in printed
    assert report["summary"]["classes"]["evsys"]["claimed"] is None


@pytest.mark.parametrize("name", FACES)
def test_nothing_passed_is_no_success(face, runner, tmp_path, name) -> None:
    (tmp_path / "known.txt").write_text("* unsupported\n", "utf-8")
    runner.but(answers_nothing)
    code, report, _ = face(name, "--known-failures", tmp_path / "known.txt", "--classes", "all")
    assert code == report["summary"]["exit_code"] == 2


@pytest.mark.parametrize("name", FACES)
def test_shards_are_the_whole(face, few, cli, runner, tmp_path, name) -> None:
    """Each vector is in one shard; put together they are judged as one run, and none may be missing."""
    runner.but(wrong_once)
    args = [] if name == "pytest" else ["--classes", "all"]
    asked = ("--again-seed", 1, *args)
    heard = [face(name, "--shard", f"{k}/3", *asked, output=f"part{k}")[1] for k in (1, 2, 3)]
    ids = [[one["id"] for one in lines if not one["id"].endswith(REPHRASED_SUFFIX)] for _, *lines in heard]
    every = [one["id"] for one in (*few.vectors("compute"), *few.vectors("registry"))]
    assert sorted(itertools.chain(*ids)) == sorted(every)
    assert all(ids)
    file = "transcript.jsonl.gz" if name == "gate" else "report.json"
    parts = [tmp_path / f"part{k}" / file for k in (1, 2, 3)]
    _, whole, _ = face(name, *asked)
    for given, code, problems in ((parts, 1, []), (parts[:2], 1, ["shard 3/3 is missing"])):
        ended = cli("report", "--merge", "--json", "whole.json", *given)
        merged = few.report(tmp_path / "whole.json")
        assert (ended.returncode, merged["summary"]["exit_code"]) == (code, code)
        assert [one.partition(":")[0] for one in merged["problems"]] == problems
        assert ("missing_shards" in merged["selection"]) == (problems != [])
        assert set(outcomes(merged)) == set(itertools.chain(*ids[: len(given)]))
        for member in ("summary", "results", "asked_again") if not problems else ():
            assert timeless(merged[member]) == timeless(whole[member])


def test_a_merge_judges_each_shard_and_forgets_no_problem(face, few, cli, runner, tmp_path) -> None:
    runner.last_words = b"goodbye\n"
    for k in (1, 2):
        face("run", "--shard", f"{k}/2", "--again-seed", 1, output=f"part{k}")
        runner.last_words = b""
    parts = [tmp_path / f"part{k}" / "report.json" for k in (1, 2)]
    assert cli("report", "--merge", "--json", "whole.json", *parts).returncode == 1
    (problem,) = few.report(tmp_path / "whole.json")["problems"]
    assert "wrote to standard output after its last reply" in problem
    head, *lines = read(parts[0])
    forged = [{"id": one["id"], "seconds": 0.1, "ok": {"value": "wrong"}} for one in lines]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in (head, *forged))
    parts[0].write_bytes(gzip.compress(text.encode()))
    assert cli("report", "--merge", "--json", "whole.json", *parts).returncode == 1
    found = outcomes(few.report(tmp_path / "whole.json"))
    assert {found[one["id"]] for one in lines if not one["id"].endswith(REPHRASED_SUFFIX)} == {"mismatch"}
    parts[0].write_bytes(gzip.compress("".join(text.splitlines(True)[:-1]).encode()))
    ended = cli("report", "--merge", *parts)
    assert (ended.returncode, "is cut off" in ended.stderr) == (2, True)


@pytest.mark.slow
def test_what_a_worker_of_xdist_heard_is_not_lost(run_pytest, vectors, hostile_text) -> None:
    path = vectors.several(3)
    ended = run_pytest(path, "--runner", hostile_text(path, "extra-line", "v2"), "-n", "1")
    ended.assert_outcomes(passed=3)
    assert ended.ret == 1
    ended.stdout.fnmatch_lines(["problem: the runner wrote to standard output after its last reply"])
