"""What changed between neighbours of a matrix: which vectors began or ceased to pass, which ops went."""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from conformance.extensions.releases.matrix.rows import FAILED, Row
from conformance.suite.clauses import statements

__all__ = ["changes", "neighbours"]


def neighbours(rows: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Each row of one spec that answered, with the next one that did."""
    told = [row for row in rows if row.result is not None]
    return list(itertools.pairwise(told))


def changes(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The differences of all neighbours, as the schema ``matrix-report`` has them, spec by spec."""
    found = []
    for spec in dict.fromkeys(row.spec for row in rows):
        said = statements(spec)
        for before, after in neighbours([row for row in rows if row.spec == spec]):
            found.append(_between(before, after, said))
    return found


def _between(before: Row, after: Row, said: Mapping[str, str]) -> dict[str, Any]:
    assert before.result is not None
    assert after.result is not None
    old, new = (set(row.result["runner"]["ops"]) for row in (before, after) if row.result)
    moves: dict[tuple[str, str, str], list[str]] = {}
    for key in sorted(before.vouched.keys() & after.vouched.keys()):
        one, other = before.vouched[key], after.vouched[key]
        if (one.op or other.op) not in old & new:
            continue  # an op that went or came is told of once
        otherwise = one.state == other.state == FAILED and one.answer != other.answer
        if one.state != other.state or otherwise:
            moves.setdefault((other.clause or one.clause, one.state, other.state), []).append(key)
    return {
        "spec": before.spec,
        "from": before.subject.name,
        "to": after.subject.name,
        "compared": len(before.vouched.keys() & after.vouched.keys()),
        "ops_gone": _ops(old - new, before),
        "ops_new": _ops(new - old, after),
        "rules": [
            {
                "clause": clause,
                "statement": said.get(clause),
                "from": was,
                "to": became,
                "count": len(keys),
                "example": keys[0],
            }
            for (clause, was, became), keys in sorted(moves.items())
        ],
    }


def _ops(names: set[str], row: Row) -> list[dict[str, Any]]:
    """Ops of the spec, and how many vectors each has."""
    counted = Counter(one.op for one in row.vouched.values())
    return [{"op": name, "vectors": counted[name]} for name in sorted(names) if counted[name]]
