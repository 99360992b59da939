"""The tables of the two documents."""

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ParamSpec, TypeVar

from conformance.assessment.answers import source_table
from conformance.assessment.benchmarks import Benchmark
from conformance.assessment.markdown import Cell, Code, table
from conformance.assessment.measurements import CaughtMistake, ClauseSection, Measurements, Reading, Record
from conformance.mutants.fate import Fate
from conformance.mutants.results import Counts, Mutated

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
_Given = ParamSpec("_Given")
_Rows = Iterator[tuple[Cell, ...]]
_WEAKEST = 5
"""The number of weakest places that the page names."""


def _shown(*head: str) -> Callable[[Callable[_Given, _Rows]], Callable[_Given, str]]:
    """Turns the decorated function's rows into a table."""

    def decorate(function: Callable[_Given, _Rows]) -> Callable[_Given, str]:
        @functools.wraps(function)
        def shown(*args: _Given.args, **kwargs: _Given.kwargs) -> str:
            return table(head, function(*args, **kwargs))

        return shown

    return decorate


def answers(specs: Sequence[Measurements]) -> str:
    """The number of expected answers by source."""
    return source_table({one.spec: one.answers for one in specs})


def numbers(specs: Sequence[Measurements]) -> str:
    """The counts, with a column for each spec."""

    def mutants(column: str) -> Callable[[Measurements], int]:
        return lambda m: sum(getattr(one, column) for one in m.mutants.modules.values())

    counts: list[tuple[str, Callable[[Measurements], int | None]]] = [
        ("vectors", lambda m: sum(m.vectors.values())),
        ("clauses", lambda m: sum(one.clauses for one in m.clauses)),
        ("… that a vector tests", lambda m: sum(one.traced for one in m.clauses)),
        ("… that none can test, for a reason given", lambda m: sum(one.excused for one in m.clauses)),
        ("… neither (must be 0)", lambda m: len(m.bare)),
        ("known mistakes", lambda m: len(m.mistakes)),
        ("… that the vectors catch", lambda m: len(m.mistakes) - len(m.missed)),
        ("… that they do not (must be 0)", lambda m: len(m.missed)),
        ("mutants of the reference", mutants("mutants")),
        ("… that the vectors catch", mutants("caught")),
        ("… that do not even start", mutants("at_import")),
        ("… proven equivalent", mutants("excused")),
        ("… not caught (must be 0)", mutants("survived")),
        ("properties", lambda m: len(m.properties)),
        ("… that a known mistake breaks", lambda m: sum(one.broken_by is not None for one in m.properties)),
        (
            "random inputs compared with the oracle",
            lambda m: m.record.report["compared"] if m.record else None,
        ),
        ("… answered differently (must be 0)", lambda m: m.record.report["disagreed"] if m.record else None),
    ]
    return table(["", *(m.spec for m in specs)], [[what, *map(count, specs)] for what, count in counts])


@_shown("spec", "what", "which", "about it")
def faults(specs: Sequence[Measurements]) -> _Rows:
    """All faults; empty if there are none."""
    for m in specs:
        for what, name, more in m.faults():
            yield m.spec, what, Code(name), more


@_shown("spec", "class", "vectors", "known mistakes", "caught")
def classes(specs: Sequence[Measurements]) -> _Rows:
    """Vectors and known mistakes of each class."""
    for m in specs:
        for name, vectors in m.vectors.items():
            of = [one for one in m.mistakes if one.conformance_class == name]
            yield m.spec, name, vectors, len(of), sum(one.vector is not None for one in of)


@_shown(
    *("operation", "mistakes", "caught", "unreachable"),
    *("mutants", "caught", "equivalent, unreachable", "neither"),
)
def alone(specs: Sequence[Measurements]) -> _Rows:
    """For each operation, how much of the code it uses its own vectors check."""
    for m in specs:
        for op, of in m.mutants.ops.items():
            using = [one for one in m.mistakes if op in one.alone]
            caught = sum(one.alone[op] is not None for one in using)
            unreachable = sum((op, one.name) in m.unreachable for one in using)
            proven = of.excused + (of.unreachable or 0)
            neither = len(using) - caught - unreachable + of.survived
            of_mutants = (of.mutants, of.caught + of.at_import, proven or None)
            yield Code(op), len(using), caught, unreachable or None, *of_mutants, neither or None


@_shown("document", "misreadings", "passed at first", "caught now", "equivalent", "beyond the kit")
def readings(specs: Sequence[Measurements]) -> _Rows:
    """The misreadings of each document, and the outcome of those that passed at first."""
    every = [one for m in specs for one in m.readings]
    for document, seen in sorted({(one.document, not one.blind) for one in every}):
        of = [one for one in every if (one.document, not one.blind) == (document, seen)]
        became = Counter(one.became for one in of if one.at_first == "survived")
        caught = became["vector"] + became["caught"] + became["same"]
        counts = (count or None for count in (caught, became["equivalent"], became["limit"]))
        yield f"{document}, after the first results" if seen else document, len(of), became.total(), *counts


