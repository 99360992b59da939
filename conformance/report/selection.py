"""What a run is of: the vector set, what was selected of it, the list of known failures it is held to."""

import datetime
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.judging.known_failures import KnownFailures
from conformance.option_names import option
from conformance.report.shards import Missing
from conformance.suite.lock import meaning
from conformance.suite.vectors import Vector, VectorFileError, is_of_kit
from conformance.wire.text import shortened

__all__ = [
    "Selection",
    "known_failures_json",
    "listed_since",
    "newer_than",
    "newest",
    "vector_set_json",
    "versions_of",
]

_SINCE = re.compile(r"since ([0-9]{4}-[0-9]{2}-[0-9]{2})(?::|$)")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What was asked for, apart from the runner."""

    patterns: tuple[str, ...] = ()
    """Ids and patterns of vectors; all where there is none."""
    files: tuple[Path, ...] = ()
    """Files whose vectors are asked in place of the kit's own."""
    classes: frozenset[str] = frozenset()
    """The classes of which nothing may be unsupported."""
    vectors_version: str | None = None
    """The version of the vectors that was asked for; None for the newest."""
    shard: tuple[int, int] | None = None
    """Which part of how many this run is; None for the whole."""
    missing: Missing | None = None
    """The parts that were not there when the others were merged."""

    def as_json(self) -> dict[str, Any]:
        """As the schema ``run-report`` has it, but for how many vectors were selected."""
        return {
            "patterns": list(self.patterns),
            "files": list(map(str, self.files)),
            "classes": sorted(self.classes),
            "vectors_version": self.vectors_version,
            "shard": None if self.shard is None else {"number": self.shard[0], "of": self.shard[1]},
            **({} if self.missing is None else {"missing_shards": self.missing.as_json()}),
        }


def listed_since(reason: str) -> str | None:
    """The day on which a known failure was listed, where its reason begins with it: `since 2026-11-23: …`."""
    told = _SINCE.match(reason)
    try:
        return None if told is None else datetime.date.fromisoformat(told[1]).isoformat()
    except ValueError:
        return None


def newest(versions: Iterable[str]) -> str:
    """The newest of some versions."""
    return max(versions, key=_age, default="0")


def _age(version: str) -> list[int]:
    return [int(number) for number in _NUMBER.findall(version)]


def versions_of(every: Iterable[Vector]) -> list[str]:
    """The versions of a set, oldest first."""
    return sorted({vector.since for vector in every if is_of_kit(vector)}, key=_age)


def newer_than(version: str | None, every: Iterable[Vector], spec: str) -> frozenset[str]:
    """The ids of the spec's own vectors that a version of its set does not have.

    Raises:
        VectorFileError: there is no such version.
    """
    if version is None:
        return frozenset()
    every = list(every)
    versions = versions_of(every)
    if version not in versions:
        raise VectorFileError(
            f"{option('vectors-version')}: {spec} has no vectors of version {shortened(version, 40)}; "
            f"choose one of {', '.join(versions)}"
        )
    behind = set(versions[versions.index(version) + 1 :])
    return frozenset(vector.id for vector in every if vector.since in behind and is_of_kit(vector))


def vector_set_json(every: Sequence[Vector], newer: Sequence[Vector] = ()) -> dict[str, Any]:
    """The set as the schema ``run-report`` has it; ``newer`` vectors of the kit don't count in this run."""
    digest = hashlib.sha256()
    for vector in sorted(every, key=lambda vector: vector.id):
        digest.update(f"{vector.id} {meaning(vector)}\n".encode())
    return {
        "version": newest(vector.since for vector in every),
        "digest": f"sha256:{digest.hexdigest()}",
        "total": len(every),
        "newer": len(newer),
        "latest": newest(vector.since for vector in (*every, *newer)),
    }


def known_failures_json(
    known: KnownFailures | None, path: Path | None, problems: list[str]
) -> dict[str, Any] | None:
    """The list as the schema ``run-report`` has it; ``problems`` is what is no longer true of it."""
    if known is None:
        return None
    return {
        "file": str(path),
        "entries": [
            {
                "pattern": entry.pattern,
                "outcome": entry.outcome,
                "reason": entry.reason,
                "since": listed_since(entry.reason),
                "line": entry.line,
            }
            for entry in known.entries
        ],
        "problems": problems,
    }
