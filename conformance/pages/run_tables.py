"""The tables of a run's page: classes, known failures, unsupported operations, rules, experiments."""

from collections import Counter
from collections.abc import Iterator, Mapping

from conformance.outcomes import claims
from conformance.outcomes.claims import LIST_PROBLEM
from conformance.pages.model import Bar, Cell, Code, Mark, Table, Tone
from conformance.pages.run_state import Run, age
from conformance.pages.words import one_line, tone_of
from conformance.wire.text import cut

__all__ = ["tables"]


def tables(run: Run) -> Iterator[Table]:
    """Yield all tables."""
    yield _classes(run)
    if run.entries:
        yield _known_failures(run)
    lacking = [one for one in claims.offer(run.document) if one.unsupported or not one.offered]
    if lacking and run.document["runner"]["name"] is not None:
        package = claims.package_of(run.document)
        yield Table(
            "Unsupported",
            ("operation", "offered", "unsupported", "of", "the most frequent reason"),
            [
                (
                    Code(one.op),
                    _offered(one, package),
                    one.unsupported,
                    one.vectors,
                    one.reason or "",
                )
                for one in lacking
            ],
        )
    clauses = claims.clause_counts(run.document)
    statements = run.document["clauses"]
    rows = [
        (Code(clause), one_line(statements.get(clause, "")), _bar(counts))
        for clause, counts in clauses.items()
    ]
    if rows:
        yield Table("Rules", ("clause", "statement", "vectors"), rows, long=True)
    tried = list(_experiments(run))
    if tried:
        head = ("cause", "new input", "expected", "actual", "as the cause predicts")
        yield Table("Inputs that test the causes", head, tried, long=True)


def _experiments(run: Run) -> Iterator[tuple[Cell, ...]]:
    for line in run.todo:
        for one in line["experiments"]:
            texts = (Code(one_line(one[name], 300)) for name in ("input", "expected", "actual"))
            yield (one_line(line["says"], 200), *texts, "yes" if one["foretold"] else Mark("no", Tone.BAD))


def _classes(run: Run) -> Table:
    rows = []
    for one in run.accounts:
        rest = one.vectors - one.totals.total()
        claim = Mark(one.claimed, Tone.GOOD) if one.claimed else "none"
        bar = _bar(one.totals, rest)
        rows.append((one.name, one.vectors, bar, claim, one.reached or "none", one.reason or ""))
    head = ("class", "vectors", "outcomes", "claim", "level reached", "reason for no claim")
    return Table("Classes", head, rows)


def _known_failures(run: Run) -> Table:
    """Return each entry with its current state, age and reason; entries to remove come first."""
    listed = [
        *run.document["results"],
        *run.document["properties"],
        *claims.rephrased_results(run.document),
    ]
    by_entry: dict[tuple[str, str], int] = Counter(
        (one["expected_by"], one["outcome"]) for one in listed if one["expected_by"]
    )
    problems = {
        int(number): text
        for number, _, text in (one.removeprefix(LIST_PROBLEM).partition(": ") for one in run.list_problems)
        if number.isdecimal()
    }
    rows: list[tuple[Cell, ...]] = []
    for text, entry in run.entries.items():
        failing, passing = by_entry[text, "expected-failure"], by_entry[text, "unexpected-pass"]
        problem = problems.get(entry["line"])
        if passing:
            state = Mark("passes: remove it", Tone.BAD)
        elif problem is not None:
            state = Mark("stale: remove it" if " is stale" in problem else "matches nothing", Tone.BAD)
        elif failing:
            state = Mark("fails as listed", Tone.KNOWN)
        else:
            state = Mark("nothing failed like this in this run", Tone.WARN)
        listed_for = age(entry["since"], run.document["started_at"])
        reason = one_line(entry["reason"]) or "no reason given"
        rows.append((Code(cut(entry["pattern"], 300)), entry["outcome"], state, failing, listed_for, reason))
    rows.sort(key=lambda row: not (isinstance(row[2], Mark) and row[2].tone is Tone.BAD))
    return Table("Known failures", ("entry", "outcome", "state", "failures", "age", "reason"), rows)


def _offered(one: claims.OpOffer, package: str | None) -> Cell:
    if one.offered:
        return Mark("partly", Tone.WARN)
    if package is not None and not one.own:
        return f"no: not part of {package}"
    return Mark("no", Tone.WARN)


def _bar(counts: Mapping[str, int], rest: int = 0) -> Bar:
    parts = [(name, count, tone_of(name)) for name, count in sorted(counts.items(), key=lambda one: -one[1])]
    return Bar((*parts, *([("without a result", rest, Tone.QUIET)] if rest > 0 else [])))
