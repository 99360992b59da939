"""The command line: exit codes, text for people, and one sentence for every mistake a user can make."""

import json
import re
from pathlib import Path

import pytest

from conformance.paths import vectors_dir
from tests.conftest import v

pytestmark = pytest.mark.usefixtures("played")


def steady(text, **names):
    for name, value in sorted(names.items(), key=lambda item: -len(str(item[1]))):
        text = text.replace(str(value), name)
    text = re.sub(r"\d+\.\d\d(?= s| ms)|(?<=vectors: )\d+", "N", text)
    return re.sub(r"\d+\.\d+\.\d+", "N.N.N", text.replace("harbor-0.13.1", "SPEC"))


def run(cli, path, command, *args):
    return cli("run", "--vectors", path, "--runner", command, *args)


@pytest.mark.parametrize(("behaviour", "code"), [("correct", 0), ("wrong v1", 1)])
def test_a_runner(cli, vectors, hostile_text, snapshot, behaviour, code) -> None:
    path = vectors.several(3)
    command = hostile_text(path, *behaviour.split())
    done = run(cli, path, command)
    assert (done.returncode, done.stderr) == (code, "")
    assert steady(done.stdout, COMMAND=command, FILE=path) == snapshot


def test_only_the_whole_set_claims_a_class(cli, vectors, hostile_text) -> None:
    """Neither some vectors, nor a user's own file, nor one of the kit's."""
    path = vectors.several(3)
    for file, command, patterns, said in (
        (path, hostile_text(path), [v(1), "*/v2"], "2 of 2 passed"),
        (path, hostile_text(path), [], "no claim for job: only some vectors were selected"),
        (vectors_dir("harbor-0.13.1") / "reward.json", "reference", [], "no claim for reward: only some"),
    ):
        done = run(cli, file, command, *patterns)
        assert (done.returncode, said in done.stdout, "no claim for " in done.stdout) == (0, True, True)


def test_only_so_many_failures_are_shown(cli, vectors, hostile_text) -> None:
    path = vectors.several(5)
    done = run(cli, path, hostile_text(path, "wrong"), "--failures", 2)
    assert done.stdout.count("mismatch: ") == 2
    assert "and 3 more failures (--failures 5 shows them)" in done.stdout
    assert done.returncode == 1


def test_single_vectors_are_asked_again_where_that_is_said(cli) -> None:
    asked = ("run", "--runner", "reference", "harbor-0.13.1/aggregation/sum-int-2-53-plus-1")
    told = cli(*asked, "--again-seed", 7)
    said = "rephrased (--again-seed 7): 1 vector, none answered wrongly"
    assert (told.returncode, said in told.stdout) == (0, True)
    assert "asked again" not in cli(*asked).stdout


def test_a_runner_that_always_crashes_has_a_list_too(cli, vectors, hostile_text) -> None:
    path = vectors.several(3)
    done = run(cli, path, hostile_text(path, "exit"), "--failures", 0)
    (listed,) = re.findall(r"^To fix \((.*), explained ones first\):$", done.stdout, re.M)
    assert (done.returncode, listed) == (1, "3 failures")
    assert "No usable answer: the runner exited with code 3 instead of replying." in done.stdout


def test_a_baseline_hides_no_runner_that_does_not_work(cli, vectors, hostile_text, tmp_path) -> None:
    path = vectors.several(3)
    for behaviour, file, said in (
        ("wrong", "known.txt", "no vector passed, so a baseline would hide a runner that does not work"),
        ("correct", "absent/known.txt", "absent/known.txt can't be written: its folder does not exist"),
    ):
        done = cli("baseline", "--vectors", path, "--runner", hostile_text(path, behaviour), "-o", file)
        assert (done.returncode, said in done.stderr, (tmp_path / file).exists()) == (2, True, False)


@pytest.mark.parametrize(
    ("args", "sentence"), json.loads(Path(__file__).with_name("mistakes.json").read_text("utf-8"))
)
def test_a_mistake_is_a_sentence(cli, args, sentence) -> None:
    done = cli(*args)
    assert (done.returncode, done.stdout, "Traceback" in done.stderr) == (2, "", False)
    assert sentence in done.stderr


@pytest.mark.parametrize("content", ["[]", "{", '{"vectors": [{}]}', None])
def test_a_file_that_can_not_be_asked_is_a_sentence(cli, vectors, tmp_path, content) -> None:
    entry = vectors.entry("v0")
    del entry["expected"]
    path = vectors.write([entry])
    if content is not None:
        path.write_text(content, "utf-8")
    done = cli("run", "--runner", "a", "--vectors", path)
    said = f"harbor-conformance: {path}" if content else f"{v(0)} has no expected answer yet: run harbor-conf"
    assert (done.returncode, said in done.stderr) == (2, True)
    assert done.stderr.count("\n") == 1 or content is None


@pytest.mark.slow
def test_doctor_says_what_is_broken(cli, vectors, hostile_text, tmp_path) -> None:
    cache = str(tmp_path / "cache")  # nothing is built there that doctor would compare, file by file
    for command, said in (
        (hostile_text(vectors.several(1), "hello-exit"), "runner hello +broken +the runner exited with co"),
        ("no-such-runner", "no-such-runner is not on the PATH"),
        ("", ""),
    ):
        done = cli("doctor", "--runner", command, HARBOR_CONFORMANCE_CACHE=cache)
        assert (done.returncode == 1) if command else done.returncode
        assert re.search(said, done.stdout)
        assert "Traceback" not in done.stderr