def reading_limits(specs: Sequence[Measurements]) -> list[Reading]:
    """The misreadings that no vector can catch although they are not equivalent."""
    return [one for m in specs for one in m.readings if one.became == "limit"]


@_shown("benchmark", "what", "figure", "aim", "")
def speed(benchmarks: Sequence[Benchmark]) -> _Rows:
    """Figures next to their targets."""
    for run in benchmarks:
        for one in run.figures:
            yield Code(run.name), one.what, one.value_text, one.aim_text, one.verdict


@_shown("operation", "mistake", "why no input can show it")
def unreachable_mistakes(m: Measurements) -> _Rows:
    """The mistakes that an operation uses and cannot show, with the proofs."""
    yield from ((Code(op), Code(name), reason) for (op, name), reason in m.unreachable.items())


@_shown("misreading", "what the implementation does", "at first", "became")
def all_readings(m: Measurements) -> _Rows:
    """Every misreading of a spec's documents."""
    yield from ((Code(one.name), one.says, one.at_first, one.reason or one.became) for one in m.readings)


def weakest_sections(specs: Sequence[Measurements]) -> str:
    """The sections with the most untested clauses, those without a reason first."""
    partly = [(m.spec, one) for m in specs for one in m.clauses if one.bare or one.excused]
    partly.sort(key=lambda pair: (pair[1].bare, pair[1].excused), reverse=True)
    return _sections(partly[:_WEAKEST])


def clause_sections(m: Measurements) -> str:
    """The clauses of each section."""
    return _sections([(m.spec, one) for one in m.clauses])


@_shown("spec", "document, section", "clauses", "tested", "not testable", "neither")
def _sections(sections: Iterable[tuple[str, ClauseSection]]) -> _Rows:
    for spec, one in sections:
        section = f"{one.document} §{one.section}"
        yield spec, section, one.clauses, one.traced, one.excused or None, one.bare or None


@_shown("clause", "statement", "why no vector can test it")
def untested_clauses(m: Measurements) -> _Rows:
    """The clauses that no vector can test."""
    yield from ((Code(one.id), one.statement, one.untested) for one in m.untested)


def mistakes(m: Measurements) -> dict[str, str]:
    """The known mistakes, a table for each operation."""
    return {op: _mistakes(m.spec, found) for op, found in _grouped(m.mistakes, lambda one: one.op)}


@_shown("mistake", "what the runner does", "clause", "caught by", "the shortest of them")
def _mistakes(spec: str, found: Iterable[CaughtMistake]) -> _Rows:
    for one in found:
        vector = Code(one.vector.removeprefix(f"{spec}/")) if one.vector else None
        yield Code(one.name), one.says, Code(one.clause), one.caught_by, vector


def modules(m: Measurements) -> str:
    """The mutants of each module of the reference."""
    return _modules([(m.spec, name, one) for name, one in m.mutants.modules.items()])


def weakest_modules(specs: Sequence[Measurements]) -> str:
    """The modules with the most uncaught mutants, those with survivors first."""
    every = [(m.spec, name, one) for m in specs for name, one in m.mutants.modules.items()]
    uncaught = [one for one in every if one[2].survived or one[2].excused]
    uncaught.sort(key=lambda one: (one[2].survived, one[2].excused), reverse=True)
    return _modules(uncaught[:_WEAKEST])


@_shown("spec", "module", "mutants", "caught", "no start", "equivalent", "not caught")
def _modules(listed: Iterable[tuple[str, str, Counts]]) -> _Rows:
    for spec, name, one in listed:
        others = (count or None for count in (one.at_import, one.excused, one.survived))
        yield spec, Code(name), one.mutants, one.caught, *others


def excused_mutants(m: Measurements) -> dict[str, dict[str, str]]:
    """The mutants that answer as the reference does, by module and reason."""
    return {
        module: {reason: _excused(of) for reason, of in _grouped(found, lambda one: one.reason or "")}
        for module, found in _grouped(m.mutants.of(Fate.EXCUSED), lambda one: one.id.partition(":")[0])
    }


@_shown("mutant", "the reference", "the mutant")
def _excused(found: Iterable[Mutated]) -> _Rows:
    for one in found:
        yield Code(one.id.partition(":")[2]), Code(one.before), Code(one.after)


@_shown("property", "operation", "what holds", "broken by")
def properties(m: Measurements) -> _Rows:
    """The properties, each with a known mistake that breaks it."""
    for one in m.properties:
        broken_by = Code(one.broken_by) if one.broken_by else None
        yield Code(one.id.rpartition("/")[2]), Code(one.op), one.rule, broken_by


@_shown("operation", "inputs", "answered differently")
def agreement(record: Record) -> _Rows:
    """The random inputs of each operation."""
    for op, of in sorted(record.report["ops"].items()):
        yield Code(op), of["agreed"] + of["disagreed"], of["disagreed"]


def _grouped(items: Iterable[_Item], key: Callable[[_Item], str]) -> list[tuple[str, list[_Item]]]:
    groups: dict[str, list[_Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return list(groups.items())
