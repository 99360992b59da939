"""Patterns that match failures of one outcome and nothing else, made of the words of ids.

A pattern is one to three literal texts with ``*`` between them. The texts are runs of an id's words, with or
without what stands before and behind them, and the id's section. Of patterns that cover the same failures the
longest is kept: it says most, and least of what a later kit adds will be hidden by it.
"""

import fnmatch
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

__all__ = ["MOST_LOOKS", "Candidate", "Candidates"]

MOST_LOOKS = 300_000
"""How many patterns are looked at of one outcome; with more failures than that allows, only the simpler."""
_FEW = 2000
"""Of fewer ids each is looked at by itself."""
_MOST_WORDS = 9
"""Words of an id of which patterns are made; no id of the kit has more than that but for a few."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pattern, or an id, and which failures it covers."""

    texts: tuple[str, ...]
    """What an id holds one behind the other; a line feed stands for the end of the id. Or the id alone."""
    covers: int
    """A bit for each failure, by its place."""

    @property
    def is_pattern(self) -> bool:
        """Whether it covers more than one."""
        return bool(self.covers & (self.covers - 1))

    @property
    def literal(self) -> int:
        """How much of an id it says."""
        return sum(map(len, self.texts))


class _Ids:
    """All ids, as one text to be searched, and as bits."""

    def __init__(self, ids: Sequence[str]) -> None:
        self.ids = ids
        self._text = "\n".join(ids) + "\n"
        self._starts: list[int] = []
        place = 0
        for one in ids:
            self._starts.append(place)
            place += len(one) + 1
        self._having: dict[str, int] = {}

    def having(self, text: str, part: str = "") -> int:
        """Those that hold a text; with a line feed behind it, those that end with it.

        Where a ``part`` of the text has been looked for before, only those that hold it are looked at.
        """
        known = self._having.get(text)
        if known is not None:
            return known
        found = 0
        within = self._having.get(part)
        if within is not None and within.bit_count() < _FEW:
            for index in _bits(within):
                if text in self.ids[index] or (text[-1] == "\n" and self.ids[index].endswith(text[:-1])):
                    found |= 1 << index
            self._having[text] = found
            return found
        place = self._text.find(text)
        while place >= 0:
            index = bisect_right(self._starts, place)
            found |= 1 << (index - 1)
            if index == len(self._starts):
                break
            place = self._text.find(text, self._starts[index])
        self._having[text] = found
        return found

    def in_order(self, among: int, texts: Sequence[str]) -> int:
        """Those ``among`` them that hold these texts one behind the other."""
        found = 0
        for index in _bits(among):
            line = self.ids[index] + "\n"
            place = 0
            for text in texts:
                place = line.find(text, place)
                if place < 0:
                    break
                place += len(text)
            else:
                found |= 1 << index
        return found


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class Candidates:
    """The ids that fail, and every pattern found that matches two or more of them and nothing forbidden."""

    def __init__(self, failing: Sequence[str], ids: Sequence[str], forbidden: Iterable[str]) -> None:
        """Looks for them.

        Args:
            failing: the ids that have one outcome, in order.
            ids: every id that a pattern may come upon.
            forbidden: those of them that no pattern may match.
        """
        self._failing = failing
        self._ids = _Ids(ids)
        place = {one: index for index, one in enumerate(ids)}
        self._forbidden = sum(1 << place[one] for one in set(forbidden))
        self._places = [place[one] for one in failing]
        self._mask = sum(1 << index for index in self._places)
        self._local = {index: number for number, index in enumerate(self._places)}
        self._looked: set[tuple[str, ...]] = set()
        self._best: dict[int, tuple[str, ...]] = {}
        self.every = self._found()
        """In a fixed order: the ids first, then patterns."""
        self.tried = len(self._looked)
        """How many patterns were looked at."""
        self.cut = self.tried >= MOST_LOOKS
        """Whether that is not all that there are."""

    def _found(self) -> list[Candidate]:
        for one in self._failing:
            self._singles(one)
        for width in (1, 2):
            for one in self._failing:
                if len(self._looked) >= MOST_LOOKS:
                    break
                self._pairs(one, width)
        patterns = [Candidate(texts, self._local_bits(found)) for found, texts in self._best.items()]
        patterns.sort(key=lambda one: (-one.covers.bit_count(), -one.literal, one.texts))
        return [Candidate((one,), 1 << number) for number, one in enumerate(self._failing)] + patterns

    def _local_bits(self, found: int) -> int:
        return sum(1 << self._local[index] for index in _bits(found))

    def _look(self, *texts: str) -> bool:
        """Whether nothing forbidden holds these texts in this order; what does is noted then."""
        if texts in self._looked:
            return False
        self._looked.add(texts)
        among = -1
        for text in texts:
            among &= self._ids.having(text)
        covers = among & self._mask
        if not covers & (covers - 1):
            return False
        if len(texts) > 1:
            if among & self._forbidden and self._ids.in_order(among & self._forbidden, texts):
                return False
            covers = self._ids.in_order(covers, texts)
        elif among & self._forbidden:
            return False
        if not covers & (covers - 1):
            return False
        before = self._best.get(covers)
        if before is None or _rank(texts) < _rank(before):
            self._best[covers] = texts
        return True

    def _singles(self, one: str) -> None:
        section, words = _parts(one)
        self._look(section)
        for begin in range(len(words)):
            for end in range(begin + 1, len(words) + 1):
                bounded = _bounded(section, words, begin, end)
                self._ids.having(bounded[0], "-".join(words[begin : end - 1]))
                for text in bounded:
                    self._ids.having(text, bounded[0])
                    if not self._look(text) and not text.startswith(section):
                        self._look(section, text)

    def _pairs(self, one: str, longest: int) -> None:
        """Two runs of words with others between them, of which one has at most so many words."""
        section, words = _parts(one)
        count = len(words)
        for first in range(count):
            for end in range(first + 1, count + 1):
                for second in range(end, count):
                    for last in range(second + 1, count + 1):
                        if min(end - first, last - second) != longest:
                            continue
                        self._pair(
                            section,
                            _bounded(section, words, first, end),
                            _bounded(section, words, second, last),
                        )

    def _pair(self, section: str, firsts: Sequence[str], seconds: Sequence[str]) -> None:
        for text in (firsts[0], firsts[-1]):
            for behind in dict.fromkeys((seconds[0], seconds[-1])):
                if self._look(text, behind):
                    return
                if not text.startswith(section):
                    self._look(section, text, behind)

    def text(self, candidate: Candidate) -> str:
        """The pattern, with the whole beginning and end that all that it covers have in common."""
        if not candidate.is_pattern:
            return candidate.texts[0]
        texts = candidate.texts
        inner = [text.strip("\n") for text in texts]
        shut = texts[-1].endswith("\n")
        plain = _joined("", inner, "", shut=shut)
        matched = self._matched(plain)
        covers = matched & self._mask
        members = [self._ids.ids[index] for index in _bits(covers)]
        start = _common([re.split(r"(?<=[-/])", one) for one in members])
        closing = _common([re.split(r"(?=[-/])", one)[::-1] for one in members], reverse=True)
        section = members[0][: members[0].rfind("/")]
        choices = [plain]
        if inner[0].startswith("/") and inner[0].count("/") > 1:
            head = section.removesuffix("/" + inner[0].split("/")[1]) + inner[0]
            choices.append(_joined(head, inner[1:], "", shut=shut))
        for begin in dict.fromkeys((start, start[: start.rfind("/") + 1])):
            for close in dict.fromkeys((closing, "")):
                left = [text for text in inner if text not in begin and text not in close]
                choices.append(_joined(begin, left, close, shut=shut))
        alike = []
        for text in dict.fromkeys(choices):
            found = self._matched(text)
            if found & ~matched == 0 and covers & ~found == 0:
                alike.append(text)
        return min(alike, key=lambda text: (text.count("*"), -len(text), text))

    def _matched(self, pattern: str) -> int:
        """All ids that it matches, forbidden ones too."""
        match = re.compile(fnmatch.translate(pattern)).match
        among = (1 << len(self._ids.ids)) - 1
        for literal in filter(None, pattern.split("*")):
            among &= self._ids.having(literal)
        return sum(1 << index for index in _bits(among) if match(self._ids.ids[index]))


