"""The kit's description of one spec: its name, its sections, and the source of its expected answers.

Each package below ``conformance.specs`` is a spec and holds a ``SPEC``; ``registry.ops`` finds them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = [
    "ADAPTERS",
    "MAIN",
    "EnvironmentVariant",
    "FurtherSource",
    "Recipe",
    "Spec",
    "SpecOracle",
    "release_of",
]

_KIT = Path(__file__).resolve().parent.parent

ADAPTERS = _KIT / "adapters"
"""The folder of the adapters, one file each."""

MAIN = ""
"""The name of a spec's main environment, next to those of its variants."""


def release_of(version: str) -> tuple[int, ...]:
    """A release as numbers, for comparison: "0.9.0" comes before "0.13.1"."""
    return tuple(int(part) for part in version.split("."))


@dataclass(frozen=True, slots=True)
class Recipe:
    """One environment that the kit can build: a package with all its dependencies, pinned."""

    package: str
    version: str
    """The package's version; the adapter's hello must report the same."""
    spec: str
    """The spec for its hello."""
    adapter: Path
    """The adapter, a single file, executed by the environment's Python."""
    python_version: str = "3.12"
    variant: str = ""
    """The difference to the package's main environment, such as ``pydantic-2.12.5``; empty for that one."""

    @property
    def name(self) -> str:
        """Package, version and variant, as in the lock file's name and the vectors' provenance."""
        return "-".join(filter(None, (self.package, self.version, self.variant)))

    @property
    def lock(self) -> Path:
        """The lock file: every package of the environment, by hash."""
        return _KIT / "oracle" / "locks" / f"{self.name}.txt"


@dataclass(frozen=True, slots=True)
class EnvironmentVariant:
    """Another permitted environment of the package, in which some answers differ."""

    name: str
    """Its name in vectors and reports, such as ``pydantic-2.12.5``."""
    recipe: Recipe
    described_as: str
    """Every environment that answers so, as a phrase: ``harbor 0.13.1 with pydantic 2.11.7 to 2.12.5``."""
    differs: str
    """How its answers differ, in a sentence."""
    mistake: str
    """The known mistake with which the reference gives its answers."""
    op: str
    """The op that the mistake belongs to."""
    shows: str
    """Text that is in the main environment's answer, as JSON, wherever this one's differs."""


@dataclass(frozen=True, slots=True)
class FurtherSource:
    """A source that answers the ops that name it, in place of the oracle, executed by the oracle's Python."""

    provenance: str
    """Its name, also in the vectors."""
    adapter: Path
    answered_by: str
    """A phrase for people."""
    document: str | None = None
    """The number of the document that it needs; without the document it is not available."""


@dataclass(frozen=True, slots=True)
class SpecOracle:
    """The source of a spec's expected answers."""

    provenance: str
    """Its name in the vectors."""
    adapter: Path
    recipe: Recipe | None
    """The environment that executes the adapter; None if there is no package, for a plain CPython 3.12."""
    answered_by: str = "the real package, executed"
    """A phrase for people."""
    partly_own: Mapping[str, str] = field(default_factory=dict)
    """Phrases for ops that the adapter partly implements itself, by name."""
    runs_uv: bool = False
    """Whether the adapter starts uv itself, as harbor does for metric scripts."""
    further: tuple[FurtherSource, ...] = ()
    """The sources of answers that the package does not give."""
    variants: tuple[EnvironmentVariant, ...] = ()
    """Additional environments whose answers are right too, each for a whole run."""


@dataclass(frozen=True, slots=True)
class Spec:
    """One spec that runners can be checked against."""

    name: str
    """The value of ``--spec``, and the folder of its vectors."""
    document: str
    """The number of the document that describes it, such as "003"."""
    oracle: SpecOracle
    sections: tuple[str, ...] = ()
    """Its sections in the order of the document; unlisted sections come last."""
    reference: tuple[str, ...] = ()
    """The modules or packages of the reference that only this spec uses; empty for all that no other has.

    For an overlay, a single package, whose module ``operations`` has the whole table.
    """
    base: str | None = None
    """The base spec, whose rules apply unless this spec changes them."""

    fits_from: str = ""
    """The first release that it fits better than its base does; defaults to its own."""

    @property
    def release(self) -> tuple[int, ...] | None:
        """The release of the package that it describes, as numbers; None if there is no package."""
        return release_of(self.oracle.recipe.version) if self.oracle.recipe is not None else None
