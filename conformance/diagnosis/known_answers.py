"""The memo: every known mistake's answers to every vector, computed once and stored next to the code.

Asking a thousand mistakes for their answers to thousands of vectors takes minutes; a diagnosis has a second.
So ``harbor-conformance kit precompute`` asks them and stores a line for each wrong answer: the question, the
mistake, and the departures (path, level and mark, see ``departures``). A mistake has a key
(``mistakes.sources``), and a question is a digest of a request; one that the memo lacks is asked when it is
needed. A known mistake without a line for a known question answers it correctly. This is only valid for files
that were written together: after a merge or an edit their digest differs, and the memo counts as empty until
``kit precompute`` has run again.
"""

import functools
import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.judging.comparison import Level
from conformance.mistakes.sources import keys
from conformance.registry.ops import SPEC_TABLE
from conformance.wire.messages import Ok, Refused

__all__ = ["KnownAnswers", "answers_of", "digest_of", "folder_of", "known_answers", "question_digest", "read"]

Row = list[tuple[dict[str, tuple[Level, str]], tuple[str, ...]]]
"""The wrong answers to one vector: the departures of each by path, and the mistakes that give it."""

DIGEST, MISTAKES = "digest.txt", "mistakes.txt"
ASKED, AS_BASE = "=", "~"
"""Written in place of a mistake: the question was asked, or its answers are those of the spec's base."""
_LEVELS = {str(int(level)): level for level in Level}


@dataclass(frozen=True)
class KnownAnswers:
    """The answers of a spec's known mistakes to its vectors."""

    rows: Mapping[str, Row]
    """The rows by ``question_digest``."""
    unknown: frozenset[str] = frozenset()
    """Mistakes that are new or have changed since they were asked; they are in no row."""


@dataclass
class Memo:
    """The lines about a spec."""

    mistakes: dict[str, str] = field(default_factory=dict)
    """The key of each mistake."""
    questions: dict[str, str] = field(default_factory=dict)
    """``ASKED`` or ``AS_BASE`` by question."""
    answers: dict[str, dict[str, str]] = field(default_factory=dict)
    """The departures by question and mistake, as text."""


def question_digest(op: str, input_: Any, expected: Ok | Refused, unordered: frozenset[str]) -> str:
    """A digest of everything that determines which answers are wrong."""
    expected_parts = (
        ["ok", expected.value] if isinstance(expected, Ok) else ["error", expected.type, expected.reason_code]
    )
    try:
        text = json.dumps([op, input_, expected_parts, sorted(unordered)], separators=(",", ":"))
    except (ValueError, RecursionError):  # an int of any length; no vector has one
        text = f"{op} {id(input_)}"
    return hashlib.blake2b(text.encode("ascii"), digest_size=8).hexdigest()


def folder_of(spec: str) -> Path:
    """The folder of a spec's memo: a file for its mistakes, and one for the questions of each op."""
    return Path(__file__).with_name("known_answers") / spec


def digest_of(files: Mapping[str, str]) -> str:
    """The digest of a memo's files, given by name."""
    text = "".join(f"{name}\n{files[name]}" for name in sorted(files))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def read(folder: Path) -> Memo:
    """The memo in a folder; empty if its files were not written together."""
    files = {path.name: path.read_text("utf-8") for path in folder.glob("*.txt")}
    memo = Memo()
    if files.pop(DIGEST, "").strip() != digest_of(files):
        return memo
    for file, text in files.items():
        for line in filter(None, text.split("\n")):
            first, second, *places = line.split("\t", 2)
            if file == MISTAKES:
                memo.mistakes[first] = second
            elif places:
                memo.answers.setdefault(first, {})[second] = places[0]
            else:
                memo.questions[first] = second
    return memo


def answers_of(spec: str, memo: Memo | None = None) -> dict[str, dict[str, str]]:
    """The departures by question and mistake, including those that are in the memo of the base."""
    memo, base = memo or read(folder_of(spec)), SPEC_TABLE[spec].base
    of_base = answers_of(base) if base is not None else {}
    stored = {ASKED: memo.answers, AS_BASE: of_base}
    known = {key: origin for key, origin in memo.questions.items() if origin == ASKED or key in of_base}
    return {key: stored[origin].get(key, {}) for key, origin in known.items()}


@functools.cache
def known_answers(spec: str) -> KnownAnswers:
    """The stored answers of a spec's mistakes, as far as they are current."""
    memo, known = read(folder_of(spec)), keys(spec)
    same = {name for name, key in known.items() if memo.mistakes.get(name) == key}
    return KnownAnswers(_Rows(answers_of(spec, memo), same), frozenset(known.keys() - same))


class _Rows(Mapping[str, Row]):
    """The rows of a memo, each built from its lines on access."""

    def __init__(self, answers: Mapping[str, Mapping[str, str]], mistakes: Collection[str]) -> None:
        self._answers = answers
        self._mistakes = mistakes

    def __getitem__(self, key: str) -> Row:
        return _row(self._answers[key], self._mistakes)

    def __iter__(self) -> Iterator[str]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)


def _row(answers: Mapping[str, str], mistakes: Collection[str]) -> Row:
    alike: dict[str, list[str]] = {}
    for name, text in answers.items():
        if name in mistakes:
            alike.setdefault(text, []).append(name)
    return [(dict(_places(text)), tuple(names)) for text, names in alike.items()]


def _places(text: str) -> Iterator[tuple[str, tuple[Level, str]]]:
    for entry in text.split("\t"):
        path, level, mark = entry.rsplit(" ", 2)
        yield json.loads(f'"{path}"') if "\\" in path else path, (_LEVELS[level], mark)
