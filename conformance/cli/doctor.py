"""``harbor-conformance doctor``: checks what the kit needs, and says what to do if something is missing."""

import platform
import shutil
import sys
from collections.abc import Iterator
from importlib import import_module, metadata

import click
from rich.text import Text

from conformance import __version__
from conformance.confinement.runners import program_of
from conformance.console.options import option
from conformance.console.progress import steps
from conformance.console.run_options import confine_option, runner_chosen, spec_option, timeout_option
from conformance.console.tables import plain_table, print_table
from conformance.errors import UserError
from conformance.oracle import environments, forks, releases
from conformance.oracle.building import folder_size
from conformance.oracle.commands import resolve_command
from conformance.oracle.integrity import refuse_changed
from conformance.oracle.of_specs import RECIPES
from conformance.paths import spec_names
from conformance.runner.conversation import PIPELINE, Conversation, RunnerStartError, Settings, refuse_limits
from conformance.suite.lock import damages
from conformance.suite.vectors import load_spec

__all__ = ["doctor"]

_PACKAGES = ("pytest", "hypothesis", "jsonschema", "rich", "click")
_OTHERS = ("conformance.extensions.audit.command", "conformance.extensions.metrics.command")
"""Modules with their own ``doctor_rows``."""

_Row = tuple[str, str, str]
"""A line of the output: what was checked; "ok", "missing" or "broken"; details."""


def _kit() -> Iterator[_Row]:
    yield "kit", "ok", f"harbor-conformance {__version__} on Python {platform.python_version()}"
    for name in _PACKAGES:
        try:
            yield name, "ok", metadata.version(name)
        except metadata.PackageNotFoundError:
            yield name, "broken", f"install it: pip install {name}"


def _vectors() -> Iterator[_Row]:
    for spec in spec_names():
        try:
            problems = damages(spec)
        except UserError as error:
            yield "vectors", "broken", str(error)
            continue
        if problems:
            yield "vectors", "broken", problems[0]
        else:
            yield "vectors", "ok", f"{len(load_spec(spec, package=True))} of {spec}, each as locked"


def _oracles(*, compare: bool) -> Iterator[_Row]:
    for recipe in RECIPES:
        try:
            built = environments.built(recipe)
        except environments.OracleError as error:
            yield "oracle", "missing", str(error)
            continue
        if built is not None:
            yield _oracle_row(built, compare=compare)
        else:
            build = f"harbor-conformance kit oracle --spec {recipe.spec}"
            build += f" --variant {recipe.variant}" if recipe.variant else ""
            yield "oracle", "missing", f"{recipe.name} is not built yet: run {build}"


def _oracle_row(built: environments.Oracle, *, compare: bool) -> _Row:
    variant = f" ({built.recipe.variant})" if built.recipe.variant else ""
    oracle = f"{built.recipe.package} {built.version}{variant} in {built.folder}"
    if not compare:
        return "oracle", "ok", f"{oracle}, not compared: run `doctor` without a runner for that"
    try:
        with steps() as step:
            step(f"comparing the files of {built.recipe.name} with what was locked")
            refuse_changed(built.folder, built.recipe)
    except environments.OracleError as error:
        return "oracle", "broken", str(error)
    return "oracle", "ok", f"{oracle}, each file as locked"


def _built_on_demand() -> Iterator[_Row]:
    for release in releases.built_releases():
        size = f"{folder_size(release.folder) / 2**20:.0f} MiB"
        yield "release", "ok", f"{release.package} {release.version}, {size}: {release.notes()}"
    for folder in forks.built_for_forks():
        yield "fork", "ok", f"packages for a checkout, {folder_size(folder) / 2**20:.0f} MiB: {folder}"


def _runner(command: str, spec: str, timeout: float | None, confine: bool) -> Iterator[_Row]:
    with steps() as step:
        words = resolve_command(command, step, spec, confine)
    program = program_of(words)
    path = shutil.which(program)
    yield "runner command", "ok" if path else "broken", path or f"{program} is not on the PATH"
    conversation = Conversation(Settings(words, spec, timeout))
    try:
        hello = conversation.start()
    except RunnerStartError as error:
        yield "runner hello", "broken", str(error)
    else:
        yield "runner hello", "ok", f"{hello.runner} {hello.version}: {', '.join(sorted(hello.ops))}"
    finally:
        conversation.kill()


def _rows(command: str | None, spec: str, timeout: float | None, confine: bool) -> Iterator[_Row]:
    """All lines. With a runner, folders are not compared: that takes half a minute, and no run needs it."""
    yield from _kit()
    yield from _vectors()
    yield from _oracles(compare=command is None)
    if command is not None:
        yield from _runner(command, spec, timeout, confine)
        return
    yield from _built_on_demand()
    for module in _OTHERS:
        yield from import_module(module).doctor_rows()


@click.command()
@option("--runner command CMD", "Check this runner too, and skip comparing the oracles.")
@option("--harbor release X.Y.Z", "Build this published release and check it too.")
@spec_option
@timeout_option
@confine_option
def doctor(command: str | None, release: str | None, spec: str, timeout: float | None, confine: bool) -> None:
    """Checks everything that the kit needs, and optionally a runner; exits 1 if something is broken.

    A missing oracle is not an error: only regen and the kit's own tests need it. Also lists the published
    releases of harbor that were built for --harbor, with their sizes; 'harbor-conformance kit oracle
    --remove-releases' deletes them.
    """
    if command is not None or release is not None:
        refuse_limits(timeout, PIPELINE)
        command = runner_chosen(command, release)
    rows = list(_rows(command, spec, timeout, confine))
    table = plain_table(show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    print_table(table, 160)
    sys.exit(1 if any(state == "broken" for _, state, _ in rows) else 0)
