"""What a reader of the difference of two runs sees first."""

from collections.abc import Iterator

from conformance.publishing.blocks import Cell, Code, Line, Mark, Row, Table, Tone
from conformance.publishing.differences.runs.pairs import Change, Runs, rests
from conformance.publishing.kinds.runs.account import Run, counted, cut, number
from conformance.publishing.kinds.runs.head import verdict as verdict_of
from conformance.publishing.kinds.runs.head import warnings as warnings_of
from conformance.publishing.model import Count, Fact, Section, Verdict

__all__ = ["counts", "facts", "runs_side_by_side", "verdict", "warnings"]

_MEANS = {
    Change.WORSE: (
        Tone.BAD,
        "Passed, or was unsupported, and is wrong now; or passed, and is not answered now.",
    ),
    Change.BETTER: (Tone.GOOD, "Did not pass, and passes now."),
    Change.OTHERWISE: (Tone.WARN, "Passed in neither, and what came out is not the same."),
    Change.FAILING: (Tone.KNOWN, "Failed in both, with the same outcome and the same answer."),
    Change.PASSING: (Tone.GOOD, "Passed in both."),
    Change.UNSUPPORTED: (Tone.WARN, "Unsupported in both."),
    Change.BEFORE: (Tone.QUIET, "The second run has no result of it."),
    Change.AFTER: (Tone.QUIET, "The first run has no result of it."),
}
_ALWAYS = frozenset({Change.WORSE, Change.BETTER})


def verdict(runs: Runs) -> Verdict:
    """What got worse, of how many."""
    sizes = {change: len(runs.of(change)) for change in Change}
    both = len(runs.vectors) - sizes[Change.BEFORE] - sizes[Change.AFTER]
    told = [f"{number(sizes[one])} {one.value}" for one in _MEANS if sizes[one] or one in _ALWAYS]
    said = f"{_capital(counted(both, 'vector has', 'vectors have'))} a result in both: {', '.join(told)}."
    for pairs, one, many in (
        (runs.properties, "property", "properties"),
        (runs.again, "vector asked again", "vectors asked again"),
    ):
        if worse := sum(pair.change is Change.WORSE for pair in pairs):
            said += f" {counted(worse, one, many)} got worse."
    if runs.unjudged:
        word = verdict_of(runs.after).word
        return Verdict(f"the second run: {word}", Tone.BAD, said)
    if runs.worse:
        return Verdict(f"{number(len(runs.worse))} got worse", Tone.BAD, said)
    whole = not (sizes[Change.BEFORE] or sizes[Change.AFTER] or runs.before.in_part or runs.after.in_part)
    lost = set(runs.before.claimed) - set(runs.after.claimed)
    fails = runs.after.exit_code > runs.before.exit_code
    good = whole and runs.one_spec and not lost and not fails and (runs.again or not runs.after.again_wrong)
    if lost:
        said += f" {counted(len(lost), 'claim was', 'claims were')} lost all the same."
    if fails:
        said += " The second run fails all the same, and the first did not."
    return Verdict("nothing got worse", Tone.GOOD if good else Tone.WARN, said)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def counts(runs: Runs) -> tuple[Count, ...]:
    """Every vector of which one of the runs has a result, once."""
    found = [(change, len(runs.of(change))) for change in _MEANS]
    return tuple(
        Count(change.value, size, *_MEANS[change]) for change, size in found if size or change in _ALWAYS
    )


def facts(runs: Runs) -> tuple[Fact, ...]:
    """What both runs are of; what differs, with both values."""
    return tuple(
        Fact(name, before if before == after else (*before, " → ", *after))
        for name, before, after in _facts(runs)
    )


def _facts(runs: Runs) -> Iterator[tuple[str, Line, Line]]:
    before, after = runs.before, runs.after
    yield "level", (Code(before.level),), (Code(after.level),)
    for name, member in (("kit", "kit_version"), ("spec", "spec")):
        yield name, (Code(before.document[member]),), (Code(after.document[member]),)
    yield "vectors", _version(before), _version(after)
    yield "runner", (Code(before.runner),), (Code(after.runner),)
    yield "command", _command(before), _command(after)
    yield "run", (before.document["started_at"],), (after.document["started_at"],)


def _version(run: Run) -> Line:
    version = rests(run)
    return ("unknown",) if version is None else (Code(cut(version, 60)),)


def _command(run: Run) -> Line:
    return (Code(cut(str(run.document["runner"]["command"]), 1_000)),)


def runs_side_by_side(runs: Runs) -> Section:
    """What both runs came to."""
    rows: list[tuple[str, Cell, Cell]] = [(name, one, two) for name, one, two in _facts(runs)]
    rows += [
        (name, (told(runs.before),), (told(runs.after),))
        for name, told in (
            ("digest of the vectors", _digest),
            ("verdict", lambda run: verdict_of(run).word),
            ("exit code", lambda run: str(run.exit_code)),
            ("results", lambda run: number(len(run.results))),
            ("passed", lambda run: number(run.totals["passed"])),
            ("failed, not known", lambda run: number(len(run.failed))),
            ("failed as expected", lambda run: number(run.totals["expected-failure"])),
            ("unsupported", lambda run: number(run.totals["unsupported"])),
            ("not run", lambda run: number(run.totals["not-run"])),
            ("classes claimed", lambda run: f"{len(run.claimed)} of {len(run.document['classes'])}"),
            ("asked again, wrong", lambda run: f"{len(run.again_wrong)} of {len(run.again)}"),
            ("properties that did not hold", lambda run: f"{len(run.broken)} of {len(run.properties)}"),
            ("duration", lambda run: f"{run.document['duration_seconds']:.2f} s"),
        )
    ]
    table = Table(
        ("what", "first", "second"),
        tuple(
            Row(((name,), one, two), tone=Tone.PLAIN if one == two else Tone.WARN) for name, one, two in rows
        ),
        "The two runs",
    )
    return Section("runs", "The two runs", (table,))


def _digest(run: Run) -> str:
    said = run.document.get("vectors")
    return "unknown" if said is None else str(said["digest"])[:19]


def warnings(runs: Runs) -> tuple[Line, ...]:
    """What keeps the difference from being the whole story."""
    before, after = runs.before, runs.after
    found: list[Line] = []
    if not runs.one_spec:
        found.append(
            (
                Mark("two specs", Tone.WARN),
                f": vectors are compared by what stands behind {before.spec} and {after.spec} in their ids; ",
                _answered_otherwise(runs),
            )
        )
    if before.level != after.level:
        found.append(
            (
                Mark("two levels", Tone.WARN),
                f": both are held to the weaker one, {runs.level}, vector by vector",
            )
        )
    if not runs.again and after.again_wrong:
        wrong, was = counted(len(after.again_wrong), "vector"), number(len(before.again_wrong))
        text = f"{wrong} failed in other words in the second run, {was} in the first; "
        text += "the two were asked in different words, and are not compared"
        found.append((Mark("asked again", Tone.WARN), f": {text}"))
    for which, run in (("first", before), ("second", after)):
        found += [(f"the {which}: ", *line) for line in warnings_of(run)]
    return tuple(found)


def _answered_otherwise(runs: Runs) -> str:
    """How many vectors are due another answer in the other spec."""
    known = runs.before.of.known, runs.after.of.known
    count = 0
    for pair in runs.vectors:
        first, second = (
            known[place].get(f"{run.spec}/{pair.key}") for place, run in enumerate((runs.before, runs.after))
        )
        count += first is not None and second is not None and repr(first.expected) != repr(second.expected)
    return f"{counted(count, 'vector is', 'vectors are')} due another answer in the second"
