"""``spec add``: locks and builds a release's environment, finds its differences, and writes an overlay.

The release and the base's oracle answer every vector of all specs of the document, including those of later
releases, and every played job. Text that only a person can write is marked TODO, which the kit's tests
refuse.
"""

import json
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.diagnosis.evidence import agree, expected_answer
from conformance.errors import UserError
from conformance.extensions.releases import package
from conformance.extensions.releases.answers import describe, regenerated
from conformance.extensions.releases.asking import answers_of
from conformance.extensions.releases.package import TODO
from conformance.judging.comparison import Level
from conformance.oracle import environments
from conformance.oracle.of_specs import oracle_command
from conformance.paths import checkout_root
from conformance.registry.op import ORACLE
from conformance.registry.ops import SPEC_TABLE, SPECS
from conformance.registry.spec import Recipe
from conformance.runner.conversation import Settings
from conformance.suite.clauses import load_clauses
from conformance.suite.entries import canonical_vector
from conformance.suite.lock import Lock
from conformance.suite.overlays import renamed
from conformance.suite.vectors import Vector, load_spec
from conformance.version import RELEASE
from conformance.wire.messages import Answer, Failed, Ok, Refused, Unsupported
from conformance.wire.writing import write_text

__all__ = ["Adding", "AddingError", "added_lines", "family"]

_SECONDS = 30.0
"""The time-out for a reply, which is longer than a run's, since a reply may play a job."""

Entry = dict[str, Any]


class AddingError(UserError):
    """The spec can't be added; the message is one sentence."""


def family(spec: str) -> dict[str, list[Vector]]:
    """Return all vectors of the document's specs, by spec; the named spec comes first."""
    document = SPEC_TABLE[spec].document
    return {
        name: load_spec(name, package=True)
        for name in dict.fromkeys((spec, *SPEC_TABLE))
        if SPEC_TABLE[name].document == document
    }


