"""The options of a run: what a user asks for, whichever face of the kit hears it, and how it is asked again.

``console.run_options`` builds them from click's, ``pytest_plugin.options`` from pytest's.
"""

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.judging.comparison import Level
from conformance.option_names import option, prefixed
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import classes_of
from conformance.run.commands import CommandError, is_package, runner_words
from conformance.run.databases import database_of
from conformance.run.shards import refused_shard
from conformance.runner.settings import MAX_TIMEOUT, PIPELINE, refuse_limits
from conformance.suite.vectors import Vector, is_of_kit, known_spec
from conformance.wire.text import shortened

__all__ = [
    "AGAIN",
    "RunOptions",
    "base_id",
    "class_names",
    "repeat_again",
    "repeat_file",
    "repeat_property",
    "repeat_sequence",
    "repeat_vector",
    "shard_of",
]


AGAIN = "/asked-again"
"""What the id of a question asked again in other words ends in, behind its vector's."""
_SHARD = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What is asked of a runner, and how.

    Raises:
        CommandError: an option can't be used.
        SettingsError: a wait would not end, or nothing would be asked.
        VectorFileError: there is no such spec.
    """

    command: str
    """The runner, as the user gave it."""
    spec: str = DEFAULT_SPEC
    level: Level = Level.BYTES
    timeout: float | None = None
    """Seconds a reply may take; where nobody says, what may have to load gets more than other replies."""
    pipeline: int = PIPELINE
    """The most requests outstanding at once."""
    oneshot: bool = False
    """Whether the command is started once per request."""
    confine: bool = False
    """Whether the command is started within walls."""
    classes: frozenset[str] = frozenset()
    """The classes whose unsupported vectors fail."""
    vector_files: tuple[Path, ...] = ()
    """The files asked in place of the kit's own, if any."""
    patterns: tuple[str, ...] = ()
    """The vectors asked; all where there is none."""
    preceding: int = 0
    """How many of the vectors before each chosen one are asked too."""
    in_order: bool = False
    """Whether they are asked in the order of ``patterns``, not of the files."""
    known_failures: Path | None = None
    report: Path | None = None
    """Where the JSON report is written."""
    counterexamples: Path = Path("conformance-counterexamples")
    """The folder of the files that repeat failing properties."""
    again_seed: int | None = None
    """Which vectors are asked again in other words, and how; drawn where nobody says."""
    again_as_of_all: bool = False
    """Whether single vectors are asked again as in a run of all, where the seed is not for them alone."""
    max_failures: int | None = None
    """After how many failures nothing is asked any more."""
    max_time: float | None = None
    """After how many seconds nothing is asked any more."""
    fuzz: int | None = None
    """How many inputs each property is tried with, where not with its usual ones."""
    fuzz_seed: int | None = None
    """What these inputs depend on."""
    counterexample_databases: tuple[str, ...] = ()
    """Where counterexamples are kept for other machines, as the user gave it."""
    experiments: float = 2.0
    """How many seconds the runner is asked new inputs, to try what the diagnosis found; 0 for none."""
    shard: tuple[int, int] | None = None
    """Which part of how many is asked, from 1; all where nobody says."""
    vectors_version: str | None = None
    """The version of the spec's vectors that counts; the newest where nobody says."""

    def __post_init__(self) -> None:
        known_spec(self.spec)
        refuse_limits(self.timeout, self.pipeline)
        known = classes_of(self.spec, package=True)
        unknown = sorted(self.classes - set(known))
        if unknown:
            raise CommandError(
                f"{option('classes')}: there is no class {unknown[0]!r}; choose from {', '.join(known)}"
            )
        if self.again_seed is not None and self.again_seed < 0:
            raise CommandError(f"{option('again-seed')} must be at least 0")
        if self.max_failures is not None and self.max_failures < 1:
            raise CommandError(f"{option('max-failures')} must be at least 1")
        if self.max_time is not None and not 0 < self.max_time <= MAX_TIMEOUT:  # NaN is refused too
            raise CommandError(f"{option('max-time')} must be above 0 and at most {MAX_TIMEOUT:g} seconds")
        if self.fuzz is not None and self.fuzz < 1:
            raise CommandError(f"{prefixed('fuzz')} must be at least 1")
        if self.fuzz is None and self.fuzz_seed is not None:
            raise CommandError(f"{prefixed('fuzz-seed')} needs {prefixed('fuzz')}")
        if self.fuzz_seed is not None and self.fuzz_seed < 0:
            raise CommandError(f"{prefixed('fuzz-seed')} must be at least 0")
        if self.counterexample_databases and self.fuzz is None:
            raise CommandError(f"{prefixed('counterexample-database')} needs {prefixed('fuzz')}")
        for place in self.counterexample_databases:
            database_of(place)
        if self.shard is not None and (why := refused_shard(*self.shard)) is not None:
            raise CommandError(f"{option('shard')} {self.shard[0]}/{self.shard[1]}: {why}")

    @property
    def package(self) -> bool:
        """Whether what only the spec's package can answer is asked too.

        It is where the runner is one, or where ``--classes`` demands a class of it of any other command.
        """
        return is_package(self.command) or not self.classes <= set(classes_of(self.spec))

    @property
    def exchange_words(self) -> list[str]:
        """The words of a command line that say how the runner is started and asked, if not as usual."""
        words = [*(["--oneshot"] if self.oneshot else []), *(["--confine"] if self.confine else [])]
        return words + (["--runner-timeout", f"{self.timeout:g}"] if self.timeout is not None else [])


