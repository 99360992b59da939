"""What changed from one report of ``metric`` to another: findings, told by their rule and case."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from conformance.publishing.blocks import Code, Failure, Failures, Line, Mark, Tone
from conformance.publishing.differences.outline import as_changed, both, counts, lists, verdict, void
from conformance.publishing.kinds.metric import OUTCOMES, check, failure, outcome
from conformance.publishing.kinds.saying import brief, enumerated, of, several
from conformance.publishing.model import Case, Fact, Note, Page, Section
from conformance.publishing.reading import PublishingError

__all__ = ["difference"]

_MOST_NOTES = 10
_NEW, _GONE, _STILL, _APART = "new", "gone", "still there", "not comparable"
_TONES = {_NEW: Tone.BAD, _GONE: Tone.GOOD, _STILL: Tone.KNOWN, _APART: Tone.QUIET}
_STATES = {_NEW: "failed", _GONE: "passed", _STILL: "skipped", _APART: "skipped"}


@dataclass(frozen=True, slots=True)
class _Finding:
    """A rule that is broken in a case, in one of the reports or in both."""

    shown: Mapping[str, Any]
    """As the later report has it, where it does."""
    state: str
    why: str = ""
    """Why the two can't be compared here."""

    @property
    def grave(self) -> bool:
        return bool(self.shown["level"] != "advice")


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> Page:
    """The page.

    Raises:
        PublishingError: the two are of different contracts, or one contradicts itself.
    """
    check(before)
    check(after)
    if before["contract"] != after["contract"]:
        raise PublishingError(
            f"one report is of a metric of {before['contract']}, the other of {after['contract']}: "
            "they have no case in common"
        )
    found = _findings(before, after)
    told = {state: sum(one.state == state for one in found) for state in _TONES}
    empty = void(before, after)
    broke = after["exit_code"] not in (0, 1) and before["exit_code"] in (0, 1)
    worse = sum(one.state == _NEW and one.grave for one in found)
    sizes = f"{_sizes(before)} before, {_sizes(after)} after"
    summary = f"{several(told[_NEW], 'new finding')}, {told[_GONE]:,} gone; {sizes}"
    warnings: list[Line] = [(one,) for one in [*empty, *_apart(before, after)]]
    return Page(
        kind="difference",
        title=(_name(before), " and ", _name(after), f", {before['contract']}"),
        verdict=verdict(worse, told[_GONE], summary, empty, broke=broke),
        exit_code=1 if worse or broke else 0,
        facts=_facts(before, after),
        counts=counts(told[_NEW], told[_GONE], told[_STILL], told[_APART]),
        unit="findings",
        warnings=tuple(warnings),
        sections=_sections(found, before, after),
        badge=None,
        cases=tuple(_case(one) for one in found),
        notes=_notes(found),
    )


def _name(document: Mapping[str, Any]) -> str:
    return brief(PurePath(document["target"]).name or document["target"])


def _findings(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[_Finding]:
    old, new = ({(one["rule"], one["case"]): one for one in side["findings"]} for side in (before, after))
    ran_before, ran_after = _ran(before), _ran(after)
    found = []
    for key, one in new.items():
        if key in old:
            found.append(_Finding(one, _STILL))
        elif key[1] in ran_before:
            found.append(_Finding(one, _NEW))
        else:
            found.append(_Finding(one, _APART, "the earlier report did not try the case"))
    for key, one in old.items():
        if key not in new:
            tried = key[1] in ran_after
            why = "" if tried else "the later report did not try the case"
            found.append(_Finding(one, _GONE if tried else _APART, why))
    order = list(_TONES)
    return sorted(
        found,
        key=lambda one: (order.index(one.state), not one.grave, one.shown["rule"], one.shown["case"]),
    )


def _ran(document: Mapping[str, Any]) -> set[str]:
    return {case["name"] for case in document["cases"] if case["not_run"] is None}


def _sizes(document: Mapping[str, Any]) -> str:
    ran, known = len(_ran(document)), document.get("all_cases", len(document["cases"]))
    return f"{of(ran, known)} cases tried"


def _apart(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    said = []
    for name, one, other in (("earlier", before, after), ("later", after, before)):
        if alone := sorted(_ran(one) - _ran(other)):
            said.append(f"tried by the {name} report alone: {enumerated(alone, 12)}")
    if before["kit_version"] != after["kit_version"]:
        said.append("different kits: what is new may come from a rule that the earlier kit did not have")
    if before["environment"] != after["environment"]:
        said.append("the two ran in different environments")
    return said


def _facts(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Fact, ...]:
    return (
        both("contract", before["contract"], after["contract"]),
        both("kit", before["kit_version"], after["kit_version"]),
        both("metric", before["target"], after["target"], code=True),
        both("ran in", before["environment"] or "not known", after["environment"] or "not known"),
    )


def _sections(
    found: list[_Finding], before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[Section, ...]:
    failures = Failures(tuple(map(_failure, found)))
    sections = [Section("findings", "Findings", (failures,))] if found else []
    moved = _moved(before, after)
    return (*sections, *lists("cases", "Cases that came out otherwise", moved))


def _failure(one: _Finding) -> Failure:
    tone = Tone.WARN if one.state == _NEW and not one.grave else _TONES[one.state]
    why: list[tuple[str, Line]] = [("not comparable", (one.why,))] if one.why else []
    was = "was broken" if one.state == _GONE else ""
    return as_changed(failure(one.shown), Mark(one.state, tone), *why, was=was)


def _moved(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Line]:
    old, new = ({case["name"]: outcome(side, case) for case in side["cases"]} for side in (before, after))
    return [
        (Code(name), ": ", Mark(old[name], OUTCOMES[old[name]][0]), " → ", Mark(word, OUTCOMES[word][0]))
        for name, word in new.items()
        if name in old and old[name] != word
    ]


def _case(one: _Finding) -> Case:
    state = "passed" if one.state == _NEW and not one.grave else _STATES[one.state]
    name = f"{one.shown['rule']}, case {one.shown['case']}"
    message = f"{one.state}, {one.shown['level']}: {brief(one.shown['found'])}"
    return Case("metric difference", name, state, message, one.shown["repeat"])


def _notes(found: list[_Finding]) -> tuple[Note, ...]:
    new = [one for one in found if one.state == _NEW and one.grave]
    by_rule: dict[str, list[_Finding]] = {}
    for one in new:
        by_rule.setdefault(one.shown["rule"], []).append(one)
    notes = []
    for rule, each in list(by_rule.items())[:_MOST_NOTES]:
        first = each[0].shown
        cases = enumerated([one.shown["case"] for one in each], 6)
        text = f"{brief(first['found'])} Cases: {cases}. Repeat: {first['repeat']}"
        notes.append(Note("error", f"new: {first['level']} {rule}", text))
    if len(by_rule) > _MOST_NOTES:
        notes.append(Note("error", f"{len(by_rule) - _MOST_NOTES} more new rules", "They are in the report."))
    return tuple(notes)
