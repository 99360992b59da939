"""The tables of the two documents: what of the measurements stands in which column."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from conformance.assessment.answers import source_table
from conformance.assessment.benchmarks import Benchmark
from conformance.assessment.markdown import Cell, Code, table
from conformance.assessment.measurements import (
    CaughtMistake,
    ClauseSection,
    ExcusedMutant,
    Measurements,
    MutatedModule,
    Reading,
    Record,
)

__all__ = [
    "agreement",
    "all_readings",
    "alone",
    "answers",
    "classes",
    "clause_sections",
    "excused_mutants",
    "faults",
    "mistakes",
    "modules",
    "numbers",
    "properties",
    "reading_limits",
    "readings",
    "speed",
    "unreachable_mistakes",
    "untested_clauses",
    "weakest_modules",
    "weakest_sections",
]

_Item = TypeVar("_Item")

_WEAKEST = 5
"""How many of the weakest places the page names."""


def answers(specs: Sequence[Measurements]) -> str:
    """How many expected answers come from which source."""
    return source_table({one.spec: one.answers for one in specs})


def numbers(specs: Sequence[Measurements]) -> str:
    """What was counted, a column for each spec."""
    counts: list[tuple[str, Callable[[Measurements], int | None]]] = [
        ("vectors", lambda m: sum(m.vectors.values())),
        ("clauses", lambda m: sum(one.clauses for one in m.clauses)),
        ("… that a vector tests", lambda m: sum(one.traced for one in m.clauses)),
        ("… that none can test, for a reason given", lambda m: sum(one.excused for one in m.clauses)),
        ("… neither (must be 0)", lambda m: len(m.bare)),
        ("known mistakes", lambda m: len(m.mistakes)),
        ("… that the vectors catch", lambda m: len(m.mistakes) - len(m.missed)),
        ("… that they do not (must be 0)", lambda m: len(m.missed)),
        ("mutants of the reference", lambda m: sum(one.mutants for one in m.modules)),
        ("… that the vectors catch", lambda m: sum(one.killed for one in m.modules)),
        ("… that do not even start", lambda m: sum(one.at_import for one in m.modules)),
        ("… proven equivalent", lambda m: sum(one.excused for one in m.modules)),
        ("… not caught (must be 0)", lambda m: sum(one.survived for one in m.modules)),
        ("properties", lambda m: len(m.properties)),
        ("… that a known mistake breaks", lambda m: sum(one.broken_by is not None for one in m.properties)),
        ("random inputs compared with the oracle", lambda m: m.record.compared if m.record else None),
        ("… answered differently (must be 0)", lambda m: m.record.disagreements if m.record else None),
    ]
    rows: list[list[Cell]] = [[what, *map(count, specs)] for what, count in counts]
    return table(["", *(m.spec for m in specs)], rows)


def faults(specs: Sequence[Measurements]) -> str:
    """All that is not as it must be; empty where all is."""
    found: Iterator[list[Cell]] = (
        [m.spec, what, Code(name), more] for m in specs for what, name, more in m.faults()
    )
    return table(["spec", "what", "which", "about it"], found)


def classes(specs: Sequence[Measurements]) -> str:
    """Vectors and known mistakes of each class."""
    rows: list[list[Cell]] = []
    for m in specs:
        for name, vectors in m.vectors.items():
            of = [one for one in m.mistakes if one.conformance_class == name]
            rows.append([m.spec, name, vectors, len(of), sum(one.vector is not None for one in of)])
    return table(["spec", "class", "vectors", "known mistakes", "caught"], rows)


def alone(specs: Sequence[Measurements]) -> str:
    """What each operation's own vectors catch of what it uses."""
    rows: list[list[Cell]] = []
    for m in specs:
        mutants = {one.name: one for one in m.ops}
        for op in mutants:
            using = [one for one in m.mistakes if op in one.alone]
            caught = sum(one.alone[op] is not None for one in using)
            unreachable = sum((op, one.name) in m.unreachable for one in using)
            of = mutants[op]
            rows.append(
                [
                    Code(op),
                    len(using),
                    caught,
                    unreachable or None,
                    of.mutants,
                    of.killed + of.at_import,
                    of.excused + of.unreachable or None,
                    (len(using) - caught - unreachable + of.survived) or None,
                ]
            )
    return table(
        [
            *(
                "operation",
                "mistakes",
                "caught",
                "unreachable",
                "mutants",
                "caught",
                "equivalent, unreachable",
            ),
            "neither",
        ],
        rows,
    )


def readings(specs: Sequence[Measurements]) -> str:
    """The misreadings of each document, and what became of those that passed at first."""
    rows: list[list[Cell]] = []
    every = [one for m in specs for one in m.readings]
    for document, blind in sorted(
        {(one.document, one.blind) for one in every}, key=lambda k: (k[0], not k[1])
    ):
        of = [one for one in every if (one.document, one.blind) == (document, blind)]
        became = Counter(one.became for one in of if one.at_first == "survived")
        caught = became["vector"] + became["caught"] + became["same"]
        rows.append(
            [
                document if blind else f"{document}, after the first results",
                len(of),
                became.total(),
                *(count or None for count in (caught, became["equivalent"], became["limit"])),
            ]
        )
    return table(
        ["document", "misreadings", "passed at first", "caught now", "equivalent", "beyond the kit"], rows
    )


