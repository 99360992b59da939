"""What is done the quick way gives what the slow way gives: records, statistics, text."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.check.job.statistics import QuickStatistics
from conformance.check.job.tree_text import tree_text
from conformance.check.trials import shapes
from conformance.check.trials.known_texts import KnownTexts
from conformance.check.trials.shapes import RecordShape, quick
from reference_impl import AgentResult, Job, JobStatistics, PydanticSerializationError, Trial, VerifierResult
from reference_impl.json_text import JsonObject, JsonTree, json_text
from tools.jobs.kept import kept

# Records whose configuration is known

RELEASES = ("0.1.2", "0.1.13", "0.4.0", "0.6.0", "0.21.0", "0.23.0", "0.25.0")
"""One for each generation of records."""
EDITS = 200
SPELLINGS = ("1", "1.0", "01", "1e0", "-0", "-0.0", "0.10", "1E5", "null", "true", '"1"', "NaN", "1.5", "{}")
MOMENTS = (
    "2024-02-30T00:00:00Z",
    "2024-02-29T24:00:00Z",
    "2024-02-29T00:00:00.5Z",
    "2024-02-29T00:00:00.000000Z",
)
CHARACTERS = (*b'"\\{}[],: \n\r\t\x00\x7f0.e-', 0xC3)


def records(release: str) -> Iterator[list[bytes]]:
    """Of each job that a release wrote."""
    for job in kept(release).values():
        texts = [text for path, text in sorted(job["files"].items()) if path.endswith("/result.json")]
        yield [text.encode() for text in texts]


def edited(content: bytes, chance: random.Random) -> bytes:
    """The content with a small change, that may mean nothing, something else, or the end of the record."""
    at, other = chance.randrange(len(content)), chance.randrange(len(content))
    kind = chance.randrange(6)
    if kind == 0:
        return content[:at] + bytes([chance.choice(CHARACTERS)]) + content[at + 1 :]
    if kind == 1:
        return content[:at] + bytes([chance.choice(CHARACTERS)]) + content[at:]
    if kind == 2:
        return content[:at] + content[at + chance.randrange(1, 4) :]
    lines = content.splitlines(keepends=True)
    if kind == 3:  # a member twice, or elsewhere
        line = chance.choice(lines)
        lines.insert(chance.randrange(len(lines)), line)
        return b"".join(lines)
    if kind == 4:
        at, other = at % len(lines), other % len(lines)
        lines[at], lines[other] = lines[other], lines[at]
        return b"".join(lines)
    spelling = chance.choice((*SPELLINGS, *(f'"{moment}"' for moment in MOMENTS))).encode()
    values = [found.span(1) for found in re.finditer(rb'": ([^\n{\[]*?),?\n', content)]
    begin, end = chance.choice(values)
    return content[:begin] + spelling + content[end:]


def read(content: bytes, before: bytes) -> tuple[RecordShape | None, object]:
    """The record after another one, and what is known of it."""
    known = warmed(before)
    shape = quick(content, known)
    if shape is None:
        return None, None
    shape.config = shapes.NULL
    config = known.configuration
    return shape, (config and config.content, known.path, known.generation, known.unsure)


@pytest.mark.parametrize("release", RELEASES)
def test_every_edit_is_read_as_without(release: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(release)
    pairs = []
    for job in records(release):
        taken = [content for content in job if quick(content) is not None]
        pairs += [(chance.choice(taken), content) for content in taken]
    edits = [(before, content) for before, content in pairs]
    for _ in range(EDITS):
        before, content = chance.choice(pairs)
        edits.append((before, edited(content, chance)))
    found = [read(content, before) for before, content in edits]
    taken_now = sum(shapes._of_known_config(content, warmed(before)) is not None for before, content in pairs)
    assert taken_now > len(pairs) // 2
    monkeypatch.setattr(shapes, "_of_known_config", lambda content, known: None)
    for (before, content), one in zip(edits, found, strict=True):
        assert one == read(content, before), content


def warmed(content: bytes) -> KnownTexts:
    """What is known when its configuration has come twice."""
    known = KnownTexts()
    for _ in range(2):
        assert quick(content, known) is not None
    return known


def test_a_configuration_elsewhere_does_not_stand_for_one() -> None:
    """The known text in an agent's own account, and a number where the configuration is due."""
    content = next(job[0] for job in records("0.13.1") if quick(job[0]) is not None)
    begin = content.index(b'"config": ') + len(b'"config": ')
    end = content.index(b',\n    "agent_info": ')
    config = content[begin:end]
    forged = content[:begin].replace(b'\n    "config": ', b'\n    "config":') + b"0" + content[end:]
    own = b'{\n    "config": ' + config + b',\n    "agent_info": 0}'
    assert b'"metadata": null' in forged
    forged = forged.replace(b'"metadata": null', b'"metadata": ' + own)
    assert quick(forged, warmed(content)) is None


# Statistics and text


def test_statistics_are_the_reference_s() -> None:
    numbers, costs = (None, 0, 7, 10**20), (None, -0.0, 0.1, 0.25)
    reports = [None, *(AgentResult(n, n, None, cost) for n, cost in itertools.product(numbers, costs))]
    names = [("a", "m", "d"), ("a", None, "m__d"), ("a", "", None), ("a__m", None, "d")]
    results = [None, VerifierResult(None), VerifierResult({}), VerifierResult({"r": 1, "q": -0.0})]
    every = []
    for index, (told, steps) in enumerate(itertools.product(reports, [None, [], reports[:9]])):
        agent, model, source = names[index % 4]
        exception = (None, "CancelledError", "ValueError")[index % 3]
        result = results[index % 5 % 4]
        every.append(Trial("t", f"t__{index}", source, agent, model, result, exception, told, steps))
    for some in ([], every, every[::-1], every[3:40], *([trial] for trial in every)):
        texts = []
        for statistics in (QuickStatistics(), JobStatistics()):
            for trial in some:
                statistics.add(trial)
            texts.append(statistics.result(Job("0", "s", None, None, len(some), 0, {})).text())
        assert texts[0] == texts[1]


NAMES = st.text(st.characters(exclude_categories=["Cs"])) | st.text(' "\\\0~\x7fé/a', max_size=4)
LEAVES = st.none() | st.integers() | st.floats() | NAMES | st.lists(NAMES, min_size=14, max_size=20)
TREES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.lists(st.tuples(NAMES, inner)).map(JsonObject), max_leaves=8
)


@pytest.mark.slow
@settings(max_examples=40)
@given(TREES)
def test_the_text_of_any_tree_is_the_reference_s(tree: JsonTree) -> None:
    assert tree_text(tree) == json_text(tree)


def test_lists_long_enough_to_be_quick() -> None:
    for last in ("a", "\0", 'a"', "é", "\x7f", " ", ""):
        tree: JsonTree = JsonObject([("names", [*["task__1"] * 40, last]), ("none", [])])
        assert tree_text(tree) == json_text(tree)
    with pytest.raises(PydanticSerializationError):
        tree_text([*["a"] * 40, "\ud800"])
