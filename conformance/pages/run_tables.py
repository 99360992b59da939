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
    lacking = [offer for offer in claims.offer(run.document) if offer.unsupported or not offer.offered]
    if lacking and run.document["runner"]["name"] is not None:
        package = claims.package_of(run.document)
        yield Table(
            "Unsupported",
            ("operation", "offered", "unsupported", "of", "the most frequent reason"),
            [
                (
                    Code(offer.op),
                    _offered(offer, package),
                    offer.unsupported,
                    offer.vectors,
                    offer.reason or "",
                )
                for offer in lacking
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
        headings = ("cause", "new input", "expected", "actual", "as the cause predicts")
        yield Table("Inputs that test the causes", headings, tried, long=True)


def _experiments(run: Run) -> Iterator[tuple[Cell, ...]]:
    for line in run.todo:
        for test in line["experiments"]:
            texts = (Code(one_line(test[name], 300)) for name in ("input", "expected", "actual"))
            yield (one_line(line["says"], 200), *texts, "yes" if test["foretold"] else Mark("no", Tone.BAD))


def _classes(run: Run) -> Table:
    rows = []
    for class_ in run.accounts:
        without_result = class_.vectors - class_.totals.total()
        claim = Mark(class_.claimed, Tone.GOOD) if class_.claimed else "none"
        bar = _bar(class_.totals, without_result)
        rows.append((class_.name, class_.vectors, bar, claim, class_.reached or "none", class_.reason or ""))
    headings = ("class", "vectors", "outcomes", "claim", "level reached", "reason for no claim")
    return Table("Classes", headings, rows)


def _known_failures(run: Run) -> Table:
    """Return each entry with its current state, age and reason; entries to remove come first."""
    listed = [*run.document["results"], *run.document["properties"], *claims.rephrased_results(run.document)]
    by_entry: dict[tuple[str, str], int] = Counter(
        (result["expected_by"], result["outcome"]) for result in listed if result["expected_by"]
    )
    problems = {
        int(number): text
        for number, _, text in (line.removeprefix(LIST_PROBLEM).partition(": ") for line in run.list_problems)
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


def _offered(offer: claims.OpOffer, package: str | None) -> Cell:
    if offer.offered:
        return Mark("partly", Tone.WARN)
    if package is not None and not offer.own:
        return f"no: not part of {package}"
    return Mark("no", Tone.WARN)


def _bar(counts: Mapping[str, int], missing: int = 0) -> Bar:
    parts = [(name, count, tone_of(name)) for name, count in sorted(counts.items(), key=lambda row: -row[1])]
    return Bar((*parts, *([("without a result", missing, Tone.QUIET)] if missing > 0 else [])))