def _parts(one: str) -> tuple[str, list[str]]:
    """The section with a slash on either side, and the words behind it."""
    head, _, slug = one.removesuffix("/asked-again").rpartition("/")
    return f"/{head.rpartition('/')[2]}/", slug.split("-")[:_MOST_WORDS]


def _bounded(section: str, words: Sequence[str], begin: int, end: int) -> list[str]:
    """A run of words alone, then with ever more of what stands around it."""
    text = "-".join(words[begin:end])
    before = "-" if begin else "/"
    after = "-" if end < len(words) else "\n"
    found = [text, before + text, text + after, before + text + after]
    if not begin:
        found += [section + text, section + text + after]
    return found


def _rank(texts: tuple[str, ...]) -> tuple[int, int, tuple[str, ...]]:
    return len(texts), -sum(map(len, texts)), texts


def _joined(begin: str, inner: Sequence[str], close: str, *, shut: bool) -> str:
    """The pattern of texts in order; ``shut`` where the last of them ends the id."""
    text = "*".join([begin, *inner, close])
    return text[:-1] if shut and not close and inner else text


def _common(split: Sequence[Sequence[str]], *, reverse: bool = False) -> str:
    """The pieces that all begin with, as one text."""
    shared: list[str] = []
    for pieces in zip(*split, strict=False):
        if len(set(pieces)) > 1:
            break
        shared.append(pieces[0])
    return "".join(shared[::-1] if reverse else shared)
