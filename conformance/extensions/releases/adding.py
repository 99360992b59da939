"""``spec add``: a release's environment locked and built, its differences asked, an overlay written of them.

What only a person can say is left as words that begin with TODO, which the kit's tests refuse.
"""

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.extensions.releases import package
from conformance.extensions.releases.changes import what_changed
from conformance.extensions.releases.locking import compiled_lock
from conformance.extensions.releases.package import TODO
from conformance.extensions.releases.questions import Question
from conformance.extensions.releases.regenerating import regenerated
from conformance.extensions.releases.report import SCHEMA
from conformance.extensions.releases.sides import Side
from conformance.oracle import environments, integrity
from conformance.oracle.python import run
from conformance.paths import checkout_root
from conformance.registry.op import ORACLE
from conformance.registry.ops import SPEC_TABLE, SPECS, op_of, ops_of
from conformance.registry.spec import Recipe
from conformance.runner.conversation import Settings
from conformance.suite.canonical import canonical_vector
from conformance.suite.schemas import first_fault
from conformance.suite.vectors import Vector, load_spec
from conformance.version import RELEASE
from conformance.wire import messages
from conformance.wire.messages import Answer, Failed, Ok, Refused, Unsupported
from conformance.wire.writing import dumps, write_text

__all__ = ["Adding", "AddingError", "added_lines", "read_diff"]

_COMPILE_SECONDS = 900.0
_LONGEST = 64 << 20


class AddingError(Exception):
    """A spec that can't be added; the message is one sentence."""


def read_diff(path: Path, release: str) -> dict[str, Any]:
    """A report of ``spec diff`` whose new side is this release.

    Raises:
        AddingError: it is none.
    """
    try:
        with path.open("rb") as file:
            document = messages.strict_json(file.read(_LONGEST))
    except (OSError, messages.BadReplyError) as error:
        raise AddingError(f"{path} can't be read as a report of spec diff: {error}") from None
    if (
        not isinstance(document, dict)
        or document.get("schema") != SCHEMA
        or first_fault("spec-diff", document)
    ):
        raise AddingError(f"{path} is no report of spec diff --json")
    if document["new"]["version"] != release:
        found = document["new"]["version"]
        raise AddingError(f"{path} tells of the way to {found}, not to {release}")
    return document


