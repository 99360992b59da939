"""What the kit knows of one spec: its name, its sections, and where its expected answers come from.

Each package below ``conformance.specs`` is a spec and holds a ``SPEC``; ``registry.ops`` finds them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = [
    "ADAPTERS",
    "MAIN",
    "Check",
    "EnvironmentVariant",
    "FurtherSource",
    "Recipe",
    "Spec",
    "SpecOracle",
    "release_of",
]

_KIT = Path(__file__).resolve().parent.parent

ADAPTERS = _KIT / "adapters"
"""The runners that ask an oracle, one file each."""

MAIN = ""
"""The name of a spec's main environment, next to those of its variants."""


def release_of(version: str) -> tuple[int, ...]:
    """A release as numbers, which compare as releases do: "0.9.0" comes before "0.13.1"."""
    return tuple(int(part) for part in version.split("."))


Check = tuple[str, dict[str, Any], dict[str, Any]]
"""An operation, its input, and what a whole oracle answers."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One environment that the kit can build: a package, pinned with all that it needs."""

    package: str
    version: str
    """The package's version; the adapter's hello must say the same."""
    spec: str
    """The spec that its hello is about."""
    adapter: Path
    """The runner, one file, executed by the environment's Python."""
    checks: tuple[Check, ...]
    """What a new environment is asked. To ask it loads most of the package, so that the bytecode is there."""
    python_version: str = "3.12"
    variant: str = ""
    """What is other than in the package's main environment, such as ``pydantic-2.12.5``; empty in that."""

    @property
    def name(self) -> str:
        """Package, version and variant, as the lock file has them and the vectors' provenance."""
        return "-".join(filter(None, (self.package, self.version, self.variant)))

    @property
    def lock(self) -> Path:
        """Every package of the environment, by hash."""
        return _KIT / "oracle" / "locks" / f"{self.name}.txt"

    @property
    def digests(self) -> Path:
        """What the packages consist of, by digest."""
        return self.lock.with_suffix(".digests.json")


@dataclass(frozen=True, slots=True)
class EnvironmentVariant:
    """Another environment that the package permits, and in which it gives some other answers."""

    name: str
    """What vectors and reports call it, such as ``pydantic-2.12.5``."""
    recipe: Recipe
    stands_for: str
    """Every environment that answers so, as a phrase: ``harbor 0.13.1 with pydantic 2.11.7 to 2.12.5``."""
    differs: str
    """What is other in its answers, in a sentence."""
    mistake: str
    """The known mistake with which the reference gives its answers."""
    op: str
    """The op that the mistake belongs to."""
    shows: str
    """What is in the main environment's answer, as JSON text, wherever this one's is another."""


@dataclass(frozen=True, slots=True)
class FurtherSource:
    """What answers the ops that name it in the oracle's place, executed by the oracle's Python."""

    provenance: str
    """Its name, and what the vectors say of it."""
    adapter: Path
    answered_by: str
    """The same for people, as a phrase."""
    document: str | None = None
    """The number of the document that it needs; it is not at hand where that is not."""


@dataclass(frozen=True, slots=True)
class SpecOracle:
    """Where the expected answers of a spec come from."""

    provenance: str
    """What the vectors say of it."""
    adapter: Path
    recipe: Recipe | None
    """The environment that executes the adapter; None where there is no package, on a plain CPython 3.12."""
    answered_by: str = "the real package, executed"
    """What answers, for people, as a phrase."""
    partly_own: Mapping[str, str] = field(default_factory=dict)
    """The same for ops of which the adapter holds a part itself, by name."""
    runs_uv: bool = False
    """Whether the adapter starts uv itself, as harbor does for metric scripts."""
    further: tuple[FurtherSource, ...] = ()
    """The sources of what the package does not hold."""
    variants: tuple[EnvironmentVariant, ...] = ()
    """Further environments whose answers are right too, each in a whole run."""


@dataclass(frozen=True, slots=True)
class Spec:
    """One spec that runners can be checked against."""

    name: str
    """The value of ``--spec``, and the folder of its vectors."""
    document: str
    """The number of the document that describes it, such as "003"."""
    oracle: SpecOracle
    sections: tuple[str, ...] = ()
    """Its sections in the order of the document; a section that is not named comes last."""
    reference: tuple[str, ...] = ()
    """The modules or packages of the reference that are this spec's alone; none: all that are no other's.

    Of a spec that is a difference to another, one package, whose module ``operations`` has the whole table.
    """
    base: str | None = None
    """The spec that this one is a difference to: what is not said here is as it is there."""

    fits_from: str = ""
    """The first release that it fits better than its base does; its own where nobody says."""

    @property
    def release(self) -> tuple[int, ...] | None:
        """The release of the package that it describes, as numbers; None where there is no package."""
        return release_of(self.oracle.recipe.version) if self.oracle.recipe is not None else None
