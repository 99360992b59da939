"""A page's notes as commands of CI systems, read back by those systems' own rules."""

import os
import re
import sys
from collections.abc import Callable
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.publishing.formats.annotations import MOST, annotation_lines
from conformance.publishing.model import Note, Page
from conformance.report.output import unfailing_outputs, write_commands
from conformance.wire.text import harmless

from .making import ATTACKS, briefs, full_page, texts

GITHUB = {"GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": "/home/work"}
AZURE = {"TF_BUILD": "True", "BUILD_SOURCESDIRECTORY": "/home/work"}
Command = tuple[str, dict[str, str], str]


def unescaped(text: str, *pairs: tuple[str, str]) -> str:
    for code, char in pairs:
        text = text.replace(code, char)
    return text


def github(line: str) -> Command | None:
    """The command of a line, as the runner of GitHub Actions reads it (ActionCommand.TryParseV2, then V1)."""
    started = line.lstrip()
    lines = (("%0D", "\r"), ("%0A", "\n"))
    if started.startswith("::") and (end := started.find("::", 2)) >= 0:
        info, data = started[2:end], started[end + 2 :]
        name, _, given = info.strip().partition(" ")
        pairs = [part.split("=", 1) for part in given.strip().split(",") if "=" in part]
        last = (("%3A", ":"), ("%2C", ","), ("%25", "%"))
        options = {key: unescaped(value, *lines, *last) for key, value in pairs}
        return name, options, unescaped(data, *lines, ("%25", "%"))
    if (start := line.find("##[")) >= 0 and (end := line.find("]", start)) >= 0:
        return line[start + 3 : end].partition(" ")[0], {}, line[end + 1 :]
    return None


def azure(line: str) -> Command | None:
    """The command of a line, as the agent of Azure Pipelines reads it: anywhere in it."""
    if (start := line.find("##vso[")) < 0 or (end := line.find("]", start)) < 0:
        return None
    name, _, given = line[start + 6 : end].partition(" ")
    codes = (("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%5D", "]"), ("%AZP25", "%"))
    pairs = [part.split("=", 1) for part in given.split(";") if "=" in part]
    data = unescaped(line[end + 1 :], ("%0D", "\r"), ("%0A", "\n"), ("%AZP25", "%"))
    return name, {key: unescaped(value, *codes) for key, value in pairs}, data


def assert_only_annotations(lines: list[str]) -> None:
    assert len(lines) <= MOST
    for line in lines:
        assert line.isprintable()
        read = github(line) if line.startswith("::") else azure(line)
        assert read is not None
        name, options, data = read
        assert name in ("error", "warning", "notice", "task.logissue")
        assert set(options) <= {"file", "line", "title", "type", "sourcepath", "linenumber"}
        assert data
        for later in (line[2:], *data.split("\n")):
            assert "##[" not in later
            assert azure(later) is None
            assert not re.match(r"\s*::\w", later)


