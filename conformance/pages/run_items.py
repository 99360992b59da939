"""The items of a run: vectors, rephrased vectors, properties, offers, and outdated list entries."""

from collections import UserDict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from conformance.outcomes import claims
from conformance.outcomes.answers import compared
from conformance.outcomes.claims import LIST_PROBLEM, REPHRASED_SUFFIX
from conformance.outcomes.failure_text import difference_lines
from conformance.outcomes.words import counted
from conformance.pages.model import Cell, Code, Item, Tone
from conformance.pages.run_state import Run, age
from conformance.pages.words import answer_text, asked_text, one_line, tone_of

__all__ = ["Items"]

_LISTED = "listed as a known failure, but passes"
_OUT_OF_DATE = "an entry of the list of known failures is outdated"
_LOST = "no longer offered"
_REPHRASED = "rephrased vectors are answered wrongly"
_UPDATE = "check that this is intended, then run 'harbor-conformance baseline --update'"


class Items:
    """The items of a run's page."""

    def __init__(self, run: Run) -> None:
        self._run = run

    @property
    def causes(self) -> dict[str, str]:
        """Advice for each cause."""
        causes = {_LISTED: _UPDATE, _OUT_OF_DATE: _UPDATE, _LOST: _UPDATE}
        return causes | {_entry_text(line): one_line(line["do"]) for line in self._run.todo}

    def all_items(self) -> Iterator[Item]:
        """Yield all items, failed ones first."""
        yield from self.not_passed
        for name, rows in self._run.document["passed"].items():
            for key, _, seconds in rows:
                yield Item(key.partition("/")[2], name, "passed", Tone.GOOD, seconds=seconds)
        for name, ids in (self._run.document["asked_again"] or {"passed": {}})["passed"].items():
            for key in ids:
                yield Item(key.partition("/")[2] + REPHRASED_SUFFIX, name, "passed", Tone.GOOD)

    @cached_property
    def not_passed(self) -> list[Item]:
        """Everything except passes, new failures first."""
        document = self._run.document
        items = [*self._offers(), *self._list()]
        items += [self._item(row, row["id"]) for row in document["results"]]
        items += [self._item(row, row["id"] + REPHRASED_SUFFIX) for row in claims.rephrased_results(document)]
        items += [self._item(row, row["id"]) for row in document["properties"]]
        order = [Tone.BAD, Tone.KNOWN, Tone.WARN, Tone.QUIET, Tone.GOOD]
        return sorted(items, key=lambda item: (order.index(item.tone), item.key not in self._examples))

    def _offers(self) -> Iterator[Item]:
        """Yield an item for each operation."""
        document = self._run.document
        lost = {loss.op: loss for loss in claims.lost_offers(document)}
        offered = {offer.op: offer for offer in claims.offer(document)}
        for op in dict.fromkeys([*lost, *offered]):
            key = f"offer/{op}"
            if op in lost:
                detail = f"{lost[op].less} ({lost[op].required})"
                yield Item(key, "offer", _LOST, Tone.BAD, detail=detail, cause=_LOST, fingerprint=detail)
            elif offered[op].offered:
                yield Item(key, "offer", "offered", Tone.GOOD)
            elif document["runner"]["name"] is not None:
                yield Item(key, "offer", "not offered", Tone.WARN, detail=offered[op].reason or "")

    def _list(self) -> Iterator[Item]:
        """Yield outdated entries of the list of known failures, at their lines."""
        known = self._run.document["known_failures"]
        by_line = {row["line"]: row for row in known["entries"]} if known else {}
        for problem in self._run.list_problems:
            number, _, sentence = problem.removeprefix(LIST_PROBLEM).partition(": ")
            line = int(number) if number.isdecimal() else 0
            entry = by_line.get(line)
            name = f"{entry['pattern']} {entry['outcome']}" if entry else str(line)
            yield Item(
                f"known-failures/{name}",
                "known failures",
                "out of date",
                Tone.BAD,
                detail=one_line(sentence or problem),
                cause=_OUT_OF_DATE,
                place=(known["file"], line) if entry else None,
            )

    @cached_property
    def _examples(self) -> frozenset[str]:
        return frozenset(line["example"]["id"].partition("/")[2] for line in self._run.todo)

    @cached_property
    def _causes(self) -> dict[str, str]:
        """The first line of the to-do list that explains each failure, alone or else partly."""
        causes: dict[str, str] = {}
        todo = self._run.todo
        sole = [(line, line["failures"][: line["alone"]]) for line in todo]
        in_part = [(line, line["failures"][line["alone"] :]) for line in todo]
        for line, keys in (*sole, *in_part):
            for key in keys:
                causes.setdefault(key, _entry_text(line))
        return causes

    def _item(self, row: Mapping[str, Any], name: str) -> Item:
        """Return the item of a vector, rephrased vector or property that has a result."""
        outcome, key = row["outcome"], name.partition("/")[2]
        if outcome == "passed":
            return Item(key, row["class"], outcome, Tone.GOOD, seconds=row["seconds"])
        tone = Tone.BAD if row["demanded"] else tone_of(outcome)
        cause = _LISTED if outcome == "unexpected-pass" else self._causes.get(name, "")
        if "changes" in row and not cause and outcome != "unsupported":
            cause = _REPHRASED
        entry = self._run.entries.get(row["expected_by"] or "")
        vector = self._run.vectors_by_id.get(row["id"])
        clause = row.get("clause") or (vector.clause if vector else "")
        rule = row.get("rule") or (vector.rule if vector else self._run.document["clauses"].get(clause, ""))
        statement = self._run.document["clauses"].get(clause, "")
        fields: dict[str, Cell] = {
            "clause": f"{clause}: {one_line(statement)}" if statement else clause,
            "op": Code(row["op"]),
            "changed": one_line(row.get("changes") or ""),
            "this vector catches": one_line(row.get("catches") or ""),
            "tested": f"{counted(row['examples'], 'input')}, seed {row['seed']}" if "examples" in row else "",
            "counterexamples": Code(row.get("counterexamples") or ""),
            "known failure": _known(entry, self._run.document["started_at"]) if entry else "",
            "required": "being unsupported fails the run" if row["demanded"] else "",
        }
        if cause not in ("", _LISTED, _REPHRASED) and tone in (Tone.BAD, Tone.KNOWN):
            fields["likely"] = cause
        real = row["real_outcome"] or outcome
        return Item(
            key=key,
            group=row["class"],
            outcome=f"new, not counted: {real}"
            if outcome == "not-counted"
            else real
            if tone is Tone.KNOWN
            else outcome,
            tone=tone,
            summary=one_line(rule),
            detail=one_line(row["detail"] or ""),
            cause=cause,
            fields={name: value for name, value in fields.items() if value},
            texts=_Texts(row),
            repeat=row["repeat"] or "",
            seconds=row.get("seconds", 0.0),
            fingerprint=real if row["actual"] is None else compared(row["actual"]),
        )