def class_names(text: str | None, *specs: str) -> frozenset[str]:
    """The classes that a user names, separated by commas; ``all`` names those of the specs."""
    names = frozenset(name.strip() for name in (text or "").split(",") if name.strip())
    return (
        frozenset(name for spec in specs for name in classes_of(known_spec(spec)))
        if names == {"all"}
        else names
    )


def shard_of(text: str | None) -> tuple[int, int] | None:
    """The part of a run that ``--shard`` names.

    Raises:
        CommandError: the text is not two numbers with a slash between them.
    """
    if text is None:
        return None
    told = _SHARD.fullmatch(text.strip())
    if told is None:
        raise CommandError(
            f"{option('shard')} {shortened(text, 40)}: write K/N, such as 2/4 for the second of four parts"
        )
    return int(told[1]), int(told[2])


def repeat_vector(options: RunOptions, vector: Vector, *, before: int = 0) -> str:
    """The command line that asks the runner for this vector alone, or for those ``before`` it first."""
    return _run(options, _files(options, [vector]), *_preceding(before), vector.id)


def base_id(key: str) -> str:
    """The vector's id, also of what is asked again in other words."""
    return key.removesuffix(AGAIN)


def repeat_again(options: RunOptions, vector: Vector, seed: int) -> str:
    """The command line that asks the runner for a vector, and for it again in the same other words."""
    return _run(options, _files(options, [vector]), "--again-seed", str(seed), base_id(vector.id))


def repeat_sequence(options: RunOptions, vectors: Sequence[Vector]) -> str:
    """The command line that asks one process of the runner for these vectors in this order."""
    return _run(options, _files(options, vectors), "--in-order", *(vector.id for vector in vectors))


def _preceding(before: int) -> list[str]:
    return ["--before", str(before)] if before else []


def _files(options: RunOptions, vectors: Sequence[Vector]) -> list[Path]:
    """The files to be named: none where all are the spec's own."""
    files = dict.fromkeys(vector.file for vector in vectors)
    return [] if all(map(is_of_kit, vectors)) else list(files)


def repeat_file(options: RunOptions, path: Path) -> str:
    """The command line that asks the runner for the vectors of a file."""
    return _run(options, [path], named=options.spec != DEFAULT_SPEC)


def repeat_property(options: RunOptions, property_id: str) -> str:
    """The command line that tries this property alone, with the same inputs."""
    runner, value = runner_words(options.command)
    words = [*_judged(options), *_version(options)]
    if options.fuzz is not None:
        words += ["--fuzz", str(options.fuzz), "--fuzz-seed", str(options.fuzz_seed)]
    for place in map(database_of, options.counterexample_databases):
        if not place.secret:  # a password is not printed, and without it the command would not run
            words += ["--counterexample-database", shlex.quote(place.given)]
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
    """Of which vectors it is, where these are not all: what comes before one is counted among them."""
    return [] if options.vectors_version is None else ["--vectors-version", options.vectors_version]


def _judged(options: RunOptions, *, named: bool = True) -> list[str]:
    """What answers are compared with, and how strictly; the spec only if it is to be ``named``."""
    words = ["--spec", options.spec] if named else []
    return words + (["--level", str(options.level)] if options.level is not Level.BYTES else [])
