"""``harbor-conformance doctor``: is everything in place, and if not, what to do."""

import platform
import shutil
import sys
from collections.abc import Iterator
from importlib import metadata

import click
from rich.text import Text

from conformance import __version__
from conformance.check.places.mirror import mirrors
from conformance.cli.options import runner_chosen, spec_option, steps
from conformance.metric.protection import protections
from conformance.oracle import environments, forks, releases
from conformance.oracle.building import folder_size
from conformance.oracle.integrity import changed_sentence
from conformance.oracle.of_specs import RECIPES
from conformance.paths import spec_names, vectors_dir
from conformance.report.writing import plain_table, print_table
from conformance.run.commands import resolve_command
from conformance.runner.conversation import Conversation, RunnerStartError, Settings
from conformance.suite.lock import Lock, LockError, guarded
from conformance.suite.vectors import VectorFileError, load_spec

__all__ = ["doctor"]

_PACKAGES = ("pytest", "hypothesis", "jsonschema", "rich", "click")

_Row = tuple[str, str, str]
"""What is looked at, "ok", "missing" or "broken", and what was found."""


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
            vectors = load_spec(spec, package=True)
            lock = Lock.read(vectors_dir(spec) / "lock.json", spec)
            problems = lock.problems(guarded(spec, vectors, lock))
        except (VectorFileError, LockError) as error:
            yield "vectors", "broken", str(error)
            continue
        if problems:
            yield "vectors", "broken", problems[0]
        else:
            yield "vectors", "ok", f"{len(vectors)} of {spec}, each as locked"


def _oracles() -> Iterator[_Row]:
    for recipe in RECIPES:
        state = environments.status(recipe)
        if state.oracle is not None:
            yield _state_of(state.oracle)
        else:
            build = f"harbor-conformance oracle --spec {recipe.spec}"
            build += f" --variant {recipe.variant}" if recipe.variant else ""
            yield "oracle", "missing", state.problem or f"{recipe.name} is not built yet: run {build}"


def _state_of(built: environments.Oracle) -> _Row:
    try:
        with steps() as tell:
            tell(f"comparing the files of {built.recipe.name} with what was locked")
            changed = environments.problems(built)
    except environments.OracleError as error:
        return "oracle", "broken", str(error)
    if changed:
        return "oracle", "broken", changed_sentence(changed, built.recipe)
    which = f" ({built.recipe.variant})" if built.recipe.variant else ""
    return (
        "oracle",
        "ok",
        f"{built.recipe.package} {built.version}{which} in {built.folder}, each file as locked",
    )


def _attached() -> Iterator[_Row]:
    for release in releases.built_releases():
        size = f"{folder_size(release.folder) / 2**20:.0f} MiB"
        yield "release", "ok", f"{release.package} {release.version}, {size}: {release.notes()}"
    for folder in forks.built_for_forks():
        yield "fork", "ok", f"what a checkout needs, {folder_size(folder) / 2**20:.0f} MiB: {folder}"


def _places() -> Iterator[_Row]:
    for mirror in mirrors():
        size = f"{folder_size(mirror.root) / 2**20:.0f} MiB"
        yield "place", "ok", f"{mirror.where}, {size} (check --forget removes it): {mirror.root}"


def _metrics() -> _Row:
    missing = protections().missing()
    if missing:
        return "metrics", "ok", f"held in part: {'; '.join(missing)}"
    return "metrics", "ok", "held by Landlock, namespaces and seccomp"


def _runner(command: str, spec: str, timeout: float | None) -> Iterator[_Row]:
    with steps() as tell:
        words = resolve_command(command, tell, spec)
    yield (
        "runner command",
        "ok" if shutil.which(words[0]) else "broken",
        shutil.which(words[0]) or f"{words[0]} is not on the PATH",
    )
    talk = Conversation(Settings(words, spec, timeout))
    try:
        hello = talk.start()
    except RunnerStartError as error:
        yield "runner hello", "broken", str(error)
    else:
        yield "runner hello", "ok", f"{hello.runner} {hello.version}: {', '.join(sorted(hello.ops))}"
    finally:
        talk.kill()


@click.command()
@click.option("--runner", "command", metavar="CMD", help="Also try this runner's hello.")
@click.option(
    "--harbor", "release", metavar="X.Y.Z", help="Also build this published release, and try its hello."
)
@spec_option
@click.option("--runner-timeout", "timeout", type=float, metavar="SECONDS")
def doctor(command: str | None, release: str | None, spec: str, timeout: float | None) -> None:
    """Looks at everything that the kit needs; exits 1 if something is broken.

    A missing oracle is no fault: only regen and the tests of the kit itself need it. Published releases of
    harbor that were built for --harbor are listed with their sizes; harbor-conformance oracle
    --remove-releases frees them.
    """
    if command is not None or release is not None:
        command = runner_chosen(command, release)
    of_the_runner = [] if command is None else [*_runner(command, spec, timeout)]
    rows = [*_kit(), *_vectors(), *_oracles(), *_attached(), *_places(), _metrics(), *of_the_runner]
    table = plain_table(show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    print_table(table, 160)
    sys.exit(1 if any(state == "broken" for _, state, _ in rows) else 0)
