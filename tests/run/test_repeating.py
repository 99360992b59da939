"""A failure that depends on what was asked before is flaky, and its ``repeat:`` repeats it."""

import re
import shlex
import sys

import pytest

from conformance.suite.choosing import with_preceding
from conformance.suite.vectors import load_file
from tests.conftest import v

pytestmark = pytest.mark.usefixtures("played")


def field(text, label):
    return [match.strip() for match in re.findall(rf"^{label}:(.*)$", text, re.MULTILINE)]


def repeated(cli, command):
    return cli(*shlex.split(command)[1:])


@pytest.fixture
def ask(cli, vectors, hostile_text):
    def run(count, behaviour, *slugs, more=()):
        path = vectors.several(count)
        return cli("run", "--vectors", path, "--runner", hostile_text(path, behaviour, *slugs), *more)

    return run


def test_a_crash_at_a_certain_count_is_repeated_by_those_before(ask, cli) -> None:
    done = ask(7, "dies-every-3")
    assert field(done.stdout, "flaky") == [v(2), v(5)]
    for index, command in zip((2, 5), field(done.stdout, "repeat"), strict=True):
        assert command.endswith(f" --before 2 {v(index)}")
        again = repeated(cli, command)
        assert field(again.stdout, "flaky") == [v(index)]
        assert field(again.stdout, "repeat") == [command]
        assert "2 of 3 passed" in again.stdout
    told = "asked alone it is answered: the crash may depend on the 2 requests before it"
    assert field(done.stdout, "before") == [told, told]


@pytest.mark.parametrize(
    ("count", "asked", "tail", "kind", "more"),
    [
        (40, ("dies-after", "v0", "v39"), f"--before 39 {v(39)}", "crash", ()),
        (4, ("hangs-after", "v1", "v3"), f"--before 3 {v(3)}", "timeout", ("--runner-timeout", "2")),
    ],
)
def test_what_comes_after_another_is_repeated_by_all_before(ask, cli, count, asked, tail, kind, more) -> None:
    done = ask(count, *asked, more=more)
    [command], [told] = field(done.stdout, "repeat"), field(done.stdout, "before")
    assert command.endswith(f" {tail}")
    before = count - 1
    assert f"the {kind.replace('timeout', 'time-out')} may depend on the {before} requests" in told
    again = repeated(cli, command)
    assert field(again.stdout, "flaky") == [tail.rpartition(" ")[2]]
    assert f"{before} of {before + 1} passed" in again.stdout


def test_the_order_of_the_vectors_is_kept(cli, vectors, hostile_text) -> None:
    """As a user's pytest may order them anyhow."""
    path = vectors.several(6)
    command = hostile_text(path, "dies-after", "v4", "v1")
    given = ("run", "--vectors", path, "--runner", command, "--in-order", v(4), v(2), v(1))
    done = cli(*given)
    assert field(done.stdout, "flaky") == [v(1)]
    [repeat] = field(done.stdout, "repeat")
    assert repeat.endswith(f" --in-order {v(4)} {v(2)} {v(1)}")
    assert cli(*given[:5], v(4), v(2), v(1)).returncode == 0  # in the files' order it passes


def test_a_failure_of_the_vector_alone_is_repeated_alone(ask) -> None:
    done = ask(6, "exit", "v4")
    assert field(done.stdout, "before") == []
    [command] = field(done.stdout, "repeat")
    assert command.endswith(f"made.json {v(4)}")
    assert "--before" not in command


@pytest.fixture
def starts(monkeypatch, tmp_path):
    monkeypatch.setenv("HOSTILE_STARTS", str(tmp_path / "starts"))
    return lambda: (tmp_path / "starts").read_text("utf-8").count("\n")


NEVER = "not asked alone; 4 requests came before it in its process"
GOES = "asked alone it is answered: the crash may depend on the 4 requests before it"


@pytest.mark.parametrize(
    ("behaviour", "told"), [("wrong", []), ("dies-once", [GOES]), ("starts-once", [NEVER])]
)
def test_what_asking_alone_does_not_repeat_is_called_so(ask, starts, behaviour, told) -> None:
    """A mismatch starts no second process."""
    assert field(ask(6, behaviour, "v4").stdout, "before") == told
    assert told or starts() == 1


def test_of_many_crashes_some_are_not_asked_alone(ask) -> None:
    told = field(ask(30, "dies-every-3").stdout, "before")
    assert [one.partition(":")[0] for one in told[:5]] == ["asked alone it is answered"] * 5
    assert {*told[5:]} == {"not asked alone; 2 requests came before it in its process"}
    assert len(told) > 5


COUNTING = """\
import json, os, subprocess, sys
pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
inner = subprocess.Popen([sys.executable, "-m", "reference_impl"], **pipes)
for count, line in enumerate(sys.stdin.buffer):
    if count == 320:
        os._exit(3)
    inner.stdin.write(line)
    inner.stdin.flush()
    os.write(1, inner.stdout.readline())
"""


@pytest.mark.slow
def test_rephrased_vectors_count_as_earlier_requests(cli, tmp_path) -> None:
    (tmp_path / "counting.py").write_text(COUNTING)
    command = shlex.join([sys.executable, str(tmp_path / "counting.py")])
    done = cli("run", "--spec", "evsys", "--again-seed", 1, "--runner", command)
    [note], [repeat], flaky = (field(done.stdout, label) for label in ("before", "repeat", "flaky"))
    assert "the crash may depend on the 319 requests before it" in note
    assert repeat.endswith(" --spec evsys --again-seed 1")
    assert field(repeated(cli, repeat).stdout, "flaky") == flaky


def test_preceding_vectors_count_in_the_files_order_and_not_in_another(vectors, cli, hostile_text) -> None:
    every = load_file(vectors.several(8))
    chosen = [every[6], every[1]]
    assert with_preceding(every, chosen, 0) == [every[1], every[6]]
    assert with_preceding(every, chosen, 2) == [every[0], every[1], every[4], every[5], every[6]]
    path = every[0].file
    done = cli("run", "--vectors", path, "--runner", hostile_text(path), "--in-order", "--before", 1, v(1))
    assert done.returncode == 2
    assert "--in-order names every vector to ask" in done.stderr


def test_pytest_tells_the_same(run_pytest, pytester, vectors, hostile_text) -> None:
    vectors.folder = pytester.path
    path = vectors.several(6)
    result = run_pytest(path, "--runner", hostile_text(path, "dies-after", "v1", "v4"))
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(
        [
            "before:   asked alone it is answered: the crash may depend on the 4 requests before it",
            f"repeat:*--before 4 {v(4)}",
        ]
    )