@pytest.mark.parametrize("environment", [GITHUB, AZURE], ids=["github", "azure"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_no_attack_issues_a_command(
    attack: str, environment: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    lines = annotation_lines(full_page(attack).notes, environment)
    assert len(lines) == 2
    assert_only_annotations(lines)
    write_commands(lines)
    assert capfd.readouterr().out == "".join(f"{line}\n" for line in lines)


@given(briefs, st.sampled_from([GITHUB, AZURE]))
def test_no_page_issues_a_command(page: Page, environment: dict[str, str]) -> None:
    assert_only_annotations(annotation_lines(page.notes, environment))


@given(st.text("ab,:;%]=\n\r ", max_size=20).filter(str.strip))
def test_what_is_read_back_is_what_was_said(text: str) -> None:
    note = Note("error", "a title", text)
    said = "\n".join(re.split(r"\r\n|\r|\n", text)).strip()
    for environment, read in ((GITHUB, github), (AZURE, azure)):
        (line,) = annotation_lines([note], environment)
        command = read(line)
        assert command is not None
        assert command[2].removeprefix("a title: ") == harmless(said)


def test_a_note_of_a_file_is_shown_at_its_line() -> None:
    note = Note("warning", "stale: 1, 2", "text", "/home/work/ci/known.txt", 7)
    (line,) = annotation_lines([note], GITHUB)
    assert line == "::warning file=ci/known.txt,line=7,title=stale%3A 1%2C 2::text"
    (line,) = annotation_lines([note], AZURE)
    assert line == "##vso[task.logissue type=warning;sourcepath=ci/known.txt;linenumber=7;]stale: 1, 2: text"


def test_the_errors_come_first_and_the_rest_is_counted() -> None:
    notes = [Note("warning", f"w{n}", "x") for n in range(8)] + [
        Note("error", f"e{n}", "x") for n in range(8)
    ]
    lines = annotation_lines(notes, GITHUB)
    assert len(lines) == MOST
    assert all(line.startswith(f"::error title=e{n}::") for n, line in enumerate(lines[:8]))
    assert lines[-1] == "::warning title=and 7 more::7 more are in the report: w1; w2; w3; w4; w5; w6; w7"


@pytest.mark.parametrize(
    "environment", [{}, {"CI": "true"}, {"GITHUB_ACTIONS": "false"}, {"GITLAB_CI": "true"}]
)
def test_where_nothing_shows_annotations_there_are_none(environment: dict[str, str]) -> None:
    assert annotation_lines(full_page("x").notes, environment) == []


NO_ANNOTATIONS = [
    "::set-output name=a::b",
    "::add-mask::x",
    "::stop-commands::x",
    "::error::a\n::set-env name=PATH::x",
    "::error::a\r::set-env name=PATH::x",
    "::error title=a,extra=b::x",
    "::error title=a:b::x",
    "::error::x ##[add-path]/tmp",
    "::error::x ##vso[task.setvariable variable=a]b",
    "##vso[task.setvariable variable=a]b",
    "##vso[task.logissue type=error;]x ##vso[task.setvariable variable=a]b",
    "##vso[task.logissue type=error;code=1]x",
    "##[error]x",
    " ::error::x",
    "text",
    "",
]


@pytest.mark.parametrize("line", NO_ANNOTATIONS)
def test_nothing_but_an_annotation_gets_through(line: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="no annotation"):
        write_commands(["::error::first", line])
    assert capfd.readouterr().out == ""


@given(texts)
def test_no_text_gets_through_but_as_an_annotation(text: str) -> None:
    written: list[str] = []

    class Out:
        encoding = "utf-8"

        def write(self, said: str) -> None:
            written.append(said)

        def flush(self) -> None:
            pass

    before, sys.stdout = sys.stdout, Out()  # type: ignore[assignment]
    try:
        write_commands([text])
    except ValueError:
        assert written == []
    else:
        assert_only_annotations("".join(written).splitlines())
    finally:
        sys.stdout = before


@pytest.fixture
def printed(capfd: pytest.CaptureFixture[str]) -> Callable[[Callable[[], Any]], str]:
    """What is really written to standard output while the kit's own output stands in its place."""

    def during(work: Callable[[], Any]) -> str:
        with unfailing_outputs():
            work()
            sys.stdout.flush()
        return capfd.readouterr().out

    return during


def test_the_commands_alone_pass_the_filter(printed: Callable[[Callable[[], Any]], str]) -> None:
    attack = "::error::from a runner\n  ::set-output name=a::b\n##vso[task.setvariable variable=a]b"

    def work() -> None:
        click.echo(attack)
        write_commands(["::error title=ours::yes é"])
        click.echo(attack)

    lines = printed(work).splitlines()
    assert [line for line in lines if github(line) or azure(line)] == ["::error title=ours::yes é"]
    assert lines[3] == "::error title=ours::yes é"  # where it was said, between the others
    assert os.linesep == "\n"
