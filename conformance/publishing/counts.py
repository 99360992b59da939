"""A run report against itself, and against the vectors that it says it is of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.publishing.reading import PublishingError
from conformance.report.consistency import ContradictionError, check_run
from conformance.report.selection import newer_than, vector_set_json
from conformance.suite.vectors import Vector, VectorFileError, load_set_of
from conformance.wire.text import shortened

__all__ = ["VectorSet", "checked"]


@dataclass(frozen=True)
class VectorSet:
    """What this kit knows of the vectors that a report is of."""

    known: Mapping[str, Vector]
    """The kit's own vectors of the spec, by id."""
    of_kit: bool
    """Whether the report is of exactly these, or of those of them that a version of the set has."""
    latest: str
    """The version of the kit's vectors."""
    counting: frozenset[str] = field(default_factory=frozenset)
    """Where it is of the kit: the ids that count in the report."""


def checked(document: Mapping[str, Any]) -> VectorSet:
    """Holds a report to its own results and, where it is of this kit's vectors, to them.

    Raises:
        PublishingError: it contradicts itself.
    """
    try:
        check_run(document)
        found = _set(document)
        if found.of_kit:
            _against(document, found)
    except ContradictionError as error:
        raise PublishingError(f"the report contradicts itself: {error}; no page is made of it") from None
    return found


def _set(document: Mapping[str, Any]) -> VectorSet:
    every = load_set_of(document["spec"], (one["id"] for one in document["results"]))
    known = {vector.id: vector for vector in every}
    latest = vector_set_json(every)
    said = document.get("vectors")
    if said is None:
        return VectorSet(known, False, latest["version"])
    if said["digest"] == latest["digest"]:
        return VectorSet(known, True, latest["version"], frozenset(known))
    try:
        late = newer_than(said["version"], every, document["spec"])
    except VectorFileError:  # a version that this kit never had
        late = frozenset()
    older = [vector for vector in every if vector.id not in late]
    if late and said["digest"] == vector_set_json(older)["digest"]:
        return VectorSet(known, True, latest["version"], frozenset(vector.id for vector in older))
    return VectorSet(known, False, latest["version"])


def _against(document: Mapping[str, Any], of: VectorSet) -> None:
    """A report whose digest is that of known vectors has these, and says the same of them."""
    if document["vectors"]["total"] != len(of.counting):
        said = document["vectors"]["total"]
        raise ContradictionError(f"it counts {said} vectors, and their digest is that of {len(of.counting)}")
    for one in document["results"]:
        if one["id"] not in of.counting:
            raise ContradictionError(f"{_quoted(one)} is none of the vectors that it is of")
        vector = of.known[one["id"]]
        if (one["op"], one["class"], one["clause"]) != (
            vector.op.name,
            vector.conformance_class,
            vector.clause,
        ):
            raise ContradictionError(f"what it says of {_quoted(one)} is not what the vector says")
    sizes = dict.fromkeys(document["classes"], 0)
    for key in of.counting:
        name = of.known[key].conformance_class
        if name not in sizes:
            raise ContradictionError(f"it says nothing of class {name}, of which there are vectors")
        sizes[name] += 1
    for name, account in document["classes"].items():
        if account.get("vectors", sizes[name]) != sizes[name]:
            said = f"it has {account['vectors']} vectors of class {shortened(name, 60)}"
            raise ContradictionError(f"{said}, and there are {sizes[name]}")


def _quoted(one: Mapping[str, Any]) -> str:
    return shortened(one["id"], 100)
