"""What changed from one report of ``check`` to another: verdicts, findings, scores."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance.publishing.anchors import anchor
from conformance.publishing.blocks import (
    Block,
    Code,
    Failures,
    Line,
    Lines,
    Mark,
    Paragraph,
    Range,
    Ranges,
    Row,
    Table,
    Tone,
)
from conformance.publishing.differences.check_pairs import Pair, Score, pairs, scores
from conformance.publishing.differences.outline import both, verdict, void
from conformance.publishing.kinds.checks.counting import agreed
from conformance.publishing.kinds.checks.findings import MOST, Listed, failure, in_turn
from conformance.publishing.kinds.checks.words import (
    Below,
    cut,
    explaining,
    figure,
    many,
    number,
    verdict_mark,
)
from conformance.publishing.model import Case, Count, Fact, Note, Page, Section

__all__ = ["difference"]

Document = Mapping[str, Any]
_MOST_NOTES, _MOST_GONE, _MOST_RANGES, _MOST_SCORES = 10, 300, 30, 500
_SHORT, _LONG = 160, 600
_TONES = {
    "worse": Tone.BAD,
    "new, and not clean": Tone.BAD,
    "better": Tone.GOOD,
    "as before": Tone.PLAIN,
    "new": Tone.PLAIN,
    "gone": Tone.QUIET,
}
_MEANS = {
    "worse": "a graver verdict, or a finding that was not there; notes apart",
    "new, and not clean": "in the later report alone, and something is wrong, differs, or was not judged",
    "better": "nothing is worse, and a finding is gone or the verdict less grave",
    "as before": "the same verdict and the same findings",
    "new": "in the later report alone, with nothing to find",
    "gone": "in the earlier report alone: nothing is said of it any more",
}


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> Page:
    """The page.

    Raises:
        PublishingError: one of the two contradicts itself.
    """
    for one in (before, after):
        agreed(one)
    found = pairs(before, after)
    states = Counter(one.state for one in found)
    worse, better = states["worse"] + states["new, and not clean"], states["better"]
    new = [one for pair in found for one in pair.new]
    gone = [one for pair in found for one in pair.gone]
    told = (
        f"{many(worse, 'job')} got worse, {number(better)} got better, of {many(len(found), 'job')} in "
        f"either report; {many(len(new), 'finding')} new, {number(len(gone))} gone"
    )
    empty = void(before, after)
    return Page(
        "difference",
        ("Two audits: ", Code(_name(before)), " and ", Code(_name(after))),
        verdict(worse, better, told, empty, broke=after["exit_code"] >= 2 > before["exit_code"]),
        1 if worse else 0,
        tuple(_facts(before, after)),
        tuple(Count(name, states[name], tone, _MEANS[name]) for name, tone in _TONES.items()),
        "jobs in either report",
        tuple(_warnings(before, after, found)),
        tuple(_sections(before, after, found, new, gone)),
        None,
        tuple(_case(after, one) for one in found),
        tuple(_notes(after, new)),
    )


def _name(document: Document) -> str:
    """The one job, or the folder of all."""
    jobs = document["jobs"]
    return cut(jobs[0]["path"] if len(jobs) == 1 else Below(jobs).folder or many(len(jobs), "job"), _SHORT)


def _facts(before: Document, after: Document) -> Iterator[Fact]:
    for name, key in (("spec", "spec"), ("level", "level"), ("kit", "kit_version"), ("fails on", "fail_on")):
        yield both(name, before[key], after[key])
    for name in ("jobs", "trials", "unverified", "total"):
        told = {"unverified": "trials by records alone", "total": "findings"}.get(name, name)
        yield both(told, number(before["summary"][name]), number(after["summary"][name]))
    yield both("exit code", before["exit_code"], after["exit_code"])


def _warnings(before: Document, after: Document, found: Sequence[Pair]) -> Iterator[Line]:
    for what, key in (("at different levels", "level"), ("with different kits", "kit_version")):
        if before[key] != after[key]:
            yield (f"The two were made {what}: what changed may come from that.",)
    gone = sum(one.after is None for one in found)
    if gone:
        yield (
            f"{many(gone, 'job')} of the earlier report {'is' if gone == 1 else 'are'} not in the later one.",
        )
    sides = [(one.before, one.after) for one in found if one.before and one.after]
    lost = sum(
        one["unverified"] < one["trials"] and other["unverified"] == other["trials"] for one, other in sides
    )
    if lost:
        yield (f"Reward files of {many(lost, 'job')} were held to the trials before, and are not now.",)
    if any(one.uncertain for one in found):
        yield ("A job has more findings than its report lists: which of them are new can't all be told.",)


def _verified(job: Document) -> int:
    """Trials held to their reward files."""
    return int(job["trials"] - job["unverified"])


def _sections(
    before: Document, after: Document, found: Sequence[Pair], new: Sequence[Listed], gone: Sequence[Listed]
) -> Iterator[Section]:
    below = Below([*before["jobs"], *after["jobs"]])
    changed = [one for one in found if one.state != "as before"]
    if changed:
        shown = _table(after["fail_on"], changed, "Jobs that are not as before")
        yield Section("changed", "Jobs that changed", (shown,))
    if new:
        yield Section("new-findings", "New findings", (_failures(after, new, below),))
    if gone:
        yield Section("gone-findings", "Findings that are gone", (_gone(gone, below),))
    every = scores(before, after, found)
    if moved := [one for one in every if one.changed]:
        yield Section("scores", "Scores that changed", tuple(_scores(moved, below)))
    elif every:
        line = f"The scores of {many(len(every), 'group')} of trials are the same in both."
        yield Section("scores", "Scores", (Paragraph((line,)),))
    same = [one for one in found if one.state == "as before"]
    if same:
        shown = _table(after["fail_on"], same, "Jobs that are as before")
        yield Section("same", "Jobs as before", (shown,), brief=False)


def _table(fail_on: str, found: Sequence[Pair], caption: str) -> Table:
    rows = []
    for one in found:
        side = one.after or one.before
        marks: list[Line] = [
            ("–",) if job is None else (verdict_mark(job["verdict"], fail_on),)
            for job in (one.before, one.after)
        ]
        rows.append(
            Row(
                (
                    (cut(one.name, _SHORT),),
                    (Mark(one.state, _TONES[one.state]),),
                    *marks,
                    (number(len(one.new)),),
                    (number(len(one.gone)),),
                ),
                anchor("job", side["path"]) if side is not None else None,
                _TONES[one.state],
                {"change": one.state},
            )
        )
    head = ("job", "change", "before", "after", "new findings", "gone findings")
    return Table(head, tuple(rows), caption, frozenset({4, 5}), long=len(rows) > _MOST_RANGES)


def _failures(after: Document, new: Sequence[Listed], below: Below) -> Failures:
    by_place: dict[tuple[bool, str, str], list[Listed]] = {}
    for job, finding in new:
        place = (finding["severity"] != "wrong", finding["kind"], job["path"])
        by_place.setdefault(place, []).append((job, finding))
    grave = [places for key, places in by_place.items() if not key[0]]
    others = [places for key, places in by_place.items() if key[0]]
    shown, seen = [], set()
    for job, finding in [*in_turn(grave), *in_turn(others)][:MOST]:
        if finding["id"] not in seen:
            seen.add(finding["id"])
            due = Mark("new", Tone.BAD)
            rule = finding["rule"] or ""
            shown.append(failure(after, (job, finding), below, due, finding["kind"], rule, False))
    return Failures(tuple(shown), len(new) - len(shown))


def _gone(gone: Sequence[Listed], below: Below) -> Block:
    lines: list[Line] = []
    for job, one in gone[:_MOST_GONE]:
        place = " ".join(filter(None, (one["file"], one["path"]))) or "the directory itself"
        where = f" in {cut(below.short(job['path']), _SHORT)}: {cut(place, _SHORT)}"
        lines.append((Code(one["id"]), f" {one['kind']}", where))
    rest = len(gone) - len(lines)
    return Lines((*lines, (f"and {number(rest)} more",)) if rest else tuple(lines))


def _scores(moved: Sequence[Score], below: Below) -> Iterator[Block]:
    ranges = []
    for one in moved[:_MOST_RANGES]:
        for side, name in ((one.before, "before"), (one.after, "after")):
            score = side["by"].get("records")
            if score is not None:
                low, high = score["interval"] or (None, None)
                label = f"{cut(below.short(one.name), _SHORT)}, {name}"
                ranges.append(Range(label, score["value"], low, high, ", ".join(one.who), name == "after"))
    if ranges:
        left = f", the first {_MOST_RANGES} of {number(len(moved))}" if len(moved) > _MOST_RANGES else ""
        yield Ranges(
            f"Harbor's mean with its 95 % interval over tasks, before and after{left}", tuple(ranges)
        )
    rows = []
    for one in moved[:_MOST_SCORES]:
        was, now = one.values
        step = None if was is None or now is None else now - was
        unit = 100 if one.share else 1
        moves = (str(one.higher), str(one.lower), str(one.alone)) if one.told else ("?", "?", "?")
        stated = [figure(side["stated"]["value"], one.share) for side in (one.before, one.after)]
        rows.append(
            Row(
                (
                    (cut(below.short(one.name), _SHORT),),
                    (cut(" / ".join(one.who), _SHORT),),
                    (figure(was, one.share),),
                    (figure(now, one.share),),
                    ("–" if step is None else f"{unit * step:+.3g}",),
                    *((text,) for text in stated),
                    *((text,) for text in moves),
                )
            )
        )
    rest = len(moved) - len(rows)
    left = f"; {number(rest)} more are left out" if rest else ""
    head = (
        *("submission or job", "of", "before", "after", "difference", "stated before", "stated after"),
        *("tasks higher", "tasks lower", "tasks in one alone"),
    )
    yield Table(head, tuple(rows), f"Harbor's mean, before and after{left}", frozenset(range(2, len(head))))


def _case(after: Document, one: Pair) -> Case:
    side = one.after or one.before
    group = (side or {}).get("submission") or "jobs"
    if one.after is None:
        return Case(group, one.name, "skipped", "in the earlier report alone")
    if not one.worse:
        return Case(group, one.name, "passed")
    was = "not there" if one.before is None else one.before["verdict"]
    found = "\n".join(
        f"[{finding['id']}] {finding['severity']} {finding['kind']}: {cut(finding['file'], _LONG)} "
        f"{cut(finding['path'], _LONG)}: found {cut(finding['found'], _LONG)}, "
        f"expected {cut(finding['expected'], _LONG)}"
        for _, finding in one.new[:_MOST_NOTES]
    )
    state = "error" if one.after["verdict"] == "not judged" else "failed"
    told = f"{was} before, {one.after['verdict']} now, {many(len(one.new), 'new finding')}"
    return Case(group, one.name, state, told, found)


def _notes(after: Document, new: Sequence[Listed]) -> Iterator[Note]:
    """One for each kind of new finding."""
    kinds: dict[tuple[str, str], list[Listed]] = {}
    for one in new:
        kinds.setdefault((one[1]["severity"], one[1]["kind"]), []).append(one)
    for (severity, kind), places in sorted(kinds.items(), key=lambda item: (item[0][0] != "wrong", item[0]))[
        :_MOST_NOTES
    ]:
        job, first = places[0]
        text = (
            f"First in {cut(job['path'], _LONG)}: found {cut(first['found'], _LONG)}, expected "
            f"{cut(first['expected'], _LONG)}. {explaining(after, job, first['id'])}"
        )
        yield Note("error", f"new: {severity} {kind}, {many(len(places), 'finding')}", text)
