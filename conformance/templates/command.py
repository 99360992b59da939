"""``harbor-conformance new``: creates a starter project in one of eight languages."""

import shlex
import shutil
from pathlib import Path

import click

from conformance.console.options import day_option, option
from conformance.templates.languages import LANGUAGES, Language, named
from conformance.templates.writing import TAKEN, TemplateError, is_name, name_of, with_name, write
from conformance.wire.text import printable

__all__ = ["new"]

_ASKED = "harbor-0.13.1/aggregation/*"


class _New(click.Command):
    """The command, whose help shows which languages this machine has."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Languages"):
            for language in LANGUAGES:  # one per line, so that commands are never wrapped
                formatter.write(f"  {_words(language):24}{_needs(language)}\n")


def _words(language: Language) -> str:
    """Its names on the command line."""
    words = dict.fromkeys([language.slug, language.name.lower(), *language.aliases])
    return ", ".join(word for word in words if " " not in word)


def _needs(language: Language) -> str:
    missing = [program for program in language.needs if shutil.which(program) is None]
    needs = " and ".join(language.needs)
    if not missing:
        return f"{language.name}; needs {needs}: found"
    return f"{language.name}; needs {needs}: no {' and no '.join(missing)} found ({_install(language)})"


def _install(language: Language) -> str:
    return f"on Debian: apt-get install {language.install or ' '.join(language.needs)}"


def _language(_: click.Context, __: click.Parameter, text: str | None) -> Language | None:
    if text is None:
        return None
    template = named(text)
    if template is None:
        raise TemplateError(
            f"there is no template for {printable(text)}; "
            f"there is one for {', '.join(language.slug for language in LANGUAGES)}"
        )
    return template


def _folder(_: click.Context, __: click.Parameter, text: str | None) -> Path | None:
    if text == "":  # an empty path would mean the current folder
        raise click.BadParameter("DIR is empty: name the folder to write the project into, or . for this one")
    return None if text is None else Path(text)


def _name(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    if text is not None and not is_name(text):
        raise click.BadParameter(
            f"{printable(text)!r} is not a valid project name: use up to 60 of a-z, 0-9 and -, the first a "
            f"letter, and none of {', '.join(sorted(TAKEN))}"
        )
    return text


@click.command(cls=_New)
@click.argument("language", metavar="LANGUAGE", required=False, callback=_language)
@click.argument("folder", metavar="DIR", required=False, callback=_folder)
@option("--name WORD", "The project's name.  [default: DIR's name, simplified]", callback=_name)
@day_option
def new(language: Language | None, folder: Path | None, name: str | None, day: str) -> None:
    """Creates a starter runner in DIR, which must be new or empty (except for .git).

    One file implements the protocol; you never edit it. The other is yours: it has a simple `aggregate`, and
    stubs for the other operations. There are also a short README, a workflow with a gate, and the list of
    today's failures.
    """
    if language is None:
        click.echo(click.get_current_context().get_help())
        return
    if folder is None:
        raise click.UsageError("Missing argument 'DIR': the folder to write the project into.")
    word = name or name_of(folder)
    files = write(language, folder, word, day)
    click.echo(f"{word}, in {language.name}: {len(files)} files in {printable(str(folder))}")
    width = max(len(language.protocol), len(language.author))
    click.echo(f"  {language.protocol:{width}}  the protocol; you never edit it")
    click.echo(f"  {language.author:{width}}  yours: aggregate is there, the other operations are stubs")
    click.echo("Build and check it:")
    for line in _commands(language, folder, word):
        click.echo(f"  {line}")
    for program in language.needs:
        if shutil.which(program) is None:
            click.echo(f"There is no {program} on PATH ({_install(language)}).")


def _commands(language: Language, folder: Path, word: str) -> list[str]:
    """The commands to type."""
    runner = shlex.quote(with_name(language.run, word))
    oneshot = " --oneshot" if language.oneshot else ""
    return [
        f"cd {shlex.quote(str(folder)) if not str(folder).startswith('-') else shlex.quote(f'./{folder}')}",
        *(with_name(command, word) for command in language.build),
        f"harbor-conformance run --runner {runner}{oneshot} {shlex.quote(_ASKED)}",
    ]
