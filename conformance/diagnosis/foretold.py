"""What every known mistake answers to every vector, worked out once and kept next to the code.

To ask a thousand mistakes for their answers to thousands of vectors takes minutes; a diagnosis has a second.
So ``harbor-conformance kit foretell`` asks them and keeps a line for each wrong answer: the question, the
mistake, and where the answer departs (path, level and mark, see ``deviation``). It keeps what these hang on,
too: a key for each mistake (``mistakes.sources``), and the question as a digest. What does not fit any more,
or was never asked, is asked when it is needed. The lines are sorted and speak of no others, so that branches
merge.

A pair without a line was answered correctly if it was asked, which it was not where one branch added the
question and another the mistake. So each says in which batch it was asked, and each batch which it knew.
A batch also names what had left those that it knew: it did not ask a mistake, or a question, that was gone
then, and a merge or a revert can bring back.
"""

import functools
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.judging.comparison import Level
from conformance.mistakes.sources import keys
from conformance.registry.ops import SPEC_TABLE
from conformance.wire.messages import Ok, Refused

__all__ = ["Foretold", "Memo", "Row", "answers_of", "folder_of", "foretold", "question", "read"]

Row = list[tuple[dict[str, tuple[Level, str]], tuple[str, ...]]]
"""The wrong answers to one vector: each one's departures, by path, and the mistakes that give it."""

MISTAKES = "mistakes.txt"
ASKED, AS_BASE = "=", "~"
"""In a mistake's place: the question was asked; or its answers are as in the memo of the spec's base."""
_LEVELS = {str(int(level)): level for level in Level}


@dataclass(frozen=True)
class Foretold:
    """What the mistakes of a spec answer to its vectors."""

    rows: Mapping[str, Row]
    """By ``question``."""
    unknown: frozenset[str] = frozenset()
    """Mistakes that are new, or made differently from when they were asked: no row has them."""


@dataclass
class Memo:
    """The lines about a spec; what two lines say differently is left out."""

    batches: dict[str, frozenset[str]] = field(default_factory=dict)
    """By batch: itself and those that it knew."""
    gone: set[tuple[str, str, str]] = field(default_factory=set)
    """A batch, and what it did not ask though it knew its batch: a mistake or question, and that batch."""
    mistakes: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By mistake: its key and its batch."""
    questions: dict[str, tuple[str, str]] = field(default_factory=dict)
    """By question: ``ASKED`` or ``AS_BASE``, and its batch."""
    answers: dict[str, dict[str, str]] = field(default_factory=dict)
    """By question and mistake: where the answer departs, as it is written."""

    def keep(self, known: Mapping[str, str]) -> None:
        """Leaves out mistakes that have another key, and what some of the others did not meet."""
        gone = {(name, batch) for _, name, batch in self.gone}
        self.mistakes = {
            name: one
            for name, one in self.mistakes.items()
            if known.get(name) == one[0] and (name, one[1]) not in gone
        }
        self.questions = {key: one for key, one in self.questions.items() if (key, one[1]) not in gone}
        batches = {batch for _, batch in self.mistakes.values()}
        whole = {one for one in self.batches if all(self._met(one, other) for other in batches)}
        self.questions = {key: one for key, one in self.questions.items() if one[1] in whole}

    def _met(self, one: str, other: str) -> bool:
        return one in self.batches.get(other, ()) or other in self.batches.get(one, ())


def question(op: str, given: Any, expected: Ok | Refused, unordered: frozenset[str]) -> str:
    """A digest of all that decides which answers are wrong."""
    due = (
        ["ok", expected.value] if isinstance(expected, Ok) else ["error", expected.type, expected.reason_code]
    )
    try:
        text = json.dumps([op, given, due, sorted(unordered)], separators=(",", ":"))
    except (ValueError, RecursionError):  # an int of any length; no vector has one
        text = f"{op} {id(given)}"
    return hashlib.blake2b(text.encode("ascii"), digest_size=8).hexdigest()


def folder_of(spec: str) -> Path:
    """Where the memo of a spec lies: a file for its mistakes, and one for the questions of each op."""
    return Path(__file__).with_name("foretold") / spec


def read(folder: Path) -> Memo:
    """The memo in a folder, whatever order, repetitions and marks of a conflict a merge has left."""
    memo = Memo()
    twice: set[str] = set()
    answers: dict[str, dict[str, str]] = defaultdict(dict)
    for path in sorted(folder.glob("*.txt")):
        told: dict[str, Any] = memo.mistakes if path.name == MISTAKES else memo.questions
        for line in path.read_text("utf-8").split("\n"):
            first, *rest = line.split("\t", 2)
            if not rest:
                continue
            if told is memo.questions and rest[0] not in (ASKED, AS_BASE):
                if answers[first].setdefault(*rest) != rest[1]:
                    twice.add(first)
            elif told is memo.mistakes and first.startswith(ASKED):
                memo.batches[first[1:]] = frozenset((first[1:], *rest[0].split()))
                for name, _, batch in (one.partition("@") for part in rest[1:] for one in part.split()):
                    memo.gone.add((first[1:], name, batch))
            elif told.setdefault(first, (*rest,)) != (*rest,):
                twice.add(first)
    memo.answers = dict(answers)
    for one in twice:
        memo.mistakes.pop(one, None)
        memo.questions.pop(one, None)
    return memo


def answers_of(spec: str, memo: Memo | None = None) -> dict[str, dict[str, str]]:
    """By question and mistake where an answer departs, those included that are as in the memo of the base."""
    memo, base = memo or read(folder_of(spec)), SPEC_TABLE[spec].base
    of_base = answers_of(base) if base is not None else {}
    found = {ASKED: memo.answers, AS_BASE: of_base}
    known = {key: how for key, (how, _) in memo.questions.items() if how == ASKED or key in of_base}
    return {key: found[how].get(key, {}) for key, how in known.items()}


@functools.cache
def foretold(spec: str) -> Foretold:
    """What is known of the mistakes of a spec as they are now."""
    memo, known = read(folder_of(spec)), keys(spec)
    memo.keep(known)
    return Foretold(_Rows(answers_of(spec, memo), memo), frozenset(known.keys() - memo.mistakes.keys()))


class _Rows(Mapping[str, Row]):
    """The rows of a memo, each made of its lines when it is looked at."""

    def __init__(self, answers: Mapping[str, Mapping[str, str]], memo: Memo) -> None:
        self._answers = answers
        self._mistakes = memo.mistakes.keys()

    def __getitem__(self, key: str) -> Row:
        return _row(self._answers[key], self._mistakes)

    def __iter__(self) -> Iterator[str]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)


def _row(answers: Mapping[str, str], mistakes: Iterable[str]) -> Row:
    alike: dict[str, list[str]] = {}
    for name, text in answers.items():
        if name in mistakes:
            alike.setdefault(text, []).append(name)
    return [(dict(_places(text)), tuple(names)) for text, names in alike.items()]


def _places(text: str) -> Iterator[tuple[str, tuple[Level, str]]]:
    for place in text.split("\t"):
        path, level, mark = place.rsplit(" ", 2)
        yield json.loads(f'"{path}"') if "\\" in path else path, (_LEVELS[level], mark)
