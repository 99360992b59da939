"""The options of commands that ask a runner; importing them imports everything that a run needs."""

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import click
from click.core import ParameterSource

from conformance.console.options import NUMBER, THERE, Option, level_option, option, with_options
from conformance.console.progress import steps
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS, classes_text
from conformance.run.options import RunOptions, class_names, shard_of
from conformance.runner.settings import LOADING, PIPELINE, TIMEOUT
from conformance.suite.choosing import whole_ids
from conformance.suite.vectors import known_spec

__all__ = [
    "chosen_op",
    "confine_option",
    "known_failures_option",
    "max_time_option",
    "runner_chosen",
    "runner_options",
    "shard_option",
    "spec_option",
    "specs_option",
    "talk_options",
    "timeout_option",
]

spec_option = option(
    "--spec SPEC",
    f"The spec to check against: {', '.join(SPECS)}.",
    default=DEFAULT_SPEC,
    callback=lambda _, __, name: known_spec(name),
)
specs_option = option(
    "--spec specs SPEC...",
    f"Only this spec ({', '.join(SPECS)}); may be repeated.",
    callback=lambda _, __, names: tuple(dict.fromkeys(map(known_spec, names))),
)
timeout_option = option(
    "--runner-timeout timeout SECONDS",
    "The longest time for one reply.  "
    f"[default: {TIMEOUT:g}; {LOADING:g} for hello and for the first reply of each operation]",
)
max_time_option = option(
    "--max-time SECONDS", "Stop asking after this many seconds; the remaining vectors are not-run."
)
shard_option = option(
    "--shard K/N",
    "Run only shard K of N; 'harbor-conformance report --merge' merges the shards' reports.",
    callback=lambda _, __, text: shard_of(text),
)
known_failures_option = option("--known-failures FILE", "The list of expected failures; anything else fails.")
confine_option = option(
    "--confine",
    "Start the command in a sandbox (Linux, bubblewrap): it can read its folder, its interpreter and the "
    "system's libraries, and has no network.",
)
_TALK_OPTIONS: tuple[Option, ...] = (
    option(
        "--runner command CMD",
        "The runner's command, split as a shell would; 'reference', 'oracle', 'mistake:NAME' and "
        "'deviation:ID' are the kit's own runners; 'harbor:PATH' attaches a fork of harbor, by its virtual "
        "environment or checkout.",
    ),
    option(
        "--harbor X.Y.Z",
        "Check this published release of harbor (or 'newest'), built in the cache on first use.",
    ),
    spec_option,
    level_option,
    timeout_option,
    option("--pipeline N", "The most requests in flight.", NUMBER, default=PIPELINE),
    option("--oneshot", "Start the command once per request."),
    confine_option,
    option(
        "--max-failures N", "Stop asking after this many failures; the remaining vectors are not-run.", NUMBER
    ),
    max_time_option,
)
_VECTOR_OPTIONS: tuple[Option, ...] = (
    option(
        "--classes X,Y",
        f"Treat unsupported vectors as failures in these classes: all, or some of {classes_text()}.",
        default="",
    ),
    option("--vectors vector_files FILE...", "Use these vector files instead of the kit's own.", THERE),
    option("--vectors-version VERSION", "Leave out vectors that are newer than this version of the set."),
    option(
        "--experiments SECONDS",
        "How long to test the diagnosis on new inputs; 0 skips that.",
        click.FloatRange(min=0, max=600),
        default=2.0,
    ),
)


def talk_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options of every command that asks a runner; it receives them as ``options``."""
    return _run_options(command, _TALK_OPTIONS)


def runner_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """As ``talk_options``, for commands that ask vectors."""
    return _run_options(command, (*_TALK_OPTIONS, *_VECTOR_OPTIONS))


def _run_options(command: Callable[..., Any], options: Sequence[Option]) -> Callable[..., Any]:
    """Adds options; those that are fields of ``RunOptions`` are passed as one ``RunOptions``."""
    names = {field.name for field in dataclasses.fields(RunOptions)}

    @functools.wraps(command)
    def with_run_options(**values: Any) -> Any:
        values["command"] = runner_chosen(values["command"], values.pop("harbor"))
        run = {name: values.pop(name) for name in names & values.keys()}
        if click.get_current_context().get_parameter_source("spec") is ParameterSource.DEFAULT:
            with steps() as step:
                from conformance.oracle.commands import fitting  # slow to load

                run["spec"] = fitting(run["command"], run.get("known_failures"), step)
            if run["spec"] != DEFAULT_SPEC:
                click.echo(f"spec: {run['spec']} fits this harbor best; choose another with --spec", err=True)
        if "classes" in run:
            run["classes"] = class_names(run["classes"], run["spec"])
        if run.get("patterns"):
            run["patterns"] = whole_ids(run["patterns"], run["spec"], run["vector_files"])
        return command(options=RunOptions(**run), **values)

    decorated: Callable[..., Any] = with_options(*options)(with_run_options)
    return decorated


def runner_chosen(command: str | None, release: str | None) -> str:
    """The runner's command, from ``--runner`` or ``--harbor``.

    Raises:
        click.UsageError: neither is given, or both are.
        OracleError: the release is not a version.
    """
    if command is not None and release is not None:
        raise click.UsageError("--runner and --harbor name two runners: give one of them")
    if release is not None:
        from conformance.oracle.commands import of_release  # slow to load

        return of_release(release)
    if command is None:
        raise click.UsageError("Missing option '--runner' (or '--harbor').")
    return command


def chosen_op(op: str, offered: Sequence[str], option: str = "--op") -> str:
    """Checks the name of an operation, and returns it.

    Raises:
        click.UsageError: there is no such operation.
    """
    if op not in offered:
        raise click.UsageError(f"{option}: there is no op {op!r}; choose from {', '.join(offered)}")
    return op
