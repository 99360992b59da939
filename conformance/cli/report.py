"""``harbor-conformance report``: renders a report, or the difference of two, in any format."""

import hashlib
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from conformance.console.options import COUNT, option
from conformance.console.output import write_commands
from conformance.console.progress import slow_steps
from conformance.formats import ENDINGS, FORMATS, render
from conformance.formats.annotations import annotation_lines
from conformance.formats.text import echo_page
from conformance.outcomes.document import as_json
from conformance.outcomes.merging import merged
from conformance.outcomes.reading import ReportError, document_of, read
from conformance.outcomes.transcript import read_transcript
from conformance.pages.difference import difference_of
from conformance.pages.kinds import page_of
from conformance.pages.model import Page
from conformance.wire.writing import dumps, unwritten, unwritten_change

__all__ = ["report"]

_DIGITS = 16
"""Hexadecimal digits of a page's hash in its name."""
_BY_EXTENSION = {ending: name for name, ending in ENDINGS.items() if not ending.endswith(".json")}
_BY_EXTENSION |= {".htm": "html"}
"""The format by a file's extension; JSON is not among them, since reports are JSON themselves."""


@click.command()
@option(
    "--format formats",
    "The format. May be given several times if the output is a folder. Defaults to the format of the "
    "output's extension, or text.",
    click.Choice(FORMATS),
    multiple=True,
)
@option(
    "-o --output PATH",
    "A file; or a folder (existing, or ending in /), where each page is named by its content's hash for "
    "permanent links. The name is printed.",
    click.Path(path_type=str),
)
@option("--failures N", "Show at most this many failures in full, as text and Markdown. HTML has all.", COUNT)
@option("--all everything", "As text, also show the long sections. HTML has all.")
@option(
    "--limit BYTES",
    "The most bytes of Markdown: 60000, which fits a comment, by default; a job's summary takes 1000000.",
    click.IntRange(min=4000),
)
@option(
    "--annotations", "In GitHub Actions and Azure Pipelines, annotate the change with at most ten problems."
)
@option("--merge", "Merge the shards of one run, and judge the whole. Missing shards are named, and fail.")
@option("--json whole FILE", "With --merge: write the whole run's JSON report.")
@option("--exit-code", "Exit with the code of the command that wrote the report.")
@click.argument(
    "reports", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="REPORT [REPORT]..."
)
def report(
    formats: tuple[str, ...],
    output: str | None,
    failures: int | None,
    limit: int | None,
    everything: bool,
    annotations: bool,
    merge: bool,
    whole: Path | None,
    exit_code: bool,
    reports: tuple[Path, ...],
) -> None:
    """Shows a JSON report of run, check, metric, matrix or fuzz; for two reports, what changed between them.

    The first of two is the earlier one. With --merge, each REPORT is a file that a shard of a run wrote.

    The exit code is 0 if the page was written; with --merge or --exit-code it is the report's, and 1 for a
    difference in which something got worse. It is 2 if a page could not be made or written; no partial file
    is left.
    """
    if whole is not None and not merge:
        raise click.UsageError("--json needs --merge")
    extension = os.path.splitext(output or "")[1].lower()
    formats = tuple(dict.fromkeys(formats)) or (_BY_EXTENSION.get(extension, "text"),)
    _check_output(formats, output, [*reports, *([whole] if whole else [])])
    if len(reports) > 2 and not merge:
        raise click.UsageError(f"{len(reports)} reports: give one, two, or --merge")
    options = {
        "text": _without_none(failures=failures, whole=everything or None),
        "markdown": _without_none(failures=failures, limit=limit),
        "log": _without_none(failures=failures),
    }
    sentences: list[str | None] = []
    with slow_steps() as show_step:
        if merge:
            show_step(f"merging {len(reports)} shards")
            text = dumps(as_json(merged(list(map(read_transcript, reports)))))
            page = page_of(document_of(text.encode("utf-8", "surrogatepass"), "the merged report"))
            sentences.append(None if whole is None else unwritten(whole, text))
        else:
            show_step("making the page")
            documents = list(map(read, reports))
            page = page_of(documents[0]) if len(documents) == 1 else difference_of(*documents)
        show_step("writing the page")
    sentences += _write(page, formats, output, options)
    if annotations:
        write_commands(annotation_lines(page, os.environ))
    if problems := "; ".join(filter(None, sentences)):
        raise click.ClickException(problems)
    sys.exit(page.exit_code if merge or exit_code else 0)


def _without_none(**options: int | None) -> dict[str, int]:
    """The options that the command line has."""
    return {name: value for name, value in options.items() if value is not None}


def _is_folder(output: str | None) -> bool:
    return output is not None and (output.endswith(os.sep) or Path(output).is_dir())


def _check_output(formats: Sequence[str], output: str | None, inputs: list[Path]) -> None:
    """Refuses several formats in one file, and an output that would replace a report."""
    if _is_folder(output):
        return
    if len(formats) > 1:
        raise click.UsageError("several formats need a folder: -o FOLDER/")
    if output is not None and os.path.realpath(output) in map(os.path.realpath, inputs):
        raise click.UsageError(f"{output} is a report, so the page can't be written to it")


def _write(
    page: Page, formats: Sequence[str], output: str | None, options: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    """Writes the page in each format; returns a sentence for each file that can't be written."""
    if output in (None, "-") and formats[0] == "text":
        echo_page(page, **options["text"])
        return []
    texts = {name: render(page, name, **options.get(name, {})) for name in formats}
    if output in (None, "-"):
        click.echo(texts[formats[0]], nl=False)
        return []
    assert output is not None
    if not _is_folder(output):
        sentence = unwritten(Path(output), texts[formats[0]])
        return [sentence] if sentence else []
    folder, failures = Path(output), []
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReportError(f"{folder} can't be made: {error.strerror}") from None
    for name, text in texts.items():
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:_DIGITS]
        path = folder / f"{page.kind}-{digest}{ENDINGS[name]}"
        sentence = unwritten_change(path, text)
        if sentence is None:
            click.echo(path)
        else:
            failures.append(sentence)
    return failures
