"""The options of a run, from the command line or pytest, and commands that repeat parts of it.

``console.run_options`` builds them from click's, ``pytest_plugin.options`` from pytest's.
"""

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from conformance.judging.comparison import Level
from conformance.option_names import option, prefixed
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import classes_of
from conformance.run.commands import CommandError, is_package, runner_words
from conformance.run.shards import refused_shard
from conformance.runner.settings import MAX_TIMEOUT, PIPELINE, refuse_limits
from conformance.suite.vectors import Vector, is_of_kit, known_spec
from conformance.wire.text import shortened

__all__ = [
    "REPHRASED_SUFFIX",
    "RunOptions",
    "base_id",
    "class_names",
    "repeat_file",
    "repeat_property",
    "repeat_vector",
    "shard_of",
]


REPHRASED_SUFFIX = "/asked-again"
"""The suffix of a rephrased vector's id."""
_SHARD = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of a run.

    Raises:
        CommandError: an option can't be used.
        SettingsError: a time-out or the pipeline's depth is invalid.
        VectorFileError: there is no such spec.
    """

    command: str
    """The runner, as given by the user."""
    spec: str = DEFAULT_SPEC
    level: Level = Level.BYTES
    timeout: float | None = None
    """Seconds that a reply may take; by default, first replies get more, as they may load something."""
    pipeline: int = PIPELINE
    """The most requests in flight."""
    oneshot: bool = False
    """Whether to start the command once per request."""
    confine: bool = False
    """Whether to start the command in a sandbox."""
    classes: frozenset[str] = frozenset()
    """The classes whose unsupported vectors fail."""
    vector_files: tuple[Path, ...] = ()
    """The vector files to use in place of the kit's own, if any."""
    patterns: tuple[str, ...] = ()
    """Patterns of the vectors to ask; all if empty."""
    preceding: int = 0
    """How many vectors before each chosen one are asked too."""
    in_order: bool = False
    """Whether to ask in the order of ``patterns`` instead of the files'."""
    known_failures: Path | None = None
    report: Path | None = None
    """The path of the JSON report."""
    counterexamples: Path = Path("conformance-counterexamples")
    """The folder for files that repeat failing properties."""
    again_seed: int | None = None
    """The seed for choosing and rephrasing vectors; random by default."""
    again_as_of_all: bool = False
    """Whether selected vectors are rephrased as in a run of all, although there is a seed."""
    max_failures: int | None = None
    """Stop asking after this many failures."""
    max_time: float | None = None
    """Stop asking after this many seconds."""
    fuzz: int | None = None
    """The number of inputs per property, if not the default."""
    fuzz_seed: int | None = None
    """The seed of these inputs."""
    experiments: float = 2.0
    """Seconds for testing the diagnosis on new inputs; 0 for none."""
    shard: tuple[int, int] | None = None
    """The shard to run, from 1, and the number of shards; None for all."""
    vectors_version: str | None = None
    """The version of the spec's vectors to use; by default the newest."""

    def __post_init__(self) -> None:
        known_spec(self.spec)
        refuse_limits(self.timeout, self.pipeline)
        known = classes_of(self.spec, package=True)
        unknown = sorted(self.classes - set(known))
        if unknown:
            raise CommandError(
                f"{option('classes')}: there is no class {unknown[0]!r}; choose from {', '.join(known)}"
            )
        for name, value, least in (
            (option("again-seed"), self.again_seed, 0),
            (option("max-failures"), self.max_failures, 1),
            (prefixed("fuzz"), self.fuzz, 1),
            (prefixed("fuzz-seed"), self.fuzz_seed, 0),
        ):
            if value is not None and value < least:
                raise CommandError(f"{name} must be at least {least}")
        if self.max_time is not None and not 0 < self.max_time <= MAX_TIMEOUT:  # NaN is refused too
            raise CommandError(f"{option('max-time')} must be above 0 and at most {MAX_TIMEOUT:g} seconds")
        if self.fuzz is None and self.fuzz_seed is not None:
            raise CommandError(f"{prefixed('fuzz-seed')} needs {prefixed('fuzz')}")
        if self.shard is not None and (why := refused_shard(*self.shard)) is not None:
            raise CommandError(f"{option('shard')} {self.shard[0]}/{self.shard[1]}: {why}")

    @property
    def package(self) -> bool:
        """Whether to include vectors that only the spec's package can answer.

        True if the runner is such a package, or if ``--classes`` requires such a class.
        """
        return is_package(self.command) or not self.classes <= set(classes_of(self.spec))

    @property
    def exchange_words(self) -> list[str]:
        """The command line options for starting and asking the runner, except default values."""
        words = [*(["--oneshot"] if self.oneshot else []), *(["--confine"] if self.confine else [])]
        return words + (["--runner-timeout", f"{self.timeout:g}"] if self.timeout is not None else [])