@dataclass(slots=True)
class Adding:
    """A spec in the making."""

    release: str
    base: str
    found: dict[str, Any] | None
    """The report of ``spec diff`` to take new vectors from, if there is one."""
    progress: Callable[[str], None]
    written: list[Path] = field(default_factory=list)
    """What stands in the checkout now."""
    differing: int = 0
    new: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    """The vectors that the release could not be asked, by op."""
    changes: list[str] = field(default_factory=list)
    """What changed, each in a clause."""

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
    def _root(self) -> Path:
        root = checkout_root()
        if root is None:
            raise AddingError("spec add writes into a checkout of the kit: run it from one, not from a wheel")
        return root

    def run(self) -> None:
        """Writes the overlay; what stands half done when something fails is removed again.

        Raises:
            AddingError: there is no checkout, or the spec, or a part of it, is there already.
            OracleError: the release can't be locked, built or asked.
        """
        root, base = self._root, self._base_recipe
        recipe = Recipe(base.package, self.release, self.spec, base.adapter, (), base.python_version)
        places = package.places(root, self.spec, recipe)
        taken = [place for place in places if place.exists()]
        if self.spec in SPECS or taken:
            where = f": {taken[0].relative_to(root)} exists" if taken else ""
            raise AddingError(f"{self.spec} is there already and is not overwritten{where}")
        try:
            self._write(recipe, root)
        except BaseException:
            for place in places:
                if place.is_dir():
                    shutil.rmtree(place, ignore_errors=True)
                else:
                    place.unlink(missing_ok=True)
            raise
        self.written = [place for place in places if place.exists()]

    def _write(self, recipe: Recipe, root: Path) -> None:
        write_text(recipe.lock, compiled_lock(recipe.package, self.release, self._base_recipe, self.progress))
        built = environments.ensure(self.progress, recipe=recipe)
        write_text(recipe.digests, dumps(integrity.digests(built.folder)))
        self._compile(built)
        self.progress(f"asking {recipe.name} which vectors it can answer")
        unreached, otherwise = self._asked(built)
        named = ("kit", "reference", "vectors")
        folders = dict(zip(named, package.places(root, self.spec, recipe), strict=False))
        for folder in folders.values():
            folder.mkdir(parents=True)
        write_text(folders["kit"] / "__init__.py", package.package_text(recipe, self.base, otherwise))
        for name, text in package.reference_texts(self.spec, self.base).items():
            write_text(folders["reference"] / name, text)
        write_text(folders["vectors"] / "lock.json", package.lock_text(self.spec))
        new = self._new_vectors()
        self.new = sum(map(len, new.values()))
        for section in sorted({*unreached, *new}):
            text = package.vector_text(self.spec, section, new.get(section, []), unreached.get(section, []))
            write_text(folders["vectors"] / f"{section}.json", text)
        self.progress(f"asking {self.spec} every vector")
        self.left_out["whole jobs"] += len(regenerated(self.spec, root, folders["vectors"], self.progress))
        self._describe(folders["vectors"])

    def _compile(self, built: environments.Oracle) -> None:
        """Compiles all that harbor may load late, or a played job waits for it beyond its time."""
        self.progress(f"compiling the packages of {built.recipe.name}")
        words = (str(built.python), "-m", "compileall", "-q", "-j", "0", str(built.folder / "lib"))
        run(("env", "-u", "PYTHONPYCACHEPREFIX", *words), _COMPILE_SECONDS, "compileall")

    def _asked(self, built: environments.Oracle) -> tuple[dict[str, list[dict[str, str]]], frozenset[str]]:
        """The vectors that it can't answer, by section; the checks that it answers otherwise."""
        side = Side(built.recipe.name, Settings(built.command, self.base))
        left_out: dict[str, list[dict[str, str]]] = {}
        otherwise = set()
        try:
            side.start()
            vectors = [vector for vector in load_spec(self.base) if vector.op.source == ORACLE]
            asked = [
                Question(number, vector.op.oracle_op or vector.op.name, vector.op, vector.input, vector)
                for number, vector in enumerate(vectors, 1)
            ]
            for question, answer in _answers(side, asked):
                if isinstance(answer, Unsupported):
                    assert question.vector is not None
                    self.left_out[question.op.name] += 1
                    entry = {"id": self._own(question.vector.id), "reason": answer.reason}
                    left_out.setdefault(question.vector.section, []).append(entry)
            checks = [
                Question(number, op, op_of(self.base, op), given)
                for number, (op, given, _) in enumerate(self._base_recipe.checks, 1)
            ]
            due = [expected for _, _, expected in self._base_recipe.checks]
            for (question, answer), expected in zip(_answers(side, checks), due, strict=True):
                if not (isinstance(answer, Ok) and json.dumps(answer.value) == json.dumps(expected)):
                    otherwise.add(question.name)
        finally:
            side.stop()
        return left_out, frozenset(otherwise)

    def _own(self, vector_id: str) -> str:
        return f"{self.spec}/{vector_id.partition('/')[2]}"

    def _new_vectors(self) -> dict[str, list[dict[str, Any]]]:
        """A vector for each change that no vector shows, from the report of ``spec diff``."""
        made: dict[str, list[dict[str, Any]]] = {}
        ops = {op.name: op for op in ops_of(self.base)}
        for number, change in enumerate(self.found["changes"] if self.found else [], 1):
            op = ops.get(change["op"])
            given = next((one["input"] for one in change["examples"] if one["input"] is not None), None)
            if change["vectors"] or op is None or op.source != ORACLE or given is None:
                continue
            section = op.section
            made.setdefault(section, []).append(
                {
                    "id": f"{self.spec}/{section}/todo-{number}",
                    "op": op.name,
                    "rule": f"{TODO}: say what must be done here ({change['what']}).",
                    "clause": change["clauses"][0]["id"],
                    "flags": [],
                    "input": given,
                    "catches": f"{TODO}: say who gets it wrong.",
                    "since": RELEASE,
                    "provenance": f"{self.spec}",
                }
            )
        return made

    def _describe(self, folder: Path) -> None:
        """Leaves words for a person with all that differs, a clause for each change."""
        known = {self._own(vector.id): vector for vector in load_spec(self.base)}
        stubs: dict[tuple[str, str], str] = {}
        likely: dict[str, Counter[str]] = {}
        sections: dict[str, str] = {}
        for path in sorted(folder.glob("*.json")):
            document = json.loads(path.read_text(encoding="utf-8"))
            for entry in document.get("differs", ()):
                vector = known[entry["id"]]
                op, what = vector.op.name, _change(vector, entry["expected"])
                clause = stubs.setdefault((op, what), f"{TODO}-{len(stubs) + 1}")
                likely.setdefault(clause, Counter())[vector.clause] += 1
                sections.setdefault(clause, _section(vector.clause))
                entry["rule"] = f"{TODO}: {what}, where {self.base} says: {vector.rule}"
                entry["clause"] = clause
                self.differing += 1
            if document.get("differs"):
                document["differs"] = [canonical_vector(entry) for entry in document["differs"]]
                write_text(path, dumps(document))
        self.changes = [
            f"{op}: {what} ({likely[clause].total()} vector{'s' * (likely[clause].total() != 1)})"
            for (op, what), clause in stubs.items()
        ]
        if stubs:
            named = {
                clause: (
                    sections[clause],
                    f"{TODO}: {op}: {what}; likely in the place of {_most(likely[clause])}.",
                )
                for (op, what), clause in stubs.items()
            }
            text = package.clauses_text(self.spec, named, SPEC_TABLE[self.base].document)
            write_text(folder / "clauses.json", text)


