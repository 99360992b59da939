"""Metrics checked without a process for each run: no wall and no limit, else the same.

Scripts and classes run in this process, where there is one hash seed; classes that import harness-evals in a
fork of a process that has imported it.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

from conformance.metric import class_process, script_run, targets, worker
from conformance.metric.confinement import Ended
from conformance.metric.protection import Protections


class Uv:
    """Takes the place of uv and of the script's environment."""

    version = "in this process"

    def __init__(self, script: Path, *_: Any, **__: Any) -> None:
        self.script = script

    def command(self, *words: str) -> list[str]:
        return [str(self.script), *words]

    def for_run(self) -> tuple[list[Path], list[Path], dict[str, str]]:
        return [], [], {}


COMPILED: dict[str, CodeType] = {}


@contextlib.contextmanager
def as_a_process(words: list[str], cwd: object, environment: Mapping[str, str]) -> Iterator[None]:
    """What a process of its own would have changed is as before afterwards."""
    kept = (os.getcwd(), dict(os.environ), set(sys.modules), sys.path[:], sys.argv, sys.stdout, sys.stderr)
    kind, temporary = os.environ.__class__, tempfile.tempdir
    os.chdir(str(cwd))
    os.environ.clear()
    os.environ.update(environment)
    sys.argv, tempfile.tempdir = words, None
    try:
        yield
    finally:
        os.environ.__class__, tempfile.tempdir = kind, temporary
        folder, variables, modules, sys.path[:], sys.argv, sys.stdout, sys.stderr = kept
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(variables)
        for name in set(sys.modules) - modules:
            del sys.modules[name]


def run_script(words: list[str], cwd: object, environment: Mapping[str, str]) -> Ended:
    """A script's end and its output."""
    text = Path(words[0]).read_text("utf-8")
    if text not in COMPILED:
        COMPILED[text] = compile(text, words[0], "exec")
    printed, said = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    code = 0
    with as_a_process(words, cwd, environment), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of files that scripts leave open
        sys.stdout, sys.stderr = printed, said
        try:
            exec(COMPILED[text], {"__name__": "__main__", "__file__": words[0]})
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        except Exception:
            code = 1
            said.write(traceback.format_exc())
    streams = [stream.buffer.getvalue() for stream in (printed, said)]  # type: ignore[attr-defined]
    decodes = all(stream == stream.decode("utf-8", "ignore").encode() for stream in streams)
    return Ended(code=code, stdout=streams[0], stderr=streams[1], decodes=decodes)


def run_confined(
    command: list[str], *, cwd: Path, environment: Mapping[str, str], on_line: Any = None, **_: Any
) -> Ended:
    """A script's run, its runs in turn, or a class's answers."""
    if on_line is None:
        return run_script(command, cwd, environment)
    if command[1] == worker.__file__:
        for line in answers(command[1:], cwd, environment):
            on_line(line)
        return Ended(code=0)
    job = json.loads(Path(command[-1]).read_text("utf-8"))
    for call in job["calls"]:
        ended = run_script([*job["command"], *call["arguments"]], call["folder"], call["environment"])
        Path(call["stdout"]).write_bytes(ended.stdout)
        Path(call["stderr"]).write_bytes(ended.stderr)
        on_line(json.dumps({"code": ended.code}).encode())
    return Ended(code=0)


def answers(words: list[str], cwd: Path, environment: Mapping[str, str]) -> list[bytes]:
    """What the worker says of a class, both loaded anew."""
    replies = io.BytesIO()
    with as_a_process(words, cwd, environment), pytest.MonkeyPatch.context() as patch:
        anew: Any = worker.from_file(worker.__file__, "_in_process_worker")

        @contextlib.contextmanager
        def channel() -> Iterator[io.BytesIO]:
            sys.stdout = anew.Printed()
            yield replies

        anew.replies = channel
        patch.setattr(os, "_exit", lambda _: None)
        anew.main()
    return replies.getvalue().splitlines()


FORKING = """
import json, os, runpy, sys, harness_evals.metrics.deterministic, harness_evals.llm.base
for line in sys.stdin:
    words, cwd, environment, replies = json.loads(line)
    if not (child := os.fork()):
        os.dup2(os.open(replies, os.O_WRONLY | os.O_CREAT), 1)
        os.dup2(os.open(os.devnull, os.O_RDWR), 2)
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = words
        runpy.run_path(words[0], run_name="__main__")
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Forks:
    """Processes of the oracle's Python, one for each hash seed, that fork for every run."""

    def __init__(self) -> None:
        self.servers: dict[str, subprocess.Popen[str]] = {}

    def run_confined(
        self,
        command: list[str],
        *,
        folder: Path,
        cwd: Path,
        environment: Mapping[str, str],
        on_line: Any,
        **_: Any,
    ) -> Ended:
        seed = environment["PYTHONHASHSEED"]
        if seed not in self.servers:
            self.servers[seed] = subprocess.Popen(
                [command[0], "-c", FORKING],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONHASHSEED": seed},
            )
        server, replies = self.servers[seed], folder / "replies"
        assert server.stdin
        assert server.stdout
        server.stdin.write(json.dumps([command[1:], str(cwd), dict(environment), str(replies)]) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        for line in replies.read_bytes().splitlines():
            on_line(line)
        return Ended(code=code)

    def close(self) -> None:
        for server in self.servers.values():
            server.communicate(timeout=60)


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    made = Forks()
    yield made
    made.close()


@pytest.fixture
def forked(forks: Forks, monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes that a test checks have harness-evals imported already."""
    monkeypatch.setattr(class_process, "run_confined", forks.run_confined)


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Metrics that a test checks start no process."""
    monkeypatch.setattr(script_run, "run_confined", run_confined)
    monkeypatch.setattr(script_run, "ScriptUv", Uv)
    monkeypatch.setattr(script_run, "can_lock_writes", lambda: True)
    monkeypatch.setattr(class_process, "run_confined", run_confined)
    monkeypatch.setattr(targets, "protections", lambda: Protections(6, True, True, True))
