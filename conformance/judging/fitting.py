"""Whether a list of known failures fits a run: its spec, its level and its vectors."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from conformance.judging.comparison import Level
from conformance.judging.known_failures import KnownFailures, KnownFailuresError, Offered
from conformance.option_names import option
from conformance.paths import vectors_dir
from conformance.registry.ops import SPEC_TABLE, ops_of
from conformance.registry.spec import release_of
from conformance.suite.lock import Lock
from conformance.suite.vectors import Vector, is_of_kit

__all__ = ["fitted"]


def fitted(
    known: KnownFailures,
    spec: str,
    vectors: Sequence[Vector],
    name: str,
    level: Level = Level.BYTES,
    asked_version: str | None = None,
) -> KnownFailures:
    """The list for a run of these vectors at a level; ``name`` is its name in messages.

    ``asked_version`` is the newest version of the vectors that the run asks, if not the kit's.

    Raises:
        KnownFailuresError: it was made for another spec, at a higher level, with vectors that this kit does
            not have or the run does not ask, or with more vectors than there are.
    """
    specs = {entry.pattern.partition("/")[0] for entry in known.entries} & SPEC_TABLE.keys()
    made_for = known.vectors.spec if known.vectors else min(specs, default=spec) if len(specs) < 2 else spec
    if made_for != spec:
        raise KnownFailuresError(
            f"{name} is a list for {made_for}, and {spec} is asked: choose --spec {made_for}, or record "
            "another list with 'harbor-conformance baseline'"
        )
    if known.level is not None and level < known.level:
        raise KnownFailuresError(
            f"{name} was made at level {known.level}, and {level} is asked, which sees less: "
            f"choose --level {known.level}, or record another list with 'harbor-conformance baseline'"
        )
    retired = frozenset(Lock.read(vectors_dir(spec) / "lock.json", spec).retired)
    newer = frozenset[str]()
    if known.vectors is not None:
        version = release_of(known.vectors.version)
        since = {vector.id: release_of(vector.since) for vector in vectors if is_of_kit(vector)}
        if version > max(since.values(), default=version):
            raise KnownFailuresError(
                f"{name} was made with vectors {known.vectors.version} of {spec}, which this kit does not "
                "have: update the kit"
            )
        if asked_version is not None and release_of(asked_version) < version:
            raise KnownFailuresError(
                f"{name} was made with vectors {known.vectors.version}, and {option('vectors-version')} "
                f"{asked_version} leaves some of them out: choose {known.vectors.version}, or record another "
                "list with 'harbor-conformance baseline'"
            )
        newer = frozenset(vector_id for vector_id, its in since.items() if its > version)
    ops = {op.name for op in ops_of(spec)} | {vector.op.name for vector in vectors}
    offers = [offered for offered in known.offers if offered.op in ops]
    counted = [vector for vector in vectors if vector.id not in newer]
    if (fewer := _fewer(offers, counted, retired)) is not None:
        which = "" if known.vectors is None else f" in version {known.vectors.version}"
        raise KnownFailuresError(
            f"{name} records {fewer}{which}: correct the list with 'harbor-conformance baseline --update', "
            "or install the kit again"
        )
    return replace(known, retired=retired, newer=newer)


def _fewer(offers: Iterable[Offered], counted: Sequence[Vector], retired: Iterable[str]) -> str | None:
    """The first operation that was recorded with more vectors than count, as a clause; None if there is none.

    A list with an older version, or a kit without some vectors, would otherwise require less unnoticed.
    Retired vectors may be of any operation of their section.
    """
    counts = Counter(vector.op.name for vector in counted)
    sections = {(vector.op.name, _section(vector.id)) for vector in counted}
    gone = Counter(map(_section, retired))
    for offered in offers:
        left = sum(gone[section] for op, section in sections if op == offered.op)
        if offered.vectors > counts[offered.op] + left:
            return f"{offered.vectors} vectors of {offered.op}, and this kit has {counts[offered.op]}"
    return None


def _section(vector_id: str) -> str:
    return vector_id.split("/")[1]