def _answers(side: Side, asked: list[Question]) -> list[tuple[Question, Answer]]:
    for question in asked:
        side.submit(question, question.input)
    return [(question, side.next_answer()) for question in asked]


def _answer(expected: dict[str, Any]) -> Answer:
    if "ok" in expected:
        return Ok(expected["ok"])
    return Refused(expected["error"]["type"], expected["error"]["reason_code"])


def _change(vector: Vector, expected: dict[str, Any]) -> str:
    """What changed in a vector's answer, in a clause."""
    before: Answer = _answer(vector.expected) if vector.expected else Failed("none", "no answer")
    question = Question(1, vector.op.name, vector.op, vector.input, vector)
    found = what_changed(question, vector.input, before, _answer(expected))
    return found[1] if found else "the same at every level"


def _section(clause: str) -> str:
    """The document's section that a clause names, such as ``1.2`` of ``003-1.2-underscores``."""
    found = re.match(r"[0-9]{3}-([0-9]+(?:\.[0-9]+)*)-", clause)
    return found[1] if found else "general"


def _most(clauses: Counter[str]) -> str:
    names = [name for name, _ in clauses.most_common(3)]
    more = len(clauses) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


def added_lines(adding: Adding) -> list[str]:
    """What was written, and what a person has to do next."""
    root = checkout_root()
    assert root is not None
    lines = [f"{adding.spec} is there, as a difference to {adding.base}:"]
    lines += [f"  {place.relative_to(root)}" for place in adding.written]
    lines.append(f"{adding.differing} vectors are answered otherwise, {adding.new} are new")
    lines += [f"  {change}" for change in adding.changes]
    lines += [
        f"  left out, as it could not be asked: {n} of {op}" for op, n in sorted(adding.left_out.items())
    ]
    run_it = f"harbor-conformance run --runner oracle --spec {adding.spec}"
    if not (adding.differing or adding.new or adding.left_out.total()):
        return [*lines, f"Nothing differs, and nothing is left to do; {run_it} shows it."]
    package_name = package.module_name(adding.spec)
    steps = [
        f"read the sources of the release and write the clauses: vectors/{adding.spec}/clauses.json "
        f'(replace every {TODO}; name what a clause takes the place of in "replaces", and say "until" of '
        f"the base's clause that ended)",
        f"give each difference its rule and clause: every {TODO} in vectors/{adding.spec}/",
        f"change the reference: modules in reference_impl/{package_name}/, named in its operations.py",
        f"check: {run_it}, the same with --runner reference, "
        f"and harbor-conformance kit regen --check --spec {adding.spec}",
    ]
    return [*lines, "What is left to do:", *(f"  {number}. {step}" for number, step in enumerate(steps, 1))]
