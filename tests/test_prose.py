"""Prose in plain English: no words that betray a translation, no line that an editor has to scroll."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.test_documents import ROOT, TEXTS

PLAIN = {
    r"told|tells?|telling": "says, reports, shows, distinguishes",
    r"(?<!as it )stands?(?! for\b| in for\b|-in)": "is, is listed, comes",
    r"beside": "next to, with, besides",
    r"shall": "must",
    r"mend(s|ed|ing)?": "fix",
    r"anew": "again",
    r"in the place of": "in place of",
    r"comes? of": "follows",
    r"(is|are|was|were) (due|said)": "is expected; is reported",
    r"foretold": "predicted",
    r"who(so)?ever": "anyone who",
}
"""Words of a translator, with those of a colleague."""
WORDS = re.compile(rf"(?<![\w/`.-])({'|'.join(PLAIN)})(?![\w/`-])", re.IGNORECASE)
PROSE = ("rule", "catches", "statement", "reason", "why")
"""The members of a spec's files that people read."""


def sentences(value: Any, name: str = "") -> Iterator[str]:
    """The prose in a file of a spec, wherever it is."""
    if isinstance(value, str) and name in PROSE:
        yield value
    for key, each in value.items() if isinstance(value, dict) else ():
        if key not in ("input", "expected", "answers"):
            yield from sentences(each, key)
    for each in value if isinstance(value, list) else ():
        yield from sentences(each, name)


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The numbered lines of a document that are no code; code within them is left out."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        code ^= line.lstrip().startswith("```")
        if not code:
            yield number, re.sub(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->", "", line)


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_document_is_in_plain_words(name: str) -> None:
    found = [
        f"{name}:{number}: {m[0]}: {line}"
        for number, line in prose(TEXTS[name])
        for m in WORDS.finditer(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    "path", sorted((ROOT / "vectors").glob("*/*.json")), ids=lambda path: str(path.relative_to(ROOT))
)
def test_the_rules_of_vectors_are_in_plain_words(path: Path) -> None:
    read = sentences(json.loads(path.read_text(encoding="utf-8"))) if path.name != "lock.json" else ()
    assert [f"{m[0]}: {each}" for each in read for m in WORDS.finditer(each)] == []


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_prose_is_wrapped(name: str) -> None:
    """A table's row and code that is longer by itself are one line."""
    code, long = False, []
    for number, line in enumerate(TEXTS[name].splitlines(), 1):
        code ^= line.lstrip().startswith("```")
        words = re.sub(r"`[^`]*`", "``", line)
        if not code and len(line) > 100 and len(words) > 40 and not line.lstrip().startswith("|"):
            long.append(f"{name}:{number}")
    assert long == []
