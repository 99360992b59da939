"""A failure that depends on what was asked before: its ``repeat:`` repeats it."""

import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.run import repeating
from conformance.suite.vectors import load_file, with_preceding

pytestmark = pytest.mark.usefixtures("played")

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


def v(index: int) -> str:
    return f"harbor-0.13.1/evals_key/v{index}"


def field(text: str, label: str) -> list[str]:
    return [match.strip() for match in re.findall(rf"^{label}:(.*)$", text, re.MULTILINE)]


def repeated(cli: Cli, command: str) -> "subprocess.CompletedProcess[str]":
    return cli(*shlex.split(command)[1:])


@pytest.fixture
def ask(cli: Cli, vectors: Any, hostile_text: Any) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    def run(count: int, behaviour: str, *slugs: str, more: tuple[str, ...] = ()) -> Any:
        path = vectors.several(count)
        return cli("run", "--vectors", path, "--runner", hostile_text(path, behaviour, *slugs), *more)

    return run


def test_a_crash_at_a_certain_count_is_repeated_by_those_before(ask: Any, cli: Cli) -> None:
    done = ask(7, "dies-every-3")
    assert field(done.stdout, "crash") == [v(2), v(5)]
    for index, command in zip((2, 5), field(done.stdout, "repeat"), strict=True):
        assert command.endswith(f" --before 2 {v(index)}")
        again = repeated(cli, command)
        assert field(again.stdout, "crash") == [v(index)]
        assert field(again.stdout, "repeat") == [command]
        assert "2 of 3 passed" in again.stdout
    told = "asked alone it is answered: the crash comes after 2 vectors before it, so the runner keeps state"
    assert field(done.stdout, "before") == [told, told]


@pytest.mark.parametrize("first", [0, 17, 38])
def test_a_crash_after_a_certain_vector_is_repeated_by_the_two(ask: Any, cli: Cli, first: int) -> None:
    done = ask(40, "dies-after", f"v{first}", "v39")
    [command], [told] = field(done.stdout, "repeat"), field(done.stdout, "before")
    assert "the crash comes after 1 vector before it" in told
    if first == 38:
        assert command.endswith(f" --before 1 {v(39)}")
    else:
        assert command.endswith(f" --in-order {v(first)} {v(39)}")
    again = repeated(cli, command)
    assert field(again.stdout, "crash") == [v(39)]
    assert "1 of 2 passed" in again.stdout


def test_two_that_are_needed_are_both_found(ask: Any, cli: Cli) -> None:
    done = ask(24, "dies-after", "v3", "v11", "v20")
    [command] = field(done.stdout, "repeat")
    assert command.endswith(f" --in-order {v(3)} {v(11)} {v(20)}")
    assert field(repeated(cli, command).stdout, "crash") == [v(20)]


def test_a_hang_is_repeated_too(ask: Any, cli: Cli) -> None:
    done = ask(4, "hangs-after", "v1", "v3", more=("--runner-timeout", "2"))
    [command], [told] = field(done.stdout, "repeat"), field(done.stdout, "before")
    assert "the time-out comes after 1 vector before it" in told
    assert field(repeated(cli, command).stdout, "timeout") == [v(3)]


def test_the_order_of_the_vectors_is_kept(cli: Cli, vectors: Any, hostile_text: Any) -> None:
    """As a user's pytest may order them anyhow."""
    path = vectors.several(6)
    command = hostile_text(path, "dies-after", "v4", "v1")
    given = ("run", "--vectors", path, "--runner", command, "--in-order", v(4), v(2), v(1))
    done = cli(*given)
    assert field(done.stdout, "crash") == [v(1)]
    [repeat] = field(done.stdout, "repeat")
    assert repeat.endswith(f" --in-order {v(4)} {v(1)}")
    assert cli(*given[:5], v(4), v(2), v(1)).returncode == 0  # in the files' order it passes


def test_a_failure_of_the_vector_alone_is_repeated_alone(ask: Any) -> None:
    done = ask(6, "exit", "v4")
    assert field(done.stdout, "before") == []
    [command] = field(done.stdout, "repeat")
    assert command.endswith(f"made.json {v(4)}")
    assert "--before" not in command


def test_a_mismatch_is_not_asked_again(ask: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOSTILE_STARTS", str(tmp_path / "starts"))
    ask(6, "wrong", "v4")
    assert (tmp_path / "starts").read_text(encoding="utf-8").count("\n") == 1


def test_what_comes_and_goes_is_called_so(ask: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOSTILE_STARTS", str(tmp_path / "starts"))
    done = ask(6, "dies-once", "v4")
    assert field(done.stdout, "before") == [
        "asked alone it is answered, and after the 4 vectors before it too: the crash comes and goes"
    ]


def test_the_tries_of_a_run_have_an_end(ask: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(repeating, "_TRIES", 3)
    monkeypatch.setenv("HOSTILE_STARTS", str(tmp_path / "starts"))
    done = ask(12, "dies-every-3")
    told = field(done.stdout, "before")
    assert (tmp_path / "starts").read_text(encoding="utf-8").count("\n") == 4 + 3
    assert "the crash comes after" in told[0]
    assert len(told) == 4
    for one in told[1:]:
        assert one.startswith("not asked alone (the time for that was used up by other failures); 2 requests")


def test_a_runner_that_does_not_start_again_is_not_asked(
    ask: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOSTILE_STARTS", str(tmp_path / "starts"))
    [told] = field(ask(6, "starts-once", "v4").stdout, "before")
    assert told == (
        "not asked alone (no second process of the runner could be started); "
        "4 requests came before it in its process"
    )


def test_the_time_for_it_has_an_end_too(ask: Any, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeating, "_SECONDS", 0.0)
    [told] = field(ask(6, "dies-after", "v1", "v4").stdout, "before")
    assert told.startswith("not asked alone (")


def test_with_preceding_counts_in_the_files_order(vectors: Any) -> None:
    every = load_file(vectors.several(8))
    chosen = [every[6], every[1]]
    assert with_preceding(every, chosen, 0) == [every[1], every[6]]
    assert with_preceding(every, chosen, 2) == [every[0], every[1], every[4], every[5], every[6]]


def test_an_order_and_a_number_do_not_go_together(cli: Cli, vectors: Any, hostile_text: Any) -> None:
    path = vectors.several(2)
    done = cli("run", "--vectors", path, "--runner", hostile_text(path), "--in-order", "--before", 1, v(1))
    assert done.returncode == 2
    assert "--in-order names every vector that is asked" in done.stderr


def test_pytest_tells_the_same(
    run_pytest: Callable[..., pytest.RunResult], pytester: pytest.Pytester, vectors: Any, hostile_text: Any
) -> None:
    vectors.folder = pytester.path
    path = vectors.several(6)
    result = run_pytest(path, "--runner", hostile_text(path, "dies-after", "v1", "v4"))
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(
        [
            "before:   asked alone it is answered: the crash comes after 1 vector before it, so*",
            f"repeat:*--in-order {v(1)} {v(4)}",
        ]
    )