def _entry_text(line: Mapping[str, Any]) -> str:
    """Return a to-do line's text, with its reliability."""
    sentence = one_line(line["says"])
    if line["kind"] in ("cluster", "silent") or line["certain"]:
        return sentence
    count = line["against"]
    against = f", {count} answer{' contradicts' if count == 1 else 's contradict'} it" if count else ""
    return f"{sentence} ({'resembles this' if line.get('resembles') else 'likely'}{against})"


class _Texts(UserDict[str, str]):
    """The long texts of an entry, built only when a format shows them."""

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self._entry = entry

    @cached_property
    def data(self) -> dict[str, str]:  # type: ignore[override]
        entry, texts = self._entry, {}
        if entry["asked"] is not None:
            texts["input"] = asked_text(entry["asked"])
            texts["expected"] = answer_text(entry["expected"])
            texts["actual"] = answer_text(entry["actual"], "no answer")
            texts["difference"] = "\n".join(_difference(entry["expected"], entry["actual"]))
        texts["stderr"] = entry["stderr"] or ""
        return {name: text for name, text in texts.items() if text}


def _difference(expected: Mapping[str, Any] | None, actual: Mapping[str, Any] | None) -> list[str]:
    if expected is None or actual is None or "ok" not in expected or "ok" not in actual:
        return []
    return difference_lines(expected["ok"], actual["ok"])


def _known(entry: Mapping[str, Any], on: str) -> str:
    reason = one_line(entry["reason"]) or "no reason given"
    return f"line {entry['line']}, {age(entry['since'], on)}: {reason}"
