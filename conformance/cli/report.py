"""``harbor-conformance report``: a report, or the difference of two, as a page in any format."""

import hashlib
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from conformance.console.progress import slow_steps
from conformance.fuzz.merging import merged_fuzz
from conformance.publishing.comparing import difference
from conformance.publishing.formats import ENDINGS, FORMATS, rendered
from conformance.publishing.formats.annotations import annotation_lines
from conformance.publishing.formats.text import print_page
from conformance.publishing.kinds import page_of
from conformance.publishing.merging import merged
from conformance.publishing.model import Page
from conformance.publishing.reading import Document, PublishingError, document_of, read, read_from
from conformance.report.output import on_terminal, write_commands
from conformance.wire.writing import dumps, unwritten, unwritten_change

__all__ = ["report"]

_DIGITS = 16
"""Hexadecimal digits of a page's hash in its name."""
_BY_ENDING = {ending: name for name, ending in ENDINGS.items() if name != "badge-json"} | {".htm": "html"}
"""What a file's name says of its format; JSON is what reports are, and only a badge where that is said."""


@dataclass(frozen=True, slots=True)
class _Room:
    """How much is written."""

    failures: int | None
    limit: int | None
    whole: bool


def _name(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}", value):
        raise click.BadParameter("a name of letters, digits, `.`, `-` and `_`, without an ending")
    return value


@click.command()
@click.option(
    "--format",
    "formats",
    type=click.Choice(FORMATS),
    multiple=True,
    help="Write it so. May be given several times, with a folder as output. Without it, what the output's "
    "name ends in decides, or text.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=str),
    metavar="PATH",
    help="A file; or a folder (existing, or ending in /), where each page is named by its content's hash, so "
    "that a link to it holds. The name is printed.",
)
@click.option(
    "--latest",
    metavar="NAME",
    callback=_name,
    help="In a folder, write each page a second time, by this name and its format's ending: an address for "
    "the newest.",
)
@click.option(
    "--failures",
    type=click.IntRange(min=0),
    metavar="N",
    help="The most failures shown in full, as text and Markdown. HTML has all.",
)
@click.option("--all", "everything", is_flag=True, help="As text, show its long sections too. HTML has all.")
@click.option(
    "--limit",
    type=click.IntRange(min=4000),
    metavar="BYTES",
    help="The most bytes of Markdown: 60000, as a comment takes, where nothing is said; a job's summary "
    "takes 1000000.",
)
@click.option(
    "--annotations",
    is_flag=True,
    help="In GitHub Actions and Azure Pipelines, show what is wrong beside the change: ten at most.",
)
@click.option(
    "--merge",
    is_flag=True,
    help="Put the shards of one run, or of one fuzz, together, and judge the whole. What is missing is "
    "named, and fails.",
)
@click.option(
    "--json",
    "whole",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --merge: write the whole run's JSON report.",
)
@click.option("--exit-code", is_flag=True, help="Exit as the command that wrote the report did.")
@click.argument(
    "reports",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, allow_dash=True),
    metavar="REPORT [REPORT]...",
)
def report(
    formats: tuple[str, ...],
    output: str | None,
    latest: str | None,
    failures: int | None,
    limit: int | None,
    everything: bool,
    annotations: bool,
    merge: bool,
    whole: Path | None,
    exit_code: bool,
    reports: tuple[Path, ...],
) -> None:
    """Shows a JSON report of run, check, metric, matrix or fuzz; of two, what changed between them.

    The first of two is the earlier one. A REPORT may be - for standard input.

    The exit code is 0 where the page was written; with --merge and --exit-code it is the report's, and of a
    difference 1 where something got worse. It is 2 where a page could not be made or written; then no file
    is left in part.
    """
    if whole is not None and not merge:
        raise click.UsageError("--json needs --merge")
    formats = tuple(dict.fromkeys(formats)) or (_told_by(output),)
    _check_output(formats, output, latest, [*reports, *([whole] if whole else [])])
    if len(reports) > 2 and not merge:
        raise click.UsageError(f"{len(reports)} reports: give one, two, or --merge")
    with slow_steps() as say:
        documents = _read(reports)
        unsaved = None
        if merge:
            say(f"putting {len(documents)} parts together")
            text = dumps(_merged(documents))
            say("making the page of the whole")
            page = page_of(document_of(text.encode("utf-8", "surrogatepass"), "the merged report"))
            unsaved = None if whole is None else unwritten(whole, text)
        else:
            say("making the page")
            page = page_of(documents[0]) if len(documents) == 1 else difference(*documents)
        say("writing the page out")
    sentences = [unsaved] if unsaved else []
    sentences += _written(page, formats, output, latest, _Room(failures, limit, everything))
    if annotations:
        write_commands(annotation_lines(page.notes, os.environ))
    if sentences:
        raise click.ClickException("; ".join(sentences))
    sys.exit(page.exit_code if merge or exit_code else 0)


