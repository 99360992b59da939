"""Regeneration: gets every expected answer from its source and writes the files canonically.

The sources are ordinary runners: each spec's oracle, and other sources that the spec names. ``regen`` never
takes an answer from the reference.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance.oracle import documents, environments
from conformance.oracle.integrity import refuse_changed
from conformance.oracle.of_specs import oracle_command
from conformance.oracle.regen_overlay import Answered, file_texts, unreviewed
from conformance.oracle.sources import Answers, RegenError, Source, ask, check_played, complete
from conformance.paths import vectors_dir
from conformance.registry.op import Op
from conformance.registry.ops import OPS, SPEC_TABLE
from conformance.registry.spec import FurtherSource, SpecOracle
from conformance.suite.lock import Lock, guarded
from conformance.suite.vectors import NOT_SECTIONS, Vector, load_files
from conformance.wire.writing import dumps, write_if_changed

__all__ = ["RegenError", "RegenResult", "Source", "further_environments", "regenerate", "sources"]


COMPARED: set[Path] = set()
"""The environments that this process has already verified."""


@dataclass(slots=True)
class RegenResult:
    """The result of a regeneration."""

    asked: int = 0
    changed: list[str] = field(default_factory=list)
    """The ids whose answer differs from the file's."""
    rewritten: list[Path] = field(default_factory=list)
    """The files whose text differs from the canonical one."""
    left: dict[str, int] = field(default_factory=dict)
    """The number of vectors whose source was not available, by provenance."""
    played: int = 0
    """The number of jobs played back."""
    variants: dict[str, int] = field(default_factory=dict)
    """The number of vectors that each environment answers differently from the main one."""
    lock_problems: list[str] = field(default_factory=list)
    unreviewed: list[str] = field(default_factory=list)
    """Ids that differ from the base's and have no own rule or clause yet."""


def sources(spec: str, progress: Callable[[str], None]) -> list[Source]:
    """The sources of a spec; the oracle comes last and answers everything that no other source does.

    Raises:
        OracleError: the oracle's environment can't be built, or was changed since it was installed.
    """
    oracle = SPEC_TABLE[spec].oracle
    if oracle.recipe is not None:
        _compare(environments.ensure(progress, recipe=oracle.recipe), progress)
    whole = Source(oracle.provenance, frozenset(), oracle_command(spec, progress))
    return [*(_further(oracle, further, progress) for further in oracle.further), whole]


def further_environments(spec: str, progress: Callable[[str], None]) -> dict[str, Source]:
    """The sources of the variants' answers by name, each built if needed and verified.

    Raises:
        OracleError: an environment can't be built, or was changed since it was installed.
    """
    by_name = {}
    for variant in SPEC_TABLE[spec].oracle.variants:
        _compare(environments.ensure(progress, recipe=variant.recipe), progress)
        command = oracle_command(spec, progress, variant=variant.name)
        by_name[variant.name] = Source(variant.recipe.name, frozenset(), command)
    return by_name


def _compare(built: environments.Oracle, progress: Callable[[str], None]) -> None:
    """Raises OracleError if an oracle was changed since it was installed; checks each only once."""
    if built.folder in COMPARED:
        return
    progress(f"comparing the files of {built.recipe.name} with what was locked")
    refuse_changed(built.folder, built.recipe)
    COMPARED.add(built.folder)


def _further(oracle: SpecOracle, described: FurtherSource, progress: Callable[[str], None]) -> Source:
    """An additional source for the ops that name it; has no command without its document."""
    ops = frozenset(op.name for op in OPS.values() if op.source == described.provenance)
    assert oracle.recipe is not None
    python = environments.ensure(progress, recipe=oracle.recipe).python
    command = (str(python), "-B", "-X", "utf8", str(described.adapter))
    if described.document is None:
        return Source(described.provenance, ops, command)
    document = documents.find_document(described.document)
    return Source(described.provenance, ops, (*command, "--document", str(document)) if document else None)


def _source_of(op: Op, known: list[Source]) -> Source:
    return next((source for source in known if op.name in source.ops), known[-1])