@dataclass(slots=True)
class Adding:
    """A spec being added."""

    release: str
    base: str
    progress: Callable[[str], None]
    written: list[Path] = field(default_factory=list)
    """The files in the checkout."""
    differing: int = 0
    new: dict[str, list[Entry]] = field(default_factory=dict)
    """Vectors that the base lacks, and on which the releases differ, by section."""
    left_out: Counter[str] = field(default_factory=Counter)
    """The number of vectors that the release could not answer, by op."""
    changes: list[str] = field(default_factory=list)
    """The changes, one for each clause."""
    clauses: dict[str, Entry] = field(default_factory=dict)
    """The clauses that the new spec adds, by id."""
    _unreached: dict[str, list[Entry]] = field(default_factory=dict)
    """The base's vectors that the release can't answer, by section."""

    @property
    def spec(self) -> str:
        """The new spec's name."""
        return f"{self._base_recipe.package}-{self.release}"

    @property
    def _base_recipe(self) -> Recipe:
        recipe = SPEC_TABLE[self.base].oracle.recipe
        if recipe is None:
            raise AddingError(f"{self.base} has no releases: its answers come from no package")
        return recipe

    @property
    def todo(self) -> int:
        """The number of TODOs for a person."""
        text = json.dumps([self.new, self.clauses])
        return text.count(f'"{TODO}') + self.differing + self.left_out.total()

    def run(self) -> None:
        """Write the overlay; if something fails, remove the written files.

        Raises:
            AddingError: there is no checkout, or the spec or a part of it already exists.
            OracleError: the release can't be locked, built or asked.
        """
        root, base = checkout_root(), self._base_recipe
        if root is None:
            raise AddingError(
                "spec add writes into a checkout of the kit, but this kit is installed from a wheel"
            )
        recipe = Recipe(base.package, self.release, self.spec, base.adapter, base.python_version)
        places = package.places(root, self.spec, recipe)
        existing = [path for path in places if path.exists()]
        if self.spec in SPECS or existing:
            where = f": {existing[0].relative_to(root)} exists" if existing else ""
            raise AddingError(f"{self.spec} already exists and is not overwritten{where}")
        try:
            self._write(recipe, root, *places[:3])
        except BaseException:
            for target in places:
                if target.is_dir():
                    shutil.rmtree(target, ignore_errors=True)
                else:
                    target.unlink(missing_ok=True)
            raise
        self.written = [path for path in places if path.exists()]

    def _write(self, recipe: Recipe, root: Path, kit: Path, reference: Path, vectors: Path) -> None:
        write_text(
            recipe.lock, package.compiled_lock(recipe.package, self.release, self._base_recipe, self.progress)
        )
        built = environments.ensure(self.progress, recipe=recipe)
        self._ask(built)
        for folder in (kit, reference, vectors):
            folder.mkdir(parents=True)
        write_text(kit / "__init__.py", package.package_text(recipe, self.base))
        for name, text in package.reference_texts(self.spec, self.base).items():
            write_text(reference / name, text)
        write_text(vectors / "lock.json", Lock(self.spec, {}, {}, []).text())
        self._write_clauses(vectors)
        for section in sorted({*self._unreached, *self.new}):
            new, unreached = self.new.get(section, []), self._unreached.get(section, [])
            write_text(vectors / f"{section}.json", package.vector_text(self.spec, section, new, unreached))
        self.progress(f"asking {self.spec} every vector")
        for vector_id in regenerated(self.spec, root, vectors, self.progress):
            self._forget(vector_id)
        self.differing, self.changes, stubs = describe(self.spec, self.base, vectors)
        self.clauses |= stubs
        self._write_clauses(vectors)

    def _ask(self, built: environments.Oracle) -> None:
        """Ask the base's oracle and the release every question."""
        all_vectors = [vector for vectors in family(self.base).values() for vector in vectors]
        distinct: dict[tuple[str, str], Vector] = {}
        for vector in all_vectors:
            if vector.op.source == ORACLE:
                distinct.setdefault((vector.op.name, json.dumps(vector.input)), vector)
        questions = [(vector.op, vector.input) for vector in distinct.values()]
        self.progress(f"asking {self.base} every vector, and {self.spec}")
        command = oracle_command(self.base, self.progress)
        old = answers_of(Settings(command, self.base, _SECONDS), questions)
        new = answers_of(Settings(built.command, self.base, _SECONDS), questions)
        for vector, before, now in zip(distinct.values(), old, new, strict=False):
            self.handle_answers(vector, before, now)

    def handle_answers(self, vector: Vector, old: Answer, new: Answer) -> None:
        """Record a vector that the release can't answer, or that must be added to the spec."""
        if isinstance(new, Unsupported | Failed):
            if vector.id.startswith(f"{self.base}/"):
                self.left_out[vector.op.name] += 1
                reason = new.reason if isinstance(new, Unsupported) else new.sentence
                entry = {"id": renamed(vector.id, self.spec), "reason": reason}
                self._unreached.setdefault(vector.section, []).append(entry)
        elif not vector.id.startswith(f"{self.base}/"):
            free = vector.op.free_key_order(vector.input, old.value) if isinstance(old, Ok) else frozenset()
            if not isinstance(old, Ok | Refused) or not agree(vector.op, old, new, Level.BYTES, free):
                self._add(vector, new)

    def _add(self, vector: Vector, answer: Ok | Refused) -> None:
        """Add a vector of another spec of the document; keep its texts if the answer is the same."""
        entries = self.new.setdefault(vector.section, [])
        new_id = renamed(vector.id, self.spec)
        if any(entry["id"] == new_id for entry in entries):
            return
        rule, catches, clauses = vector.rule, vector.catches, (vector.clause, *vector.also)
        expected = expected_answer(vector)
        if not vector.op.package_only and not agree(
            vector.op, expected, answer, Level.BYTES, vector.unordered
        ):
            spec = vector.id.partition("/")[0]
            rule, catches = f"{TODO}: {spec} says: {rule}", f"{TODO}: {spec} says: {catches}"
        known = {clause.id for clause in load_clauses(self.base)}
        theirs = {clause.id: clause for clause in load_clauses(vector.id.partition("/")[0])}
        for clause in (theirs[clause_id] for clause_id in clauses if clause_id not in known):
            about = {"id": clause.id, "document": clause.document, "section": clause.section}
            held = {"statement": clause.statement, "untested": clause.untested, "from": self.release}
            self.clauses[clause.id] = {**about, **held}
        entries.append(
            canonical_vector(
                {
                    "id": new_id,
                    "op": vector.op.name,
                    "rule": rule,
                    "clause": clauses[0],
                    "also": list(clauses[1:]),
                    "flags": list(vector.flags),
                    "input": vector.input,
                    "played": vector.played,
                    "unordered": list(vector.unordered),
                    "catches": catches,
                    "since": RELEASE,
                    "provenance": self.spec,
                }
            )
        )

    def _forget(self, vector_id: str) -> None:
        """Omit a vector whose played job gives another answer in this release."""
        section = vector_id.split("/")[1]
        entries = self.new.get(section, [])
        if len(kept := [entry for entry in entries if entry["id"] != vector_id]) < len(entries):
            self.new[section] = kept
            remaining = [entry for added in self.new.values() for entry in added]
            traced = {name for entry in remaining for name in (entry["clause"], *entry.get("also", ()))}
            self.clauses = {name: clause for name, clause in self.clauses.items() if name in traced}
        else:
            self.left_out["whole jobs"] += 1

    def _write_clauses(self, folder: Path) -> None:
        if self.clauses or (folder / "clauses.json").exists():
            write_text(folder / "clauses.json", package.clauses_text(self.spec, list(self.clauses.values())))


def added_lines(adding: Adding) -> list[str]:
    """Return lines about what was written, and what to do next."""
    root = checkout_root()
    assert root is not None
    lines = [f"{adding.spec} was added as an overlay of {adding.base}:"]
    lines += [f"  {path.relative_to(root)}" for path in adding.written]
    new = [entry for entries in adding.new.values() for entry in entries]
    lines.append(f"{adding.differing} vectors have other answers, {len(new)} are new")
    lines += [f"  {change}" for change in adding.changes]
    lines += [f"  new: {entry['id']}" for entry in new]
    lines += [
        f"  omitted, as the release can't answer: {n} of {op}" for op, n in adding.left_out.items() if n
    ]
    run_it = f"harbor-conformance run --runner oracle --spec {adding.spec}"
    if not (adding.differing or new or adding.left_out.total()):
        return [*lines, f"The kit found no difference; {run_it} confirms this."]
    waiting = (
        f"{adding.todo} texts begin with {TODO} and must be written" if adding.todo else "no text is missing"
    )
    return [*lines, f'{waiting}; next: CONTRIBUTING.md, "Add a release as an overlay"']
