"""A subject against a spec in two matrices: what became of its verdict, its classes, the rules it breaks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.publishing.kinds.matrix_sets import word
from conformance.publishing.kinds.saying import brief

__all__ = ["Claim", "Move", "Pair", "alone", "pairs"]

_NAME = 60
_ORDER = ("no verdict", "does not conform", "conforms")
_LEVELS = (None, "value", "exact", "bytes")


@dataclass(frozen=True, slots=True)
class Claim:
    """A class whose claim changed."""

    name: str
    before: str | None
    """The level at which it was claimed; None for no claim."""
    after: str | None

    @property
    def lost(self) -> bool:
        """Whether less is claimed than was."""
        return _LEVELS.index(self.before) > _LEVELS.index(self.after)


@dataclass(frozen=True, slots=True)
class Move:
    """A rule whose failures changed with one subject."""

    clause: str
    op: str
    before: int
    after: int
    new: tuple[str, ...]
    """Vectors that fail now and did not, where both reports name them."""
    gone: tuple[str, ...]
    example: str

    @property
    def worse(self) -> bool:
        """Whether more fails, or something else."""
        return self.after > self.before or bool(self.new)

    @property
    def word(self) -> str:
        """What changed, for people."""
        if not self.before:
            return "newly fails"
        if not self.after:
            return "fails no more"
        if self.after == self.before:
            return "other vectors fail"
        return "more vectors fail" if self.after > self.before else "fewer vectors fail"


@dataclass(slots=True)
class Pair:
    """A subject against a spec, in both reports."""

    subject: str
    spec: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    moves: list[Move] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)

    @property
    def words(self) -> tuple[str, str]:
        """The verdicts of both."""
        return word(self.before), word(self.after)

    @property
    def worse(self) -> bool:
        """Whether anything of it got worse."""
        old, new = self.words
        if old != new:
            return _ORDER.index(new) < _ORDER.index(old)
        return any(claim.lost for claim in self.claims) or any(move.worse for move in self.moves)

    @property
    def better(self) -> bool:
        """Whether something got better, and nothing worse."""
        changed = self.words[0] != self.words[1] or bool(self.claims) or bool(self.moves)
        return changed and not self.worse

    @property
    def name(self) -> str:
        """The subject with its spec, for people."""
        return f"{brief(self.subject, _NAME)} against {self.spec}"


def pairs(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Pair]:
    """The results that both matrices have."""
    old = {(row["subject"], row["spec"]): row for row in before["rows"]}
    found = []
    for row in after["rows"]:
        former = old.get((row["subject"], row["spec"]))
        if former is not None:
            pair = Pair(row["subject"], row["spec"], former, row)
            if "no verdict" not in pair.words:
                pair.moves.extend(_moves(former["result"], row["result"]))
                pair.claims.extend(_claims(former["result"], row["result"]))
            found.append(pair)
    return found


def _moves(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Move]:
    """The rules of which other vectors fail than did."""
    old, new = ({(one["clause"], one["op"]): one for one in side["failures"]} for side in (before, after))
    found = []
    for clause, op in sorted(old.keys() | new.keys()):
        one, other = old.get((clause, op)), new.get((clause, op))
        was, now = (side["count"] if side else 0 for side in (one, other))
        named = all(side is None or "vectors" in side for side in (one, other))
        ids = [set(side["vectors"]) if side and named else set[str]() for side in (one, other)]
        gone, came = sorted(ids[0] - ids[1]), sorted(ids[1] - ids[0])
        if was != now or gone or came:
            example = (other or one or {})["example"]
            found.append(Move(clause, op, was, now, tuple(came), tuple(gone), came[0] if came else example))
    return found


def _claims(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Claim]:
    """The classes of which another level is claimed than was."""
    old, new = (
        {name: account["claimed"] for name, account in side["classes"].items()} for side in (before, after)
    )
    return [Claim(name, old[name], now) for name, now in new.items() if name in old and old[name] != now]


def alone(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The rows that only one of the two has."""
    known = {(row["subject"], row["spec"]) for row in other["rows"]}
    return [row for row in one["rows"] if (row["subject"], row["spec"]) not in known]