def _merged(documents: Sequence[Document]) -> dict[str, Any]:
    """One run of its parts, or one fuzz run of its."""
    first = documents[0]
    for document in documents:
        if document.kind not in ("run", "fuzz"):
            raise PublishingError(
                f"{document.name} is the report of a {document.kind}: what is merged are parts of a run"
            )
        if document.kind != first.kind:
            raise PublishingError(
                f"{document.name} is the report of a {document.kind}, and {first.name} of a {first.kind}: "
                "merge the parts of one"
            )
    return merged_fuzz(documents) if first.kind == "fuzz" else merged(documents)


def _told_by(output: str | None) -> str:
    """The format that the output's name asks for."""
    return _BY_ENDING.get(os.path.splitext(output or "")[1].lower(), "text")


def _is_folder(output: str | None) -> bool:
    return output is not None and (output.endswith(os.sep) or Path(output).is_dir())


def _check_output(formats: Sequence[str], output: str | None, latest: str | None, others: list[Path]) -> None:
    """Refuses what can't be meant before anything is read."""
    if _is_folder(output):
        return
    if len(formats) > 1:
        raise click.UsageError("several formats need a folder: -o FOLDER/")
    if latest is not None:
        raise click.UsageError("--latest needs a folder: -o FOLDER/")
    if output is not None and os.path.realpath(output) in {
        os.path.realpath(path) for path in others if str(path) != "-"
    }:
        raise click.UsageError(f"{output} is a report, and can't be its page too")


def _read(paths: Sequence[Path]) -> list[Document]:
    if sum(str(path) == "-" for path in paths) > 1:
        raise click.UsageError("standard input can be one report only")
    return [
        read_from(sys.stdin.buffer, "standard input") if str(path) == "-" else read(path) for path in paths
    ]


def _written(
    page: Page, formats: Sequence[str], output: str | None, latest: str | None, room: _Room
) -> list[str]:
    """Writes the page in each format; what could not be written, a sentence each."""
    if output in (None, "-"):
        console = Console(highlight=False)
        if formats[0] == "text" and on_terminal(console):
            print_page(page, console, whole=room.whole, **_given(failures=room.failures))
        else:
            click.echo(_rendered(page, formats[0], room), nl=False)
        return []
    assert output is not None
    texts = {name: _rendered(page, name, room) for name in formats}  # all, before any is written
    if not _is_folder(output):
        ((_, text),) = texts.items()
        sentence = unwritten(Path(output), text)
        return [] if sentence is None else [sentence]
    folder, found = Path(output), []
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PublishingError(f"{folder} can't be made: {error.strerror}") from None
    for name, text in texts.items():
        path = folder / f"{page.kind}-{_digest(text)}{ENDINGS[name]}"
        sentence = unwritten_change(path, text)
        if sentence is None and latest is not None:
            sentence = unwritten(folder / f"{latest}{ENDINGS[name]}", text)
        if sentence is None:
            click.echo(path)
        else:
            found.append(sentence)
    return found


def _rendered(page: Page, name: str, room: _Room) -> str:
    given = {}
    if name in ("text", "markdown"):
        given = _given(failures=room.failures)
    if name == "text":
        given["whole"] = room.whole
    if name == "markdown":
        given |= _given(limit=room.limit)
    return rendered(page, name, **given)


def _given(**options: int | None) -> dict[str, int]:
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def _digest(text: str) -> str:
    """What names a page: the same page has the same name, and no other has it."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:_DIGITS]
