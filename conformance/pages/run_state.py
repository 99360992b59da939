"""A run's report, with values that several parts of its page need."""

import datetime
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from conformance.outcomes import claims
from conformance.outcomes.selection import vector_set_json
from conformance.outcomes.words import counted
from conformance.pages.words import one_line
from conformance.suite.choosing import newer_than
from conformance.suite.vectors import Vector, VectorFileError, load_set_of

__all__ = ["Run", "age"]

Document = Mapping[str, Any]


class Run:
    """A run's report."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.accounts = claims.classes(document)

    @cached_property
    def exit_code(self) -> int:
        """The run's exit code."""
        return claims.exit_code(self.document)

    @cached_property
    def part(self) -> str | None:
        """Why the run does not cover the whole set; None if it does."""
        return claims.part_reason(self.document)

    @property
    def list_problems(self) -> list[str]:
        """The outdated entries of the list of known failures."""
        known = self.document["known_failures"]
        return [] if known is None else known["problems"]

    @property
    def todo(self) -> list[Mapping[str, Any]]:
        """The lines of the to-do list."""
        diagnosis = self.document["diagnosis"]
        return [] if diagnosis is None else diagnosis["todo"]

    @property
    def claimed(self) -> list[str]:
        """The classes that are claimed."""
        return [account.name for account in self.accounts if account.claimed]

    @property
    def runner_name(self) -> str:
        """The runner's name and version, or its command."""
        runner = self.document["runner"]
        if runner["name"] is None:
            return one_line(runner["command"], 100)
        return " ".join(one_line(runner[key], 100) for key in ("name", "version") if runner[key])

    @cached_property
    def vectors_by_id(self) -> dict[str, Vector]:
        """The kit's own vectors of the spec."""
        return {
            vector.id: vector
            for vector in load_set_of(self.document["spec"], self.document["vectors"]["classes"])
        }

    @cached_property
    def of_kit(self) -> bool:
        """Whether the report's vectors are the kit's, or those of one of its versions."""
        vectors, all_vectors = self.document["vectors"], list(self.vectors_by_id.values())
        if vectors["digest"] == vector_set_json(all_vectors)["digest"]:
            return True
        try:
            late = newer_than(vectors["version"], all_vectors, self.document["spec"])
        except VectorFileError:  # a version unknown to this kit
            return False
        older = [vector for vector in all_vectors if vector.id not in late]
        return bool(late) and bool(vectors["digest"] == vector_set_json(older)["digest"])

    def counts(self) -> Counter[str]:
        """Count the vectors of the whole set by outcome, each once."""
        totals, document = claims.totals(self.document), self.document
        demanded = sum(row["demanded"] and row["outcome"] == "unsupported" for row in document["results"])
        missing = document["selection"].get("missing_shards", {"vectors": 0})
        counts = Counter(
            {
                "passed": totals["passed"],
                "unexpected passes": totals["unexpected-pass"],
                "expected failures": totals["expected-failure"],
                "unsupported, required": demanded,
                "unsupported": totals["unsupported"] - demanded,
                "new, not counted": totals["not-counted"],
                "not run": totals["not-run"],
                "in missing shards": missing["vectors"],
                "filtered": claims.filtered(document),
                "not reached": claims.not_reached(document),
                "newer, left out": document["vectors"]["newer"],
            }
        )
        named = {"passed", "unexpected-pass", "expected-failure", "unsupported", "not-run", "not-counted"}
        counts["failed"] = sum(count for outcome, count in totals.items() if outcome not in named)
        return counts

    @cached_property
    def entries(self) -> dict[str, Mapping[str, Any]]:
        """The entries of the list of known failures, by their text in results."""
        known = self.document["known_failures"]
        return {f"{row['pattern']} {row['outcome']}": row for row in known["entries"]} if known else {}


def age(since: str | None, on: str) -> str:
    """Describe since when an entry has been listed; both are ISO dates."""
    try:
        days = (datetime.date.fromisoformat(on[:10]) - datetime.date.fromisoformat(since or "")).days
    except ValueError:
        return "no date"
    return (
        f"since {since}, {counted(days, 'day')}" if days >= 0 else f"since {since}, which is after this run"
    )