def reading_limits(specs: Sequence[Measurements]) -> list[Reading]:
    """The misreadings that no vector can catch though they are none of equivalent meaning."""
    return [one for m in specs for one in m.readings if one.became == "limit"]


def speed(benchmarks: Sequence[Benchmark]) -> str:
    """Figures and aims, side by side."""
    return table(
        ["benchmark", "what", "figure", "aim", ""],
        (
            [Code(run.name), one.what, one.value_text, one.aim_text, one.verdict]
            for run in benchmarks
            for one in run.figures
        ),
    )


def unreachable_mistakes(m: Measurements) -> str:
    """The mistakes that an operation uses and cannot show, with the proofs."""
    return table(
        ["operation", "mistake", "why no input can show it"],
        ([Code(op), Code(name), reason] for (op, name), reason in m.unreachable.items()),
    )


def all_readings(m: Measurements) -> str:
    """Every misreading of a spec's documents."""
    return table(
        ["misreading", "what the implementation does", "at first", "became"],
        ([Code(one.name), one.says, one.at_first, one.reason or one.became] for one in m.readings),
    )


def weakest_sections(specs: Sequence[Measurements]) -> str:
    """The sections of the documents in which the most clauses are untested, those without a reason first."""
    partly = [(m.spec, one) for m in specs for one in m.clauses if one.bare or one.excused]
    partly.sort(key=lambda pair: (pair[1].bare, pair[1].excused), reverse=True)
    return _sections(partly[:_WEAKEST])


def clause_sections(m: Measurements) -> str:
    """The clauses of each section."""
    return _sections([(m.spec, one) for one in m.clauses])


def _sections(sections: Iterable[tuple[str, ClauseSection]]) -> str:
    return table(
        ["spec", "document, section", "clauses", "tested", "not testable", "neither"],
        (
            [
                spec,
                f"{one.document} §{one.section}",
                one.clauses,
                one.traced,
                one.excused or None,
                one.bare or None,
            ]
            for spec, one in sections
        ),
    )


def untested_clauses(m: Measurements) -> str:
    """The clauses that no vector can test."""
    return table(
        ["clause", "statement", "why no vector can test it"],
        ([Code(one.id), one.statement, one.reason] for one in m.untested),
    )


def mistakes(m: Measurements) -> dict[str, str]:
    """The known mistakes, a table for each operation."""
    return {op: _mistakes(m.spec, found) for op, found in _grouped(m.mistakes, lambda one: one.op)}


def _mistakes(spec: str, found: Iterable[CaughtMistake]) -> str:
    def vector(one: CaughtMistake) -> Cell:
        return Code(one.vector.removeprefix(f"{spec}/")) if one.vector else None

    return table(
        ["mistake", "what the runner does", "clause", "caught by", "the shortest of them"],
        ([Code(one.name), one.says, Code(one.clause), one.caught_by, vector(one)] for one in found),
    )


def modules(m: Measurements) -> str:
    """The mutants of each module of the reference."""
    return _modules([(m.spec, one) for one in m.modules])


def weakest_modules(specs: Sequence[Measurements]) -> str:
    """The modules of which the most mutants are not caught, those with survivors first."""
    uncaught = [(m.spec, one) for m in specs for one in m.modules if one.survived or one.excused]
    uncaught.sort(key=lambda pair: (pair[1].survived, pair[1].excused), reverse=True)
    return _modules(uncaught[:_WEAKEST])


def _modules(listed: Iterable[tuple[str, MutatedModule]]) -> str:
    return table(
        ["spec", "module", "mutants", "caught", "no start", "equivalent", "not caught"],
        (
            [
                spec,
                Code(one.name),
                one.mutants,
                one.killed,
                one.at_import or None,
                one.excused or None,
                one.survived or None,
            ]
            for spec, one in listed
        ),
    )


def excused_mutants(m: Measurements) -> dict[str, dict[str, str]]:
    """The mutants that answer as the reference does: by module, and there by the reason why they do."""
    return {
        module: {reason: _excused(of) for reason, of in _grouped(found, lambda one: one.reason)}
        for module, found in _grouped(m.excused, lambda one: one.id.partition(":")[0])
    }


def _excused(found: Iterable[ExcusedMutant]) -> str:
    return table(
        ["mutant", "the reference", "the mutant"],
        ([Code(one.id.partition(":")[2]), Code(one.before), Code(one.after)] for one in found),
    )


def properties(m: Measurements) -> str:
    """The properties, each with a known mistake that breaks it."""
    return table(
        ["property", "operation", "what holds", "broken by"],
        (
            [
                Code(one.id.rpartition("/")[2]),
                Code(one.op),
                one.rule,
                Code(one.broken_by) if one.broken_by else None,
            ]
            for one in m.properties
        ),
    )


def agreement(record: Record) -> str:
    """The random inputs of each operation."""
    return table(
        ["operation", "inputs", "answered differently"],
        (
            [Code(op), agreed + record.disagreed[op], record.disagreed[op]]
            for op, agreed in record.agreed.items()
        ),
    )


def _grouped(items: Iterable[_Item], key: Callable[[_Item], str]) -> list[tuple[str, list[_Item]]]:
    groups: dict[str, list[_Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.items())
