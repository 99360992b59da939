"""What changed from one report of ``fuzz`` to another.

The inputs of two runs differ, so a cause is known again by its op and the mistake that explains it, or by the
kind of difference where none does; and that it is not seen again proves less than that it is seen.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from conformance.publishing.anchors import anchor
from conformance.publishing.blocks import Failure, Failures, Line, Mark, Row, Table, Tone
from conformance.publishing.differences.outline import as_changed, both, counts, lists, verdict, void
from conformance.publishing.kinds.fuzz_counts import numbers_of
from conformance.publishing.kinds.fuzz_sections import failure, repeat
from conformance.publishing.kinds.saying import brief, of, several
from conformance.publishing.model import Case, Fact, Note, Page, Section

__all__ = ["difference"]

_MOST_NOTES = 10
_NEW, _GONE, _STILL, _APART = "new", "not seen again", "still there", "not comparable"
_TONES = {_NEW: Tone.BAD, _GONE: Tone.GOOD, _STILL: Tone.KNOWN, _APART: Tone.QUIET}
_STATES = {_NEW: "failed", _GONE: "passed", _STILL: "skipped", _APART: "skipped"}


@dataclass(frozen=True, slots=True)
class _Cause:
    """Causes of both reports that are taken for one."""

    op: str
    what: str
    before: tuple[Mapping[str, Any], ...]
    after: tuple[Mapping[str, Any], ...]
    state: str

    @property
    def name(self) -> str:
        return f"{self.op}: {brief(self.what)}"


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> Page:
    """The page.

    Raises:
        PublishingError: one of the two contradicts itself.
    """
    old, new = numbers_of(before), numbers_of(after)
    found = _causes(before, after)
    told = {state: sum(one.state == state for one in found) for state in _TONES}
    empty = void(before, after)
    broke = after["exit_code"] not in (0, 1) and before["exit_code"] in (0, 1)
    unclaimed = sorted(set(after.get("unclaimed", ())) - set(before.get("unclaimed", ())))
    worse = told[_NEW] + len(unclaimed)
    same = _same_inputs(before, after)
    rates = (
        f"{of(old.disagreed, old.compared)} inputs disagreed before, {of(new.disagreed, new.compared)} after"
    )
    summary = f"{several(told[_NEW], 'new cause')}, {told[_GONE]:,} not seen again; {rates}"
    warnings: list[Line] = [(one,) for one in empty]
    warnings += [(one,) for one in _apart(before, after)]
    if not same:
        warnings.append(("the inputs of the two runs differ: what is not seen again may be there still",))
    return Page(
        kind="difference",
        title=("Fuzz runs of ", _name(before), " and ", _name(after)),
        verdict=verdict(worse, told[_GONE], summary, empty, broke=broke),
        exit_code=1 if worse or broke else 0,
        facts=_facts(before, after, same),
        counts=counts(told[_NEW], told[_GONE], told[_STILL], told[_APART]),
        unit="causes of disagreements",
        warnings=tuple(warnings),
        sections=(*_sections(found, before, after), *_unclaimed(unclaimed)),
        badge=None,
        cases=tuple(Case("fuzz difference", one.name, _STATES[one.state], one.state) for one in found),
        notes=_notes(found, after),
    )


def _name(document: Mapping[str, Any]) -> str:
    runner = document["runner"]
    return f"{brief(runner['name'] or 'a nameless runner', 60)} {brief(runner['version'] or '', 40)}".strip()


def _grouped(document: Mapping[str, Any]) -> dict[tuple[str, str], list[Mapping[str, Any]]]:
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for cause in document["causes"]:
        found.setdefault((cause["op"], cause["likely"] or cause["kind"]), []).append(cause)
    return found


def _causes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[_Cause]:
    old, new = _grouped(before), _grouped(after)
    pairs: list[tuple[tuple[str, str], tuple[str, str]]] = [(key, key) for key in old if key in new]
    # A run may find too little to name the mistake that another names: its kinds of difference tell it then.
    for key in [key for key in new if key not in old]:
        kinds = {cause["kind"] for cause in new[key]}
        like = [
            other
            for other in old
            if other[0] == key[0]
            and other not in new
            and all(other != one for one, _ in pairs)
            and kinds & {cause["kind"] for cause in old[other]}
        ]
        if like:
            pairs.append((like[0], key))
    matched_old, matched_new = {one for one, _ in pairs}, {other for _, other in pairs}
    found = [_Cause(*other, tuple(old[one]), tuple(new[other]), _STILL) for one, other in pairs]
    for key, causes in new.items():
        if key not in matched_new:
            state = _NEW if _asked(before, key[0]) else _APART
            found.append(_Cause(*key, (), tuple(causes), state))
    for key, causes in old.items():
        if key not in matched_old:
            state = _GONE if _asked(after, key[0]) else _APART
            found.append(_Cause(*key, tuple(causes), (), state))
    order = list(_TONES)
    return sorted(found, key=lambda one: (order.index(one.state), -_count(one.after), one.op, one.what))


def _asked(document: Mapping[str, Any], op: str) -> bool:
    told = document["ops"].get(op)
    return told is not None and told["agreed"] + told["disagreed"] > 0


def _count(causes: tuple[Mapping[str, Any], ...]) -> int:
    return sum(cause["count"] for cause in causes)


def _same_inputs(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    names = ("kit_version", "spec", "seed", "vectors_changed", "compared", "ended")
    return (
        all(before[name] == after[name] for name in names)
        and before["ended"] == "inputs"
        and list(before["ops"]) == list(after["ops"])
        and before.get("jobs", ()) == after.get("jobs", ())
    )


def _apart(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What was not the same for both, beside their inputs."""
    said = [
        f"the two are of different {name}: what is new may come from that"
        for name, key in (("specs", "spec"), ("levels", "level"), ("kits", "kit_version"))
        if before[key] != after[key]
    ]
    for name, one, other in (("earlier", before, after), ("later", after, before)):
        alone = [op for op in one["ops"] if _asked(one, op) and not _asked(other, op)]
        if alone:
            said.append(f"asked in the {name} run alone: {', '.join(alone)}")
    return said


