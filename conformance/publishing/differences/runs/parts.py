"""The sections of the difference of two runs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from conformance.publishing.anchors import class_anchor, failure_anchor, rule_anchor, vector_anchor
from conformance.publishing.blocks import (
    Block,
    Cell,
    Code,
    Failure,
    Failures,
    Inline,
    Link,
    Mark,
    Paragraph,
    Row,
    Table,
    Tone,
)
from conformance.publishing.differences.runs.pairs import Change, Pair, Runs
from conformance.publishing.kinds.runs.account import (
    Run,
    answer_text,
    counted,
    cut,
    number,
    sentence,
    tone_of,
)
from conformance.publishing.kinds.runs.causes import Causes
from conformance.publishing.kinds.runs.failures import again_of, failure_of, property_of
from conformance.publishing.kinds.runs.known import by_text, entries
from conformance.publishing.model import Section
from conformance.report.consistency import Entry

__all__ = ["classes", "known", "one_sided", "otherwise", "rules", "vectors", "worse"]

_FEW = 5
_CHANGED = (Change.WORSE, Change.BETTER, Change.OTHERWISE)
_SHORT = 200


def worse(runs: Runs) -> Section | None:
    """All that got worse: what is wrong now with all that the second run tells of it, the rest by op."""
    if not runs.worse:
        return None
    causes, listed = Causes.of(runs.after), by_text(entries(runs.after))
    told: list[Failure] = []
    for pair in sorted(runs.wrong_now, key=lambda pair: (pair.entry.get("clause", ""), pair.key)):
        if "changes" in pair.entry:
            one = again_of(runs.after, listed, pair.entry)
        elif "examples" in pair.entry:
            one = property_of(runs.after, listed, pair.entry)
        else:
            one = failure_of(runs.after, causes, listed, pair.entry)
        known = pair.entry["outcome"] == "expected-failure"
        told.append(
            replace(
                one,
                result=Mark(pair.now, _tone(pair.now)),
                expectation=Mark(f"{pair.was} before", _tone(pair.was)),
                fields=(("expected now", (one.expectation,)), *one.fields) if known else one.fields,
                facets={**one.facets, "outcome": pair.now, "expectation": f"{pair.was} before"},
            )
        )
    blocks: list[Block] = []
    if told:
        head = f"{number(len(told))} wrong now, rule by rule."
        blocks += [Paragraph((head,), Tone.BAD), Failures(tuple(told))]
    if runs.unanswered_now:
        blocks.append(_unanswered(runs))
    return Section("worse", "What got worse", tuple(blocks))


def _unanswered(runs: Runs) -> Table:
    rows = []
    for op, pairs in runs.unanswered_now.items():
        reason = Counter(pair.entry["detail"] or "" for pair in pairs).most_common(1)[0][0]
        cells: tuple[Cell, ...] = (
            (Code(op),),
            (Link(pairs[0].entry["class"], class_anchor(pairs[0].entry["class"])),),
            (number(len(pairs)),),
            (sentence(reason, 300),),
            (Link(pairs[0].key, vector_anchor(pairs[0].entry["id"])),),
        )
        rows.append(Row(cells, tone=Tone.BAD))
    columns = ("op", "class", "vectors", "what the runner says most often", "such as")
    return Table(columns, tuple(rows), "Passed in the first run, unsupported now", frozenset({2}))


def _tone(word: str) -> Tone:
    try:
        return tone_of(word)
    except ValueError:  # why there is no result
        return Tone.QUIET


def rules(runs: Runs) -> Section | None:
    """Each rule of which a vector changed or still fails."""
    by_clause: dict[str, list[Pair]] = {}
    for pair in runs.vectors:
        if pair.change in (*_CHANGED, Change.FAILING):
            by_clause.setdefault(pair.entry["clause"], []).append(pair)
    if not by_clause:
        return None
    statements = {**runs.before.statements, **runs.after.statements}
    rows = []
    for clause, pairs in sorted(by_clause.items(), key=lambda item: (-_size(item[1], Change.WORSE), item[0])):
        sizes = [_size(pairs, change) for change in (*_CHANGED, Change.FAILING)]
        cells: tuple[Cell, ...] = (
            (Code(clause),),
            (statements.get(clause, ""),),
            *((number(size) if size else "",) for size in sizes),
            _links([pair for pair in pairs if pair.change in _CHANGED]),
        )
        rows.append(Row(cells, rule_anchor(clause), Tone.BAD if sizes[0] else Tone.PLAIN))
    head = (
        "clause",
        "what it states",
        "worse",
        "better",
        "wrong otherwise",
        "still failing",
        "changed vectors",
    )
    table = Table(
        head, tuple(rows), "Rules of which a vector changed or still fails", frozenset({2, 3, 4, 5})
    )
    return Section("rules", "By rule", (table,))


def _size(pairs: Sequence[Pair], change: Change) -> int:
    return sum(pair.change is change for pair in pairs)


def _links(pairs: Sequence[Pair]) -> Cell:
    pieces: list[Inline] = []
    for pair in pairs:
        to = (
            failure_anchor(pair.entry["id"])
            if pair.change is Change.WORSE
            else vector_anchor(pair.entry["id"])
        )
        pieces += [Link(pair.key.rpartition("/")[2], to), f" ({pair.was} → {pair.now})", ", "]
    return tuple(pieces[:-1])


def otherwise(runs: Runs) -> Section | None:
    """What passed in neither, and came out differently."""
    pairs = runs.of(Change.OTHERWISE)
    if not pairs:
        return None
    rows = tuple(
        Row(
            (
                (Link(pair.key, vector_anchor(pair.entry["id"])),),
                (Mark(pair.was, _tone(pair.was)),),
                _answer(pair.before),
                (Mark(pair.now, _tone(pair.now)),),
                _answer(pair.after),
                _due(pair),
            ),
            tone=Tone.WARN,
        )
        for pair in pairs
    )
    columns = ("vector", "was", "answer before", "is", "answer now", "due")
    head = Paragraph(
        (f"{counted(len(pairs), 'vector')} passed in neither run, and came out in another way.",)
    )
    table = Table(columns, rows, "Wrong in another way")
    return Section("otherwise", "Wrong in another way", (head, table))


def _answer(one: Entry | None) -> Cell:
    text = None if one is None else answer_text(one["actual"])
    return (Code(cut(text, _SHORT)),) if text is not None else ("none",)


def _due(pair: Pair) -> Cell:
    text = answer_text(pair.entry["expected"])
    return (Code(cut(text, _SHORT)),) if text is not None else ("",)


def classes(runs: Runs) -> Section:
    """The classes, and which claims were gained and lost."""
    both = (runs.before.document["classes"], runs.after.document["classes"])
    rows, changed = [], 0
    for name in dict.fromkeys((*both[0], *both[1])):
        claims = [account.get(name, {}).get("claimed") for account in both]
        reached = [account.get(name, {}).get("reached") for account in both]
        mark = _claim(*claims)
        changed += mark.tone in (Tone.GOOD, Tone.BAD)
        reason = both[1].get(name, {}).get("reason")
        cells: tuple[Cell, ...] = (
            (name,),
            (mark,),
            *((claim or "none",) for claim in claims),
            *((level or "none",) for level in reached),
            (sentence(reason) if reason else "",),
        )
        rows.append(Row(cells, class_anchor(name), mark.tone))
    columns = (
        "class",
        "claim",
        "first",
        "second",
        "reached first",
        "reached second",
        "why there is no claim now",
    )
    head = Paragraph((f"{counted(changed, 'claim')} changed." if changed else "No claim changed.",))
    return Section("classes", "Classes", (head, Table(columns, tuple(rows), "Claims by class")))


_ORDER = {None: 0, "value": 1, "exact": 2, "bytes": 3}


def _claim(before: str | None, after: str | None) -> Mark:
    if before == after:
        return Mark("as before", Tone.PLAIN)
    if _ORDER[before] < _ORDER[after]:
        return Mark("raised" if before else "gained", Tone.GOOD)
    return Mark("lowered" if after else "lost", Tone.BAD)


def one_sided(runs: Runs) -> Section | None:
    """What only one of the runs has, by why the other has not."""
    rows = []
    for change, which in ((Change.BEFORE, "first"), (Change.AFTER, "second")):
        pairs = runs.of(change)
        reasons = Counter(pair.now if change is Change.BEFORE else pair.was for pair in pairs)
        for reason, count in reasons.most_common():
            mine = [pair for pair in pairs if (pair.now if change is Change.BEFORE else pair.was) == reason]
            outcomes = Counter(pair.was if change is Change.BEFORE else pair.now for pair in mine)
            pieces: list[Inline] = [Code(mine[0].key)]
            for pair in mine[1:_FEW]:
                pieces += [", ", Code(pair.key)]
            if count > _FEW:
                pieces.append(f" and {number(count - _FEW)} more")
            marks: list[Inline] = []
            for outcome, size in outcomes.most_common():
                marks += [Mark(f"{number(size)} {outcome}", _tone(outcome)), ", "]
            cells: tuple[Cell, ...] = (
                (f"only in the {which}",),
                (reason,),
                (number(count),),
                tuple(marks[:-1]),
                tuple(pieces),
            )
            rows.append(Row(cells, tone=Tone.QUIET))
    if not rows:
        return None
    columns = ("where", "in the other", "vectors", "outcomes", "which")
    table = Table(columns, tuple(rows), "What only one of them has", frozenset({2}))
    return Section("one-sided", "In one of them alone", (table,))


def known(runs: Runs) -> Section | None:
    """Entries of the list of known failures that came, went or changed."""
    lists = [run.document.get("known_failures") for run in (runs.before, runs.after)]
    if not any(lists):
        return None
    untold = [run for run in (runs.before, runs.after) if "known_failures" not in run.document]
    if untold:
        said = "One report is of an earlier kit, which does not keep the list: entries can't be compared."
        return Section("known-failures", "Known failures", (Paragraph((said,), Tone.WARN),))
    first, second = (_by_pattern(run) for run in (runs.before, runs.after))
    rows = []
    for text in dict.fromkeys((*first, *second)):
        one, two = first.get(text), second.get(text)
        mark = Mark("added", Tone.BAD) if one is None else Mark("removed", Tone.GOOD)
        if one is not None and two is not None:
            if one == two:
                continue
            mark = Mark("changed", Tone.WARN)
        counted_in = [("" if side is None else number(side[1])) for side in (one, two)]
        reason = (two or one or ("", 0))[0]
        cells: tuple[Cell, ...] = (
            (Code(cut(text, 300)),),
            (mark,),
            *((size,) for size in counted_in),
            (sentence(reason),),
        )
        rows.append(Row(cells, tone=mark.tone))
    sizes = f"{counted(len(first), 'entry', 'entries')} before, {number(len(second))} now."
    blocks: tuple[Paragraph | Table, ...] = (
        Paragraph((sizes if rows else f"{sizes} None came, went or changed.",)),
    )
    if rows:
        columns = ("entry", "what", "failures before", "failures now", "reason")
        blocks += (Table(columns, tuple(rows), "Entries that came, went or changed", frozenset({2, 3})),)
    return Section("known-failures", "Known failures", blocks)


def _by_pattern(run: Run) -> dict[str, tuple[str, int]]:
    """Each entry's reason, and how many failures it expects, by what it says."""
    return {f"{one.pattern} {one.outcome}": (one.reason, len(one.matched)) for one in entries(run)}


