"""Metrics checked without a process for each run: no wall and no limit, else the same.

Scripts and classes run in this process, where there is one hash seed; classes that import harness-evals in a
fork of a process that has imported it.
"""

import contextlib
import datetime
import io
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

from conformance.confinement.bubblewrap import Interpreter, Mounts
from conformance.extensions.metrics import checker
from conformance.extensions.metrics.classes import process as class_process
from conformance.extensions.metrics.classes import worker
from conformance.extensions.metrics.sandbox.limits import Ended
from conformance.extensions.metrics.sandbox.sandbox import Sandbox
from conformance.extensions.metrics.script import runner as script_run
from conformance.extensions.metrics.script.runs import PLAIN
from conformance.wire.untrusted_files import Folder

HERE = Interpreter(sys.executable, sys.executable, tuple(sys.version_info[:3]), (), ())


class Environment:
    """Takes the place of a script's environment."""

    version, python, mounts = "in this process", HERE, Mounts()

    def __init__(self, script: Path, *_: Any) -> None:
        self.has_header = "# /// script" in script.read_text("utf-8")
        self.notes: list[str] = []


COMPILED: dict[str, CodeType] = {}


@contextlib.contextmanager
def as_a_process(words: list[str], cwd: str, environment: Mapping[str, str]) -> Iterator[None]:
    """What a process of its own would have changed is as before afterwards."""
    kept = (os.getcwd(), dict(os.environ), set(sys.modules), sys.path[:], sys.argv, sys.stdout, sys.stderr)
    kind, temporary = os.environ.__class__, tempfile.tempdir
    patched = [(module, dict(vars(module))) for module in (time, datetime, os, platform)]
    os.chdir(cwd)
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
        sys.__class__ = ModuleType
        for module, before in patched:
            vars(module).update(before)
        for name in set(sys.modules) - modules:
            del sys.modules[name]


def run_script(words: list[str], cwd: str, environment: Mapping[str, str]) -> Ended:
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


class InProcess(Sandbox):
    """A room whose calls are made in this process."""

    def __enter__(self) -> "InProcess":
        self._bwrap, self._before = None, set[str]()
        self.path = tempfile.mkdtemp()
        self._folders, self._roots = [Folder.top(self.path)], (self.path,)
        return self

    def __exit__(self, *_: object) -> None:
        self._folders[0].leave()
        shutil.rmtree(self.path)

    def call(
        self, words: Any, *, environment: Any, cwd: str, folders: Any = (), files: Any = None, **how: Any
    ) -> Ended:
        for folder in folders:
            os.makedirs(folder, exist_ok=True)
        for path, text in files.items():
            Path(path).write_text(text, encoding="utf-8", newline="")
        return self.made(list(words), cwd, environment, how.get("on_line"))

    def made(self, words: list[str], cwd: str, environment: Mapping[str, str], on_line: Any) -> Ended:
        """A script's run, or a class's answers."""
        if on_line is None:
            return run_script(words[1:], cwd, environment)
        for line in answers(words[1:], cwd, environment):
            on_line(line)
        return Ended(code=0)


def answers(words: list[str], cwd: str, environment: Mapping[str, str]) -> list[bytes]:
    """What the worker says of a class, both loaded anew."""
    reply_channel = io.BytesIO()
    with as_a_process(words, cwd, environment), pytest.MonkeyPatch.context() as patch:
        anew: Any = worker.module_from_file(worker.__file__, "_in_process_worker")

        @contextlib.contextmanager
        def channel() -> Iterator[io.BytesIO]:
            sys.stdout = anew.Printed()
            yield reply_channel

        anew.reply_channel = channel
        patch.setattr(os, "_exit", lambda _: None)
        anew.main()
    return reply_channel.getvalue().splitlines()


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

    def answered(self, words: list[str], cwd: str, environment: Mapping[str, str], reply_channel: str) -> int:
        seed = environment["PYTHONHASHSEED"]
        if seed not in self.servers:
            self.servers[seed] = subprocess.Popen(
                [words[0], "-c", FORKING],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, "PYTHONHASHSEED": seed},
            )
        server = self.servers[seed]
        assert server.stdin and server.stdout  # noqa: PT018
        server.stdin.write(json.dumps([words[1:], cwd, dict(environment), reply_channel]) + "\n")
        server.stdin.flush()
        return int(server.stdout.readline())

    def close(self) -> None:
        for server in self.servers.values():
            server.communicate(timeout=60)


class Forked(InProcess):
    """A room whose calls are made by forks of the oracle's Python."""

    forks: Forks

    def made(self, words: list[str], cwd: str, environment: Mapping[str, str], on_line: Any) -> Ended:
        reply_channel = f"{self.path}/replies"
        code = self.forks.answered(words, cwd, environment, reply_channel)
        for line in Path(reply_channel).read_bytes().splitlines():
            on_line(line)
        return Ended(code=code)


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    made = Forks()
    yield made
    made.close()


@pytest.fixture
def forked(forks: Forks, monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes that a test checks have harness-evals imported already."""
    monkeypatch.setattr(Forked, "forks", forks, raising=False)
    monkeypatch.setattr(class_process, "Sandbox", Forked)


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Metrics that a test checks start no process."""
    monkeypatch.setattr(script_run, "Sandbox", InProcess)
    monkeypatch.setattr(script_run, "ScriptEnvironment", Environment)
    monkeypatch.setattr(script_run, "confined", lambda: True)
    run = script_run.ScriptRunner.run
    unwatched = lambda self, trials, how=PLAIN: run(self, trials, replace(how, pretended=None))  # noqa: E731
    monkeypatch.setattr(script_run.ScriptRunner, "run", unwatched)
    monkeypatch.setattr(class_process, "Sandbox", InProcess)
    monkeypatch.setattr(class_process, "interpreter", lambda *_, **__: HERE)
    monkeypatch.setattr(class_process, "copies_of", lambda _, folder, __: (folder, []))
    monkeypatch.setattr(class_process, "remove", lambda folder: os.rmdir(folder))
    monkeypatch.setattr(checker, "missing_protections", list)
