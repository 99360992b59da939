"""The memo of what known mistakes answer: it is as if they were asked, and an edit asks few of them again."""

import random
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import precompute
from conformance.diagnosis import precomputing
from conformance.diagnosis.diagnose import diagnose
from conformance.diagnosis.evidence import Evidence, expected_answer
from conformance.diagnosis.known_answers import (
    KnownAnswers,
    answers_of,
    folder_of,
    known_answers,
    question_digest,
)
from conformance.diagnosis.precomputing import question_of, updated_files, wrong_answers
from conformance.diagnosis.scratch import scratch
from conformance.judging.comparison import Level
from conformance.mistakes import sources
from conformance.mistakes.catalogue import all_mistakes
from conformance.mistakes.sources import keys
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Ok, Refused

HERE = sys.modules["conformance.diagnosis.known_answers"]
SMALL = "evsys"
STALE = "run harbor-conformance kit precompute"
ONE = Ok({"b": 1})
Pairs = set[tuple[str, str]]


def ask_nobody(parts: list[Any]) -> list[Any]:
    assert not parts, f"mistakes or vectors are new or have changed: {STALE}"
    return []


@pytest.mark.parametrize("spec", SPECS)
def test_the_memo_of_every_spec_is_up_to_date(spec: str) -> None:
    """No line is missing, too many, out of order or edited; what was answered, the next test asks."""
    files = updated_files(spec, ask_nobody)
    there = {path: path.read_text("ascii") for path in folder_of(spec).iterdir()}
    assert {path.name for path in files.keys() ^ there.keys()} == set()
    assert [path.name for path, text in files.items() if text != there[path]] == [], STALE


@pytest.mark.slow
def test_fifteen_lines_and_fifteen_pairs_at_random_are_what_mistakes_answer() -> None:
    """They are others in each run, and the message has them: a wrong memo is found sooner or later."""
    chance = random.Random()
    for number in range(30):
        spec = chance.choice(SPECS)
        known, kept, vectors = all_mistakes(spec), answers_of(spec), load_spec(spec)
        vector = chance.choice(vectors)
        while number < 15 and not kept[question_of(vector)]:
            vector = chance.choice(vectors)
        said = kept[question_of(vector)]
        name = chance.choice(sorted(said if number < 15 else known))
        asked = {who: text for _, who, text in wrong_answers(scratch(spec), [vector], [known[name]])}
        assert asked.get(name) == said.get(name), (vector.id, name, STALE)


