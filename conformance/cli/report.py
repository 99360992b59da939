"""``harbor-conformance report``: a report, or the difference of two, as a page in any format."""

import hashlib
import os
import sys
from pathlib import Path

import click

from conformance.cli.options import stderr_console
from conformance.publishing.comparing import difference
from conformance.publishing.formats import ENDINGS, FORMATS, rendered
from conformance.publishing.kinds import page_of
from conformance.publishing.merging import merged
from conformance.publishing.model import Page
from conformance.publishing.reading import PublishingError, document_of, read
from conformance.wire.writing import dumps, unwritten

__all__ = ["report"]

_DIGITS = 16
"""Hexadecimal digits of a page's hash in its name."""


@click.command()
@click.option(
    "--format",
    "formats",
    type=click.Choice(FORMATS),
    multiple=True,
    help="Write it so; text where nothing is said. May be given several times, with a folder as output.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=str),
    metavar="PATH",
    help="A file; or a folder (existing, or ending in /), where each page is named by its content's hash.",
)
@click.option(
    "--merge",
    is_flag=True,
    help="Put the shards of one run together, and judge the whole. What is missing is named, and fails.",
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
    "reports", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="REPORT [REPORT]..."
)
def report(
    formats: tuple[str, ...],
    output: str | None,
    merge: bool,
    whole: Path | None,
    exit_code: bool,
    reports: tuple[Path, ...],
) -> None:
    """Shows a JSON report of run, check, metric, matrix or fuzz; of two, what changed between them.

    The exit code is 0 where the page was written; with --merge and --exit-code it is the report's.
    """
    if whole is not None and not merge:
        raise click.UsageError("--json needs --merge")
    documents = [read(path) for path in reports]
    unsaved = None
    if merge:
        text = dumps(merged(documents))
        unsaved = None if whole is None else unwritten(whole, text)
        page = page_of(document_of(text.encode("utf-8", "surrogatepass"), "the merged report"))
    elif len(documents) == 1:
        page = page_of(documents[0])
    elif len(documents) == 2:
        page = difference(*documents)
    else:
        raise click.UsageError(f"{len(documents)} reports: give one, two, or --merge")
    sentences = [unsaved] if unsaved else []
    sentences += _written(page, formats or ("text",), output)
    if sentences:
        raise click.ClickException("; ".join(sentences))
    sys.exit(page.exit_code if merge or exit_code else 0)


def _written(page: Page, formats: tuple[str, ...], output: str | None) -> list[str]:
    """Writes the page in each format; what could not be written, a sentence each."""
    if output is None or output == "-":
        if len(formats) > 1:
            raise click.UsageError("several formats need a folder: -o FOLDER/")
        click.echo(rendered(page, formats[0]), nl=False)
        return []
    folder = output.endswith(os.sep) or Path(output).is_dir()
    if len(formats) > 1 and not folder:
        raise click.UsageError("several formats need a folder: -o FOLDER/")
    found = []
    for name in formats:
        text = rendered(page, name)
        path = Path(output)
        if folder:
            digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:_DIGITS]
            path = path / f"{page.kind}-{digest}{ENDINGS[name]}"
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise PublishingError(f"{path.parent} can't be made: {error.strerror}") from None
        if (sentence := unwritten(path, text)) is not None:
            found.append(sentence)
        else:
            stderr_console().print(f"{name}: {path}", markup=False, highlight=False, soft_wrap=True)
    return found
