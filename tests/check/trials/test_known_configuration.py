"""A record whose configuration is known is read as it is without, on every edit of the releases' records."""

import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.check.trials import shapes
from conformance.check.trials.known_texts import KnownTexts
from conformance.check.trials.shapes import RecordShape, quick

sys.path.insert(0, str(Path(__file__).parents[1] / "release_jobs"))

from kept_jobs import kept, releases

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


@pytest.mark.parametrize("release", releases())
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
