"""How a user names a harbor that the kit attaches: by release or by path, in every face of the kit."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from conformance.oracle import forks, of_specs
from conformance.oracle.commands import of_release, resolve_command
from conformance.oracle.forks import Attached
from conformance.oracle.python import OracleError
from conformance.paths import DEFAULT_SPEC
from conformance.run.commands import CommandError, is_attached, runner_words
from conformance.run.options import RunOptions, repeat_property, repeat_vector
from conformance.suite.vectors import load_spec


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *(("harbor:0.22.0", ["--harbor", "0.22.0"]), ("harbor:newest", ["--harbor", "newest"])),
        *((text, ["--runner", text]) for text in ("harbor:./0.22.0", "harbor:/a fork/.venv")),
        *((text, ["--runner", text]) for text in ("python first.py", "oracle")),
    ],
)
def test_a_failure_is_repeated_with_the_option_that_was_given(text, words) -> None:
    assert runner_words(text) == words
    assert is_attached(text) == text.startswith("harbor:")
    options = RunOptions(command=text)
    vector = load_spec(options.spec)[0]
    quoted = words[1] if " " not in words[1] else f"'{words[1]}'"
    assert repeat_vector(options, vector).startswith(f"harbor-conformance run {words[0]} {quoted} --spec ")
    for_pytest = words[0].replace("--harbor", "--conformance-harbor")
    assert repeat_property(options, "p").startswith(f"pytest {for_pytest}={quoted} --conformance-spec ")


def test_a_release_and_a_path_become_the_adapters_command(monkeypatch) -> None:
    asked = []

    def attach(path, _):
        asked.append(path)
        return Attached(Path("/fork/bin/python"), Path("/fork/src"))

    monkeypatch.setattr(forks, "attach", attach)
    monkeypatch.setattr(of_specs, "locate", lambda *_, **__: SimpleNamespace(path="/a/python3.12"))
    words = resolve_command("harbor: /fork")
    assert (asked, words[0]) == ([Path(" /fork")], "env")
    assert words.index("PYTHONPATH=/fork/src") > words.index("PYTHONPATH"), "the user's is taken out first"
    assert words[words.index("/fork/bin/python") :][-1].endswith("harbor.py")
    words = resolve_command("harbor:/fork", spec="harbor-metric")
    assert "UV_PYTHON=/a/python3.12" in words
    assert words[-1].endswith("uv_script.py")


def test_what_cannot_be_attached_is_a_sentence() -> None:
    for command, spec, sentence in (
        ("harbor:0.22.0", "evsys", "evsys is not about harbor, so no harbor can be attached: choose"),
        ("deviation:naiv-sum", DEFAULT_SPEC, "there is no deviation 'naiv-sum' of harbor-"),
        ("harbor:", DEFAULT_SPEC, "harbor: names no release or path: give one"),
        ("harbor:1.2", DEFAULT_SPEC, "is not a release version"),
    ):
        with pytest.raises((CommandError, OracleError), match=sentence):
            resolve_command(command, spec=spec)
    assert of_release("0.22.0") == "harbor:0.22.0"


@pytest.mark.parametrize("command", ["run", "fuzz", "baseline", "doctor"])
def test_every_command_takes_the_release(cli, command) -> None:
    more = ("-o", "x") if command == "baseline" else ()
    for options, sentence in (
        (("--harbor", "0.22.0;x"), "'0.22.0;x' is not a release version"),
        (("--harbor", "0.22.0", "--runner", "a"), "--runner and --harbor name two runners: give one of them"),
    ):
        done = cli(command, *options, *more)
        assert (done.returncode, done.stdout) == (2, "")
        assert sentence in done.stderr
