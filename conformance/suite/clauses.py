"""The clause inventory: a document's normative statements, paraphrased, and the vectors that trace them."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conformance.paths import vectors_dir
from conformance.registry.ops import SPEC_TABLE, lineage
from conformance.registry.spec import release_of

if TYPE_CHECKING:
    from conformance.suite.vectors import Vector

__all__ = ["Clause", "load_clauses", "statements", "successors", "traces"]


@dataclass(frozen=True, slots=True)
class Clause:
    """One normative statement."""

    id: str
    document: str
    section: str
    statement: str
    untested: str | None = None
    """Why no vector can test it, if none does."""
    erratum: str | None = None
    """The erratum that corrects the document here, if any."""
    first: str | None = None
    """The first release in which it holds, if earlier ones differ."""
    last: str | None = None
    """The last release in which it holds, if later ones differ."""
    replaces: tuple[str, ...] = ()
    """The clauses that it replaces; vectors that traced them trace it from that release on."""

    def holds_in(self, release: tuple[int, ...] | None) -> bool:
        """Return whether it holds in a release; a clause without releases always does."""
        if release is None:
            return True
        begun = self.first is None or release_of(self.first) <= release
        return begun and (self.last is None or release <= release_of(self.last))


def load_clauses(spec: str) -> list[Clause]:
    """The clauses of a spec in document order, including its bases' clauses that hold in its release."""
    release = SPEC_TABLE[spec].release
    clauses = [_clause(entry) for name in reversed(lineage(spec)) for entry in _entries(name)]
    replaced = {old for clause in clauses if clause.holds_in(release) for old in clause.replaces}
    held = [clause for clause in clauses if clause.holds_in(release) and clause.id not in replaced]
    if SPEC_TABLE[spec].base is None:
        return held
    words = {(clause.document, clause.section): index for index, clause in reversed([*enumerate(held)])}
    return sorted(held, key=lambda clause: (clause.document, _sort_key(clause, words)))


def successors(spec: str) -> dict[str, str | None]:
    """Each base clause that no longer holds, with its replacement, if there is one."""
    held = load_clauses(spec)
    after = {old: clause.id for clause in held for old in clause.replaces}
    ids = {clause.id for clause in held}
    ended = [entry["id"] for name in lineage(spec)[1:] for entry in _entries(name)]
    return {old: after.get(old) for old in ended if old not in ids}


def _sort_key(clause: Clause, words: dict[tuple[str, str], int]) -> tuple[int, ...]:
    """The position of its section in the document: by number, or by first mention."""
    if clause.section[0].isdigit():
        return tuple(int(part) for part in clause.section.split("."))
    return (words[clause.document, clause.section],)


def _entries(spec: str) -> list[dict[str, Any]]:
    """The entries of a spec's own file, which an overlay may lack."""
    path = vectors_dir(spec) / "clauses.json"
    if SPEC_TABLE[spec].base is not None and not path.exists():
        return []
    entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["clauses"]
    return entries


def _clause(entry: Mapping[str, Any]) -> Clause:
    members = {{"from": "first", "until": "last"}.get(name, name): value for name, value in entry.items()}
    return Clause(**{**members, "replaces": tuple(members.get("replaces", ()))})


def statements(spec: str) -> dict[str, str]:
    """Clause id to statement."""
    return {clause.id: clause.statement for clause in load_clauses(spec)}


def traces(vectors: "Iterable[Vector]") -> dict[str, list[str]]:
    """Clause id to the ids of the vectors that exercise it."""
    vector_ids: dict[str, list[str]] = defaultdict(list)
    for vector in vectors:
        for clause in (vector.clause, *vector.also):
            vector_ids[clause].append(vector.id)
    return dict(vector_ids)