def regenerate(
    spec: str,
    known: list[Source],
    *,
    check: bool,
    environments_asked: Mapping[str, Source] | None = None,
    accept: Iterable[str] = (),
    retire: Iterable[str] = (),
    reason: str = "",
    tick: Callable[[], None] = lambda: None,
) -> RegenResult:
    """Gets every expected answer and writes the vectors and the lock; with ``check`` writes nothing.

    Variants come from ``environments_asked``; those of other environments stay unchanged.

    Raises:
        RegenError: an answer is not available.
        LockError: a locked answer changed without being accepted.
        VectorFileError: a vector file can't be used.
    """
    result = RegenResult()
    vectors = [vector for section in load_files(spec).values() for vector in section]
    answers: dict[str, dict[str, Any]] = {}
    provenance: dict[str, str] = {}
    for source in known:
        mine = [vector for vector in vectors if _source_of(vector.op, known) is source]
        provenance |= {vector.id: source.provenance for vector in mine}
        if source.command is None:
            unanswered = [vector.id for vector in mine if vector.expected is None]
            if unanswered:
                raise RegenError(
                    f"{unanswered[0]} has no answer yet, and its source {source.provenance} is not available"
                )
            if mine:
                result.left[source.provenance] = len(mine)
            continue
        answers |= ask(source, mine, spec, tick)
        result.asked += len(mine)
    for name, kept in complete(answers, vectors, known, spec).items():
        result.left[name] = result.left.get(name, 0) + kept
    result.played = check_played(answers, vectors, known[-1], spec)
    result.changed = [
        vector.id
        for vector in vectors
        if vector.id in answers and _differs(answers[vector.id], vector.expected)
    ]
    renewed = [replace(vector, expected=answers.get(vector.id, vector.expected)) for vector in vectors]
    mine = [vector for vector in vectors if _source_of(vector.op, known) is known[-1]]
    by_name: dict[str, Answers] = {}
    for name, source in (environments_asked or {}).items():
        posed = [vector.for_environment(name) for vector in mine]
        by_name[name] = ask(source, posed, spec, tick)
        complete(by_name[name], posed, known, spec)
    renewed = _differing(renewed, answers, by_name)
    variants = {vector.id: vector.variants for vector in renewed}
    for vector in vectors:
        for name in sorted(vector.variants.keys() | variants[vector.id].keys()):
            if _differs(variants[vector.id].get(name), vector.variants.get(name)):
                result.changed.append(f"{vector.id}@{name}")
    result.variants = {name: sum(name in named for named in variants.values()) for name in by_name}
    texts = file_texts(spec, vectors, Answered(answers, provenance, variants))
    result.unreviewed = unreviewed(texts)
    for name in sorted(NOT_SECTIONS - {"lock.json"}):  # written by hand: clauses, flags, properties
        if (path := vectors_dir(spec) / name).exists():
            texts[path] = dumps(json.loads(path.read_text(encoding="utf-8")))
    result.rewritten = [
        path
        for path, text in texts.items()
        if (path.read_text(encoding="utf-8") if path.exists() else None) != text
    ]
    lock_path = vectors_dir(spec) / "lock.json"
    lock = Lock.read(lock_path, spec)
    locked = guarded(spec, renewed, lock)
    if check:
        result.lock_problems = lock.problems(locked)
        return result
    lock.update(locked, set(accept), set(retire), reason)
    for path, text in texts.items():
        if text is None:
            path.unlink()
        else:
            write_if_changed(path, text)
    write_if_changed(lock_path, lock.text())
    return result


def _differing(vectors: Sequence[Vector], answers: Answers, by_name: dict[str, Answers]) -> list[Vector]:
    """The vectors, each with the answers of environments that differ from the main one."""
    renewed = []
    for vector in vectors:
        main = answers.get(vector.id)
        if main is None:  # its source is not available, or not an environment
            renewed.append(vector)
            continue
        stored = {name: answer for name, answer in vector.variants.items() if name not in by_name}
        new = {
            name: theirs[vector.id]
            for name, theirs in by_name.items()
            if vector.id in theirs and json.dumps(theirs[vector.id]) != json.dumps(main)
        }
        renewed.append(replace(vector, variants=dict(sorted({**stored, **new}.items()))))
    return renewed


def _differs(new: dict[str, Any] | None, old: dict[str, Any] | None) -> bool:
    return json.dumps(new) != json.dumps(old)
