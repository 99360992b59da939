"""The echo test: each template's protocol file is held to the whole protocol, through real pipes."""

import contextlib
import functools
import inspect
import json
import os
import runpy
import sys
import threading
import types
from pathlib import Path

import pytest

from conformance import shim
from conformance.templates.languages import LANGUAGES
from tests.templates.echoing import messages, numbers, talking, texts
from tests.templates.echoing.asking import Asked
from tests.templates.echoing.building import HERE, languages
from tests.templates.echoing.lines import REFUSED_VALUES
from tests.templates.echoing.talking import Runner

CHECKS = {
    name: check
    for module in (messages, numbers, texts)
    for name, check in vars(module).items()
    if inspect.isfunction(check)
    and check.__module__ == module.__name__
    and list(inspect.signature(check).parameters) == ["asked"]
}
CHECKS |= {
    f"bad_{category}_are_told_of": functools.partial(messages.bad_values_are_told_of, category=category)
    for category in REFUSED_VALUES
}
ONCE = {"a_line_of_eight_mebibytes_is_read"}
"""What takes long, and does not depend on how numbers come."""
HOLD_HALVES = ["python", "typescript", "java", "csharp"]
"""Whose strings can hold half a surrogate pair; the others answer `unsupported`, as PROTOCOL.md has it."""
OF_SOME = {
    "halves_of_pairs_are_escapes": HOLD_HALVES,
    "replies_are_not_held_back": [language.slug for language in LANGUAGES if not language.oneshot],
}
"""Checks that are not for every language: they ask for operations that only its echo runner has."""
LISTENING = {"what_is_unexpected_is_an_error", "what_the_author_prints_breaks_nothing"}
"""Checks that hear what their process says on standard error, and so have one of their own."""


def failures(slug, command, folder, *, strings, oneshot):
    """The checks that a runner fails; all but a few ask the same process."""
    found, runner = {}, None
    for name, check in CHECKS.items():
        if slug not in OF_SOME.get(name, [slug]) or (strings and (name in ONCE or name in OF_SOME)):
            continue
        if runner is not None and name in LISTENING:
            runner.close()
        if runner is None or name in LISTENING:
            runner = Runner(command, folder, strings=strings, oneshot=oneshot)
        try:
            check(Asked(runner))
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
            with contextlib.suppress(AssertionError):
                runner.close()
            runner = None
    if runner is not None:
        runner.close()
    return found


NUMBERS = pytest.mark.parametrize("strings", [False, True], ids=["native", "strings"])


@NUMBERS
@languages(always=("python", "cpp"))
def test_the_protocol_file(slug, strings, builder) -> None:
    """What the checks' docstrings say, of this language, with numbers as JSON has them and as strings."""
    built = builder.built(slug, "echo")
    oneshot = built.language.oneshot
    assert failures(slug, built.command, built.folder, strings=strings, oneshot=oneshot) == {}


class Served:
    """Takes a process's place: Python's echo runner in a thread, whose standard streams are pipes."""

    def __init__(self, command, cwd, **_) -> None:
        (requests, stdin), (stdout, replies), (nothing, stderr) = os.pipe(), os.pipe(), os.pipe()
        self.stdin = os.fdopen(stdin, "wb")
        self.stdout, self.stderr = os.fdopen(stdout, "rb"), os.fdopen(nothing, "rb")
        self.thread = threading.Thread(target=self.serve, args=(command, cwd, requests, replies, stderr))
        self.thread.start()

    def serve(self, command, folder, requests, replies, stderr) -> None:
        streams = {"dup": {0: requests, 1: replies}.get, "dup2": lambda *_: None, "_exit": sys.exit}
        protocol = types.ModuleType("protocol")
        exec(compile((folder / "protocol.py").read_text("utf-8"), "protocol.py", "exec"), vars(protocol))
        protocol.os = types.SimpleNamespace(**{**vars(os), **streams})
        with pytest.MonkeyPatch.context() as patch, contextlib.suppress(SystemExit):
            patch.setitem(sys.modules, "protocol", protocol)
            patch.setattr(sys, "argv", command[1:])
            runpy.run_path(str(folder / "runner.py"))
        os.close(stderr)

    def wait(self, timeout=None):
        self.thread.join(timeout)
        return 0

    def kill(self) -> None:
        self.stdin.close()