def class_names(text: str | None, *specs: str) -> frozenset[str]:
    """Parse a comma-separated list of classes; ``all`` means those of the specs."""
    names = frozenset(name.strip() for name in (text or "").split(",") if name.strip())
    all_classes = frozenset(name for spec in specs for name in classes_of(known_spec(spec)))
    return all_classes if names == {"all"} else names


def shard_of(text: str | None) -> tuple[int, int] | None:
    """Parse the value of ``--shard``.

    Raises:
        CommandError: the text is not two numbers with a slash between them.
    """
    if text is None:
        return None
    match = _SHARD.fullmatch(text.strip())
    if match is None:
        raise CommandError(
            f"{option('shard')} {shortened(text, 40)}: write K/N, such as 2/4 for the second of four parts"
        )
    return int(match[1]), int(match[2])


def base_id(key: str) -> str:
    """Return the id of a vector, or of the vector that was rephrased."""
    return key.removesuffix(REPHRASED_SUFFIX)


def repeat_vector(options: RunOptions, *vectors: Vector, words: Iterable[str] = ()) -> str:
    """Return the command that asks the runner only these vectors; ``words`` are further options.

    ``--in-order`` asks one process in this order, ``--before N`` also asks the vectors before them, and
    ``--again-seed SEED`` also asks the same rephrased vectors.
    """
    files = [] if all(map(is_of_kit, vectors)) else list(dict.fromkeys(vector.file for vector in vectors))
    return _run(options, files, *words, *(base_id(vector.id) for vector in vectors))


def repeat_file(options: RunOptions, path: Path) -> str:
    """Return the command that asks the runner the vectors of a file."""
    return _run(options, [path], named=options.spec != DEFAULT_SPEC)


def repeat_property(options: RunOptions, property_id: str) -> str:
    """Return the command that tests only this property, with the same inputs."""
    runner, value = runner_words(options.command)
    words = [*_judged(options), *_version(options)]
    if options.fuzz is not None:
        words += ["--fuzz", str(options.fuzz), "--fuzz-seed", str(options.fuzz_seed)]
    words += options.exchange_words
    named = [prefixed(word[2:]) if word.startswith("--") else word for word in words]
    return " ".join(["pytest", f"{prefixed(runner[2:])}={shlex.quote(value)}", *named, "-k", property_id])


def _run(options: RunOptions, files: Iterable[Path], *chosen: str, named: bool = True) -> str:
    words = ["harbor-conformance", "run", *runner_words(options.command), *_judged(options, named=named)]
    words += _version(options)
    for path in files:
        words += ["--vectors", str(path)]
    return shlex.join([*words, *options.exchange_words, *chosen])


def _version(options: RunOptions) -> list[str]:
    """The option for the version of the vectors, which affects which vectors come before another."""
    return [] if options.vectors_version is None else ["--vectors-version", options.vectors_version]


def _judged(options: RunOptions, *, named: bool = True) -> list[str]:
    """The options for spec and level; the spec only if it must be ``named``."""
    words = ["--spec", options.spec] if named else []
    return words + (["--level", str(options.level)] if options.level is not Level.BYTES else [])