class World:
    """A spec with some of its vectors and mistakes, whose answers are made up."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.vectors, self.keys = load_spec(SMALL)[:8], dict(list(keys(SMALL).items())[:6])
        self.folder, self.patch, self.asked = folder, monkeypatch, set[tuple[str, str]]()

    def write(self, without: str = "", *, folder: str, vectors: int = 8, **changed: str) -> Path:
        """The memo with some vectors, without one mistake or with others changed; what was asked is noted."""
        path = self.folder / folder
        path.mkdir(exist_ok=True)
        known = {name: key for name, key in (self.keys | changed).items() if name != without}
        for module in (HERE, precomputing):
            self.patch.setattr(module, "folder_of", lambda spec: path)
            self.patch.setattr(module, "keys", lambda spec: known)
        some = self.vectors[:vectors]
        self.patch.setattr(precomputing, "load_spec", lambda spec: some)
        self.asked = set()
        for file, text in updated_files(
            SMALL, lambda parts: [self.answer(some, part) for part in parts]
        ).items():
            file.write_text(text, encoding="ascii")
        return path

    def answer(self, vectors: list[Any], part: Any) -> Iterable[tuple[str, str, str]]:
        for name in part[0]:
            for at in part[1]:
                self.asked.add((question_of(vectors[at]), name))
                if (len(name) + at) % 3 == 0:
                    yield question_of(vectors[at]), name, f"/a\\u0000b {at % 3 + 1} 0{at}\t 2 ff"

    def pairs(self, names: Iterable[str] | None = None, vectors: slice = slice(8)) -> Pairs:
        return {(question_of(one), name) for one in self.vectors[vectors] for name in names or self.keys}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, monkeypatch)


def lines(path: Path) -> dict[str, list[str]]:
    return {file.name: file.read_text("ascii").splitlines() for file in sorted(path.iterdir())}


def test_what_is_new_or_has_changed_is_asked_and_nothing_else(world: World) -> None:
    world.write(folder="one")
    assert world.asked == world.pairs()
    before = lines(world.folder / "one")
    world.write(folder="one")
    assert not world.asked
    assert lines(world.folder / "one") == before
    name = list(world.keys)[2]
    world.write(folder="one", **{name: "another"})
    assert world.asked == world.pairs([name])
    world.write(folder="one", **{name: "another"}, vectors=7)
    assert not world.asked
    world.write(folder="one", **{name: "another"})
    assert world.asked == world.pairs(vectors=slice(7, 8))
    world.write(name, folder="one")
    assert not any(
        line.split("\t")[:2].count(name) for one in lines(world.folder / "one").values() for line in one
    )


@pytest.mark.parametrize("file", ["mistakes.txt", "evsys.compute.txt"])
def test_after_a_merge_or_an_edit_nothing_is_known_until_all_is_asked_again(world: World, file: str) -> None:
    """One branch adds a vector, the other a mistake: that pair, never asked, is not taken for right."""
    whole = world.write(folder="whole")
    written = answers(whole)
    ours, theirs = (whole / file).read_text("ascii"), (world.write(folder="theirs", vectors=7) / file)
    theirs.write_text(
        "".join(
            sorted(
                {
                    *ours.splitlines(keepends=True),
                    *theirs.read_text("ascii").splitlines(keepends=True),
                    "0\t1\n",
                }
            )
        ),
        "ascii",
    )
    assert known_answers.__wrapped__(SMALL) == KnownAnswers({}, frozenset(world.keys))
    assert answers(world.write(folder="theirs")) == written
    assert world.asked == world.pairs()


def answers(path: Path) -> list[str]:
    """The lines of wrong answers."""
    return [line for one in lines(path).values() for line in one if "\t/" in line]


def test_a_row_has_the_mistakes_that_answer_alike(world: World) -> None:
    path = world.write(folder="one")
    rows = known_answers.__wrapped__(SMALL).rows
    for at, vector in enumerate(world.vectors):
        due = [name for name in world.keys if (len(name) + at) % 3 == 0]
        places = {"/a\0b": (Level(at % 3 + 1), f"0{at}"), "": (Level(2), "ff")}
        assert rows[question_of(vector)] == ([(places, tuple(sorted(due)))] if due else [])
    for file in path.iterdir():
        file.unlink()
    assert known_answers.__wrapped__(SMALL) == KnownAnswers({}, frozenset(world.keys))


def test_a_difference_keeps_what_its_base_does_not() -> None:
    own = (folder_of("harbor-0.25.0") / "evals_key.txt").read_text("ascii").splitlines()
    assert {line.split("\t")[1] for line in own} == {"~"}
    base, rows = known_answers(DEFAULT_SPEC).rows, known_answers("harbor-0.25.0").rows
    assert any(base[line.split("\t")[0]] == rows[line.split("\t")[0]] != [] for line in own)


def test_the_diagnosis_asks_a_mistake_that_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    mistakes, copy = all_mistakes(DEFAULT_SPEC), scratch(DEFAULT_SPEC)
    vectors = [one for one in load_spec(DEFAULT_SPEC) if one.op.name == "plan_trials"]
    copy.make(mistakes["agents-outermost"])
    answers = ((one, copy.answer(one.op.name, one.input), expected_answer(one)) for one in vectors)
    evidence = [
        Evidence(one.id, one.op, one.input, due, None if right else answer, one.unordered, right)
        for one, answer, due in answers
        for right in [repr(answer) == repr(due)]
    ]
    rows = {key: [] for key in known_answers(DEFAULT_SPEC).rows}
    for name in ("case", "search"):
        module = sys.modules[f"conformance.diagnosis.{name}"]
        monkeypatch.setattr(
            module, "known_answers", lambda spec: KnownAnswers(rows, frozenset({"agents-outermost"}))
        )
    assert [one.names for one in diagnose(evidence, Level.BYTES).explanations] == ["agents-outermost"]


def test_a_question_is_all_that_decides_what_is_wrong() -> None:
    def asked(op: str = "a", given: object = 1, due: Ok | Refused = ONE, free: tuple[str, ...] = ()) -> str:
        return question_digest(op, given, due, frozenset(free))

    others = [asked("b"), asked(given=1.0), asked(given={"a": 1, "b": 2}), asked(given={"b": 2, "a": 1})]
    others += [asked(due=Ok({"b": 1.0})), asked(due=Refused("E", None)), asked(due=Refused("E", "c"))]
    others += [asked(free=("/x",))]
    assert len({asked(), *others}) == len(others) + 1
    assert asked(due=Refused("E", None, "one message")) == asked(due=Refused("E", None, "another"))


@pytest.mark.slow
def test_the_command_asks_what_is_missing(
    cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = folder_of(SMALL)
    for module in (HERE, precomputing, precompute):
        monkeypatch.setattr(module, "folder_of", lambda spec: tmp_path / "memo")
    (tmp_path / "memo").mkdir()
    for name, text in lines(real).items():
        kept = [line for line in text if not line.startswith(("0", "evsys-naive-sum")) or "\t" not in line]
        (tmp_path / "memo" / name).write_text("".join(f"{line}\n" for line in kept), encoding="ascii")
    done = cli("kit", "precompute", "--spec", SMALL, "--check")
    assert (done.returncode, done.stdout) == (1, "evsys: 3 of 4 files would change\n")
    assert done.stderr == "outdated: evsys; run harbor-conformance kit precompute\n"
    assert cli("kit", "precompute", "--spec", SMALL).stdout == "evsys: 3 of 4 files written\n"
    assert answers(tmp_path / "memo") == answers(real)
    for options in (["--check"], ["--check", "--all"]):
        done = cli("kit", "precompute", "--spec", SMALL, *options)
        assert (done.returncode, done.stdout) == (0, "evsys: 0 of 4 files would change\n")


def test_the_key_of_a_mistake_is_of_what_it_is_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = sources.REFERENCE.parent
    for folder in ("conformance/specs", "conformance/mistakes", "reference_impl"):
        shutil.copytree(root / folder, tmp_path / folder)

    def keys_now() -> dict[str, str]:
        sources._module.cache_clear()
        sources._key.cache_clear()
        return keys(DEFAULT_SPEC)

    now = keys_now()
    monkeypatch.setattr(sources, "REFERENCE", tmp_path / "reference_impl")

    def changed(path: str, old: str, new: str) -> set[str]:
        """The mistakes with another key if a file had ``new`` in place of ``old``."""
        file = tmp_path / path
        text = file.read_text("utf-8")
        assert old in text
        file.write_text(text.replace(old, new), "utf-8")
        then = keys_now()
        file.write_text(text, "utf-8")
        return {name for name in now if now[name] != then[name]}

    own, module = (
        "conformance/specs/harbor/job_result/mistakes/text.py",
        "def rust_ties(number: float) -> str:\n",
    )
    of_module = changed(own, module, f"{module}    assert number\n")
    assert {"rust-ties", "java-numbers", "naive-sum"} & of_module == {"rust-ties", "java-numbers"}
    assert changed(own, module, f"{module}    # why\n\n\n") == set()
    assert changed(own, "If two shortest spellings of a float are equally near", "Another docstring") == set()
    shared = changed(
        "conformance/mistakes/other_numbers.py", "def naive_sum(values: Iterable[Number])", "def naive_sum(v)"
    )
    assert {"naive-sum", "errors-before-numbers"} & shared == {"naive-sum"}
    of_reference = changed("reference_impl/aggregation.py", "def mean(", "def mean(more: int, ")
    assert {"mean-floors", "errors-before-numbers"} & of_reference == {"mean-floors"}
    monkeypatch.undo()
    keys_now()
