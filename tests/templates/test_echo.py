"""The echo test: each template's protocol file is held to the whole protocol, through real pipes."""

import contextlib
import functools
import inspect
import json
import sys
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


FAULTS = json.loads((HERE / "echoing" / "faults.json").read_text("utf-8"))
"""What a broken runner does: a change to the Python template's files, and a check that it fails."""


assert len(CHECKS) == 40, "a check is lost, or new"


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_runner_fails(fault, tmp_path, monkeypatch) -> None:
    """Each check can fail: of a runner with one fault, the one that is about it does."""
    monkeypatch.setattr(talking, "PATIENCE", 1.0)
    about = FAULTS[fault]
    for name, source in (("protocol.py", shim.__file__), ("runner.py", HERE / "python" / "echo.py")):
        text = Path(source).read_text("utf-8")
        if name == about["file"]:
            assert text.count(about["old"]) == 1, f"{fault} changes a text that {source} has not once"
            text = text.replace(about["old"], about["new"])
        compile(text, name, "exec")
        (tmp_path / name).write_text(text, encoding="utf-8")
    strings = fault == "numbers-unsaid"
    runner = Runner([sys.executable, "runner.py"], tmp_path, strings=strings, oneshot=False)
    with pytest.raises(AssertionError), contextlib.closing(runner):
        CHECKS[about["fails"]](Asked(runner))


@pytest.mark.slow
def test_a_runner_of_one_request_may_read_to_the_end(tmp_path) -> None:
    """Its input is closed before its reply is awaited, whichever awk the machine has."""
    reads_all = "import sys; print(sys.stdin.read().upper(), end='')"
    runner = Runner([sys.executable, "-c", reads_all], tmp_path, strings=False, oneshot=True)
    assert runner.ask(b"one") == b"ONE\n"
    assert runner.ask_all([b"two", b"three"]) == [b"TWO\n", b"THREE\n"]