def _facts(before: Mapping[str, Any], after: Mapping[str, Any], same: bool) -> tuple[Fact, ...]:
    commands = (before["runner"]["command"], after["runner"]["command"])
    return (
        both("level", before["level"], after["level"]),
        both("spec", before["spec"], after["spec"]),
        both("kit", before["kit_version"], after["kit_version"]),
        both("runner", _name(before), _name(after)),
        both("command", *commands, code=True),
        both("seed", before["seed"], after["seed"]),
        Fact("inputs", ("the same in both" if same else "others in each",)),
        both("started", before["started_at"], after["started_at"]),
    )


def _sections(
    found: list[_Cause], before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[Section, ...]:
    failures = Failures(tuple(_failure(one, before, after) for one in found))
    sections = [Section("causes", "Causes", (failures,))] if found else []
    ops = dict.fromkeys([*before["ops"], *after["ops"]])
    rates = tuple(
        Row(((op,), *((_rate(side, op),) for side in (before, after))), anchor("op", op)) for op in ops
    )
    table = Table(("op", "before", "after"), rates, "Disagreements by op", frozenset({1, 2}))
    return (*sections, Section("ops", "By op", (table,)))


def _rate(document: Mapping[str, Any], op: str) -> str:
    if not _asked(document, op):
        return "not asked"
    told = document["ops"][op]
    return of(told["disagreed"], told["agreed"] + told["disagreed"])


def _failure(one: _Cause, before: Mapping[str, Any], after: Mapping[str, Any]) -> Failure:
    """A cause as the later report shows it, where it does."""
    document, causes = (after, one.after) if one.after else (before, one.before)
    shown = next((cause for cause in causes if repeat(document, cause)), causes[0])
    where = anchor("cause", f"{one.op}/{one.what}")
    numbers = (f"{several(_count(one.before), 'input')} before, {_count(one.after):,} after",)
    kinds = f"; {several(len(causes), 'kind')} of it" if causes[1:] else ""
    made = failure(document, shown, where)
    made = replace(made, fields=tuple(field for field in made.fields if field[0] != "inputs"))
    was = "disagreed before" if one.state == _GONE else ""
    state = Mark(one.state, _TONES[one.state])
    return as_changed(made, state, ("disagreements", (*numbers, kinds)), was=was)


def _unclaimed(classes: list[str]) -> list[Section]:
    said: list[Line] = [
        (f"{name}: some inputs are unsupported now, though hello offers their op",) for name in classes
    ]
    return lists("claims", "Claims that are broken now", said)


def _notes(found: list[_Cause], after: Mapping[str, Any]) -> tuple[Note, ...]:
    new = [one for one in found if one.state == _NEW]
    notes = []
    for one in new[:_MOST_NOTES]:
        command = next((said for cause in one.after if (said := repeat(after, cause))), None)
        text = brief(one.what) + (f"; repeat: {command}" if command else "")
        notes.append(Note("error", f"new: {one.op}, {several(_count(one.after), 'random input')}", text))
    if new[_MOST_NOTES:]:
        notes.append(Note("error", f"{len(new) - _MOST_NOTES} more new causes", "They are in the report."))
    return tuple(notes)
