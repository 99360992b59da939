"""What a run asked, for its report: the vector set, the selection, the list of known failures."""

import datetime
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from conformance.judging.known_failures import KnownFailures
from conformance.run.options import RunOptions
from conformance.suite.choosing import newest
from conformance.suite.lock import meaning
from conformance.suite.vectors import Vector

__all__ = ["Missing", "known_failures_json", "listed_since", "selection_json", "vector_set_json"]

_SINCE = re.compile(r"since ([0-9]{4}-[0-9]{2}-[0-9]{2})(?::|$)")


@dataclass(frozen=True, slots=True)
class Missing:
    """The shards that are missing from a merged run."""

    numbers: tuple[int, ...]
    of: int
    vectors: int
    """The number of vectors selected in them."""
    properties: int

    def as_json(self) -> dict[str, Any]:
        """In the form of the schema ``run-report``."""
        return {**asdict(self), "numbers": list(self.numbers)}


def selection_json(options: RunOptions, missing: Missing | None, selected: int) -> dict[str, Any]:
    """The selection, in the form of the schema ``run-report``.

    ``missing`` are the shards that were missing in a merge, ``selected`` the number of vectors selected,
    asked or not.
    """
    shard = options.shard
    return {
        "patterns": list(options.patterns),
        "files": list(map(str, options.vector_files)),
        "classes": sorted(options.classes),
        "vectors_version": options.vectors_version,
        "shard": None if shard is None else {"number": shard[0], "of": shard[1]},
        "selected": selected,
        **({} if missing is None else {"missing_shards": missing.as_json()}),
    }


def listed_since(reason: str) -> str | None:
    """The date in a known failure's reason that starts with one: `since 2026-11-23: …`."""
    match = _SINCE.match(reason)
    try:
        return None if match is None else datetime.date.fromisoformat(match[1]).isoformat()
    except ValueError:
        return None


def vector_set_json(
    all_vectors: Sequence[Vector], newer: Sequence[Vector] = (), *, hashed: bool = True
) -> dict[str, Any]:
    """The vector set, in the form of the schema ``run-report``; ``newer`` vectors don't count in this run.

    The digest takes a tenth of a second; ``hashed=False`` omits it from reports that are not written.
    """
    digest = hashlib.sha256()
    for vector in sorted(all_vectors, key=lambda vector: vector.id) if hashed else ():
        digest.update(f"{vector.id} {meaning(vector)}\n".encode())
    return {
        "version": newest({vector.since for vector in all_vectors}),
        "digest": f"sha256:{digest.hexdigest()}" if hashed else None,
        "total": len(all_vectors),
        "newer": len(newer),
        "latest": newest({vector.since for vector in (*all_vectors, *newer)}),
    }


def known_failures_json(
    known: KnownFailures | None, path: Path | None, problems: list[str], vectors: Iterable[Vector]
) -> dict[str, Any] | None:
    """The list of known failures, in the form of the schema ``run-report``.

    ``problems`` has a sentence for each outdated entry; ``vectors`` are those with a verdict.
    """
    if known is None:
        return None
    newer = Counter(vector.op.name for vector in vectors if vector.id in known.newer)
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
        **({} if known.vectors is None else {"vectors": known.vectors.version, "newer": dict(newer)}),
    }