def vectors(runs: Runs) -> Section | None:
    """Every vector that changed, or of which only one has a result."""
    quiet = (Change.PASSING, Change.UNSUPPORTED)
    pairs = [pair for pair in (*runs.vectors, *runs.properties) if pair.change not in quiet]
    if not pairs:
        return None
    rows = tuple(
        Row(
            (
                (Code(pair.key),),
                (runs.after.rule(pair.entry) or runs.before.rule(pair.entry),),
                (Link(pair.entry["clause"], rule_anchor(pair.entry["clause"])),),
                (Link(pair.entry["class"], class_anchor(pair.entry["class"])),),
                (Mark(pair.was, _tone(pair.was)),),
                (Mark(pair.now, _tone(pair.now)),),
                (pair.change.value,),
            ),
            vector_anchor(pair.entry["id"]),
            Tone.BAD if pair.change is Change.WORSE else Tone.PLAIN,
            {"change": pair.change.value, "class": pair.entry["class"], "op": pair.entry["op"]},
        )
        for pair in pairs
    )
    columns = ("vector", "what it shows", "clause", "class", "first", "second", "change")
    table = Table(columns, rows, "All vectors but those that pass, or are unsupported, in both", long=True)
    return Section("vectors", "All that is not the same", (table,), brief=False)
