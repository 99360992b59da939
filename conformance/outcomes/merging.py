"""Merges the shards of a run: an ordinary run that replays their transcripts.

A transcript is external data. It is checked against its schema, this kit's vectors and the other shards; its
answers are judged here.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.errors import UserError
from conformance.judging.comparison import Level
from conformance.judging.known_failures import (
    Entry,
    KnownFailures,
    Offered,
)
from conformance.outcomes.reading import ReportError
from conformance.outcomes.report import Report
from conformance.outcomes.running import close_run, report_on
from conformance.outcomes.selection import Missing, vector_set_json
from conformance.outcomes.transcript import Transcript
from conformance.outcomes.words import counted
from conformance.run.options import RunOptions, base_id
from conformance.run.shards import shard_by_id, sizes
from conformance.run.transcript import Replay
from conformance.suite.properties import property_ids
from conformance.suite.vectors import Vector, VectorFileError, load_checked, load_spec, unique
from conformance.wire.messages import Hello
from conformance.wire.text import compact, printable, shortened

__all__ = ["merged"]

_ALIKE = ("ci_run", "spec", "level", "command", "vectors", "options", "known_failures", "required")
"""Members that are the same in all shards of a run."""


def merged(shards: Sequence[Transcript]) -> Report:
    """The report of the whole run; its problems name missing shards.

    Raises:
        ReportError: the shards belong to different runs, overlap, or contradict themselves.
    """
    shards = sorted(shards, key=lambda shard: shard.number)
    first = shards[0]
    of = _of_one_run(shards)
    options, every = _asked(first)
    report = _begun(first, options, every)
    lines, properties = _checked(shards, of, report)
    session = report.session
    session.dispatcher = replay = Replay(options, session.dispatcher.settings, session.known, lines=lines)
    report.keeping = replay.keeping
    chosen = _selected(shards, "vectors", sizes((vector.id for vector in session.every), of))
    tried = _selected(shards, "properties", [0] * of)
    gone = [number for number in range(1, of + 1) if number not in {shard.number for shard in shards}]
    if gone:
        report.missing = Missing(
            *(tuple(gone), of), *(sum(each[number - 1] for number in gone) for each in (chosen, tried))
        )
    report.chosen = sum(chosen)
    for record in properties:
        report.add_property(record)
    hellos = [shard.head["hello"] for shard in shards if shard.is_started]
    session.could_not_try = not hellos and not gone
    ended = [_problems(shard, chosen, alone=session.could_not_try) for shard in shards]
    session.problems += dict.fromkeys(problem for several in ended for problem in several)
    for number in gone:
        count = _were(chosen[number - 1], "vector")
        sentence = f"shard {number}/{of} is missing: {count} not asked"
        if tried[number - 1]:
            sentence += f", {_were(tried[number - 1], 'property')} not tried"
        session.problems.append(sentence)
    if hellos:
        session.hello = replay.hello = Hello.unpacked(hellos[0])
        session.ask([vector for vector in session.every if vector.id in lines])
    whole = not gone and not any(shard.head["interrupted"] or _lacking(shard, chosen) for shard in shards)
    close_run(report, whole=whole)
    session.started_at = min(shard.head["started_at"] for shard in shards)
    session.start_up_seconds = max(shard.head["start_up_seconds"] for shard in shards)
    session.duration_seconds = sum(shard.head["duration_seconds"] for shard in shards)
    return report


def _of_one_run(shards: Sequence[Transcript]) -> int:
    """Checks that all shards belong to one run; returns its number of shards."""
    first, by_number = shards[0], dict[int, Transcript]()
    of = int(first.head["shard"]["of"])
    started = [shard for shard in shards if shard.is_started]
    for shard in shards:
        if shard.number > of:
            raise ReportError(f"{shard.name} contradicts itself: `shard` is {shard.number} of {of}")
        _alike(shard, first, "shard.of", shard.head["shard"]["of"], of)
        for name in _ALIKE:
            _alike(shard, first, name, shard.head.get(name), first.head.get(name))
        if shard.is_started:
            _alike(shard, started[0], "hello", shard.head["hello"][:4], started[0].head["hello"][:4])
        other = by_number.setdefault(shard.number, shard)
        if other is not shard:
            if (other.head, other.lines) == (shard.head, shard.lines):
                raise ReportError(f"{shard.name} is there twice: {other.name} is the same {shard.label}")
            raise ReportError(f"{other.name} and {shard.name} are both {shard.label}, and differ")
    return of


def _alike(shard: Transcript, other: Transcript, name: str, mine: Any, its: Any) -> None:
    if difference := _difference(mine, its, name):
        raise ReportError(f"{shard.name} is of another run than {other.name}: {difference}")


def _asked(shard: Transcript) -> tuple[RunOptions, list[Vector]]:
    """The options of the run, and the whole set of vectors."""
    head, options_given = shard.head, dict(shard.head["options"])
    files = tuple(map(Path, options_given.pop("files")))
    try:
        options = RunOptions(
            command=head["command"],
            spec=head["spec"],
            level=Level[head["level"].upper()],
            patterns=tuple(options_given.pop("patterns")),
            classes=frozenset(options_given.pop("classes")),
            vector_files=files,
            known_failures=head["known_failures"] and Path(head["known_failures"]["file"]),
            **options_given,
        )
    except UserError as error:
        raise ReportError(f"{shard.name} does not describe a possible run: {error}") from None
    try:
        every = load_spec(options.spec, package=options.package)
        for path in files:
            if not path.is_file():
                raise ReportError(f"{shard.name} is a run of {path}, which does not exist here")
            every = unique((*every, *load_checked(path)))
    except VectorFileError as error:
        raise ReportError(f"{shard.name} has vectors that can't be read: {error}") from None
    return options, every


def _begun(shard: Transcript, options: RunOptions, every: Sequence[Vector]) -> Report:
    """The empty report of the run."""
    listed = shard.head["known_failures"]
    try:
        known = None
        if listed is not None:
            vectors = KnownFailures.parse(listed["vectors"] or "", shard.name).vectors
            known = KnownFailures(tuple(Entry(**entry) for entry in listed["entries"]), vectors=vectors)
        report = report_on(options, every, known)
    except UserError as error:
        raise ReportError(f"{shard.name} has vectors that can't be read: {error}") from None
    if options.again_seed is None:
        report.session.rephrasing = None
    report.required = tuple(Offered(**one) for one in shard.head["required"])
    here = vector_set_json(report.every, report.newer)
    if difference := _difference(shard.head["vectors"], here, "vectors"):
        raise ReportError(f"{shard.name} has other vectors than this kit: {difference}")
    return report


def _checked(
    shards: Sequence[Transcript], of: int, report: Report
) -> tuple[dict[str, Mapping[str, Any]], list[Mapping[str, Any]]]:
    """The recorded answers by id and the outcomes of properties; each must be in its own shard once."""
    again = report.session.rephrasing
    rephrased = [again.of(vector) for vector in report.every] if again is not None else []
    vectors = {vector.id for vector in (*report.every, *rephrased) if vector is not None}
    properties = set(property_ids(report.options.spec))
    lines: dict[str, Mapping[str, Any]] = {}
    records: dict[str, Mapping[str, Any]] = {}
    for shard in shards:
        for line in shard.lines:
            recorded = line.get("property")
            key = line["id"] if recorded is None else recorded["id"]
            what = None
            if key not in (vectors if recorded is None else properties):
                what = f"is no {'vector' if recorded is None else 'property'} of this run"
            elif (home := shard_by_id(base_id(key), of)) != shard.number:
                what = f"is in shard {home}/{of}"
            elif key in lines or key in records:
                what = "it has more than once"
            if what is not None:
                raise ReportError(f"{shard.name} has {printable(shortened(key, 200))}, which {what}")
            (lines if recorded is None else records)[key] = line if recorded is None else recorded
        if shard.lines and not shard.is_started:
            raise ReportError(f"{shard.name} contradicts itself: it has answers without a hello")
    return lines, [*records.values()]


def _selected(shards: Sequence[Transcript], what: str, otherwise: list[int]) -> list[int]:
    """The number of vectors or properties selected in each shard; ``otherwise`` if no shard has it."""
    stated = [shard for shard in shards if shard.head["selected"][what]]
    for shard in stated:
        mine, its = shard.head["selected"][what], stated[0].head["selected"][what]
        _alike(shard, stated[0], f"selected.{what}", mine, its)
        if len(mine) != shard.head["shard"]["of"]:
            raise ReportError(f"{shard.name} contradicts itself: `selected.{what}` has {len(mine)} numbers")
    return list(stated[0].head["selected"][what]) if stated else otherwise


def _lacking(shard: Transcript, chosen: Sequence[int]) -> int:
    """The number of its vectors that a shard did not reach."""
    asked = [line["id"] for line in shard.lines if "id" in line and base_id(line["id"]) == line["id"]]
    return max(0, chosen[shard.number - 1] - len(asked))


def _problems(shard: Transcript, chosen: Sequence[int], *, alone: bool) -> list[str]:
    """A shard's problems, including that it did not finish, unless ``alone``."""
    head, lacking = shard.head, _lacking(shard, chosen)
    problems = [*head["problems"], *([head["interrupted"]] if head["interrupted"] else [])]
    if alone or not lacking:
        return [f"{shard.label}: {one}" for one in problems] if head["interrupted"] else problems
    why = "was interrupted" if head["interrupted"] else "ended early"
    if not shard.is_started:
        why = "could not be tried"
    return [*problems, f"{shard.label} {why}: {_were(lacking, 'vector')} not asked"]


def _were(count: int, noun: str) -> str:
    """A count with its noun and verb."""
    return f"{counted(count, noun)} {'was' if count == 1 else 'were'}"


def _difference(mine: Any, its: Any, name: str) -> str | None:
    """The first member in which two values differ, in words; None if they are the same."""
    if isinstance(mine, dict) and isinstance(its, dict):
        for key in {**mine, **its}:
            where = f"{name}.{printable(shortened(key, 100))}"
            if difference := _difference(mine.get(key), its.get(key), where):
                return difference
        return None
    return None if mine == its else f"`{name}` is {compact(mine, 100)}, not {compact(its, 100)}"