FAULTS = json.loads((HERE / "echoing" / "faults.json").read_text("utf-8"))
"""What a broken runner does: a change to the Python template's files, and a check that it fails."""
LONG = {
    *("a_line_of_eight_mebibytes_is_read", "all_of_unicode_comes_back", "depth_is_bounded"),
    *("floats_are_read_to_the_nearest_double", "floats_are_spelled_to_the_byte", "numbers_are_told_apart"),
    *("objects_keep_their_order", "replies_come_in_order"),
}
"""Checks in which quick tests take no part."""
OF_A_PROCESS = {"bad-lines-ignored", "held-back", "prints", "unflushed"} | {
    fault for fault, about in FAULTS.items() if about["fails"] in LONG
}
"""Faults that need a process of their own, or time."""


def checked(check, folder, *, strings, fault="") -> None:
    """Asks the Python template's files, with a fault of theirs."""
    about = FAULTS.get(fault, {})
    texts = {"protocol.py": shim.__file__, "runner.py": HERE / "python" / "echo.py"}
    for name, source in texts.items():
        text = Path(source).read_text("utf-8")
        if name == about.get("file"):
            assert text.count(about["old"]) == 1, f"{fault} changes a text that {source} has not once"
            text = text.replace(about["old"], about["new"])
        compile(text, name, "exec")
        (folder / name).write_text(text, encoding="utf-8")
    runner = Runner([sys.executable, "runner.py"], folder, strings=strings, oneshot=False)
    try:
        CHECKS[check](Asked(runner))
    finally:
        runner.close()


@pytest.fixture
def in_a_thread(monkeypatch) -> None:
    monkeypatch.setattr(talking.subprocess, "Popen", Served)


assert len(CHECKS) == 41, "a check is lost, or new"
QUICK = [one for one in CHECKS if one not in LONG | LISTENING | {"replies_are_not_held_back"}]


@NUMBERS
@pytest.mark.usefixtures("in_a_thread")
@pytest.mark.parametrize("check", QUICK)
def test_the_protocol_file_in_this_process(check, strings, tmp_path) -> None:
    checked(check, tmp_path, strings=strings)


@pytest.mark.usefixtures("in_a_thread")
@pytest.mark.parametrize("fault", [one for one in FAULTS if one not in OF_A_PROCESS])
def test_a_broken_runner_fails(fault, tmp_path) -> None:
    """Each check can fail: of a runner with one fault, the one that is about it does."""
    with pytest.raises(AssertionError):
        checked(FAULTS[fault]["fails"], tmp_path, strings=fault == "numbers-unsaid", fault=fault)


@pytest.mark.slow
@pytest.mark.parametrize("fault", sorted(OF_A_PROCESS))
def test_a_broken_process_fails(fault, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(talking, "PATIENCE", 1.0)
    with pytest.raises(AssertionError):
        checked(FAULTS[fault]["fails"], tmp_path, strings=False, fault=fault)


@pytest.mark.slow
def test_a_runner_of_one_request_may_read_to_the_end(tmp_path) -> None:
    """Its input is closed before its reply is awaited, whichever awk the machine has."""
    reads_all = "import sys; print(sys.stdin.read().upper(), end='')"
    runner = Runner([sys.executable, "-c", reads_all], tmp_path, strings=False, oneshot=True)
    assert runner.ask(b"one") == b"ONE\n"
    assert runner.ask_all([b"two", b"three"]) == [b"TWO\n", b"THREE\n"]
