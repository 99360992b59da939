"""Merges the shards of a run: an ordinary run that replays their transcripts.

A transcript is untrusted. It is checked against its schema, this kit's vectors and the other shards, and its
answers are judged here.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.errors import UserError
from conformance.judging.comparison import Level
from conformance.judging.known_failures import Entry, KnownFailures, Offered
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

_COMMON = ("ci_run", "spec", "level", "command", "vectors", "options", "known_failures", "required")
"""Members that are the same in all shards of a run."""


def merged(shards: Sequence[Transcript]) -> Report:
    """The report of the whole run; its problems name missing shards.

    Raises:
        ReportError: the shards belong to different runs, overlap, or contradict themselves.
    """
    shards = sorted(shards, key=lambda shard: shard.number)
    first = shards[0]
    total = _shard_count(shards)
    options, all_vectors = _options_and_vectors(first)
    report = _empty_report(first, options, all_vectors)
    lines, properties = _recorded(shards, total, report)
    session = report.session
    session.dispatcher = replay = Replay(options, session.dispatcher.settings, session.known, lines=lines)
    report.keeping = replay.keeping
    vectors = _selected(shards, "vectors", default=sizes((vector.id for vector in session.every), total))
    tried = _selected(shards, "properties", default=[0] * total)
    missing = sorted({*range(1, total + 1)} - {shard.number for shard in shards})
    if missing:
        missing_vectors, missing_properties = (
            sum(counts[number - 1] for number in missing) for counts in (vectors, tried)
        )
        report.missing = Missing(tuple(missing), total, missing_vectors, missing_properties)
    report.chosen = sum(vectors)
    for record in properties:
        report.add_property(record)
    hellos = [shard.header["hello"] for shard in shards if shard.is_started]
    session.could_not_try = not hellos and not missing
    unanswered = {shard.number: _unanswered(shard, vectors) for shard in shards}
    for shard in shards:
        problems = _problems(shard, 0 if session.could_not_try else unanswered[shard.number])
        session.problems += [problem for problem in problems if problem not in session.problems]
    for number in missing:
        count = _count_with_verb(vectors[number - 1], "vector")
        sentence = f"shard {number}/{total} is missing: {count} not asked"
        if tried[number - 1]:
            sentence += f", {_count_with_verb(tried[number - 1], 'property')} not tried"
        session.problems.append(sentence)
    if hellos:
        session.hello = replay.hello = Hello.unpacked(hellos[0])
        session.ask([vector for vector in session.every if vector.id in lines])
    interrupted = any(shard.header["interrupted"] for shard in shards)
    close_run(report, whole=not (missing or interrupted or any(unanswered.values())))
    session.started_at = min(shard.header["started_at"] for shard in shards)
    session.start_up_seconds = max(shard.header["start_up_seconds"] for shard in shards)
    session.duration_seconds = sum(shard.header["duration_seconds"] for shard in shards)
    return report


def _shard_count(shards: Sequence[Transcript]) -> int:
    """The number of shards of the run, after checking that these are different shards of one run."""
    first, by_number = shards[0], dict[int, Transcript]()
    shard_count = int(first.header["shard"]["of"])
    started = next((shard for shard in shards if shard.is_started), first)
    for shard in shards:
        if shard.number > shard_count:
            raise ReportError(f"{shard.name} contradicts itself: `shard` is {shard.number} of {shard_count}")
        _require_equal(shard, first, "shard.of", shard.header["shard"]["of"], shard_count)
        for name in _COMMON:
            _require_equal(shard, first, name, shard.header.get(name), first.header.get(name))
        if shard.is_started:
            _require_equal(shard, started, "hello", shard.header["hello"][:4], started.header["hello"][:4])
        other = by_number.setdefault(shard.number, shard)
        if other is not shard:
            if (other.header, other.lines) == (shard.header, shard.lines):
                raise ReportError(f"{shard.name} is there twice: {other.name} is the same {shard.label}")
            raise ReportError(f"{other.name} and {shard.name} are both {shard.label}, and differ")
    return shard_count


def _require_equal(shard: Transcript, other: Transcript, name: str, mine: Any, its: Any) -> None:
    if difference := _difference(mine, its, name):
        raise ReportError(f"{shard.name} is of another run than {other.name}: {difference}")


def _options_and_vectors(shard: Transcript) -> tuple[RunOptions, list[Vector]]:
    """The options of the run, and the whole set of vectors."""
    header, recorded = shard.header, dict(shard.header["options"])
    files = tuple(map(Path, recorded.pop("files")))
    try:
        options = RunOptions(
            command=header["command"],
            spec=header["spec"],
            level=Level[header["level"].upper()],
            patterns=tuple(recorded.pop("patterns")),
            classes=frozenset(recorded.pop("classes")),
            vector_files=files,
            known_failures=header["known_failures"] and Path(header["known_failures"]["file"]),
            **recorded,
        )
    except UserError as error:
        raise ReportError(f"{shard.name} does not describe a possible run: {error}") from None
    try:
        all_vectors = load_spec(options.spec, package=options.package)
        for path in files:
            if not path.is_file():
                raise ReportError(f"{shard.name} is a run of {path}, which does not exist here")
            all_vectors = unique((*all_vectors, *load_checked(path)))
    except VectorFileError as error:
        raise ReportError(f"{shard.name} has vectors that can't be read: {error}") from None
    return options, all_vectors


def _empty_report(shard: Transcript, options: RunOptions, all_vectors: Sequence[Vector]) -> Report:
    """The report of the run before anything is asked."""
    listed = shard.header["known_failures"]
    try:
        known = None
        if listed is not None:
            vectors = KnownFailures.parse(listed["vectors"] or "", shard.name).vectors
            known = KnownFailures(tuple(Entry(**entry) for entry in listed["entries"]), vectors=vectors)
        report = report_on(options, all_vectors, known)
    except UserError as error:
        raise ReportError(f"{shard.name} has vectors that can't be read: {error}") from None
    if options.again_seed is None:
        report.session.rephrasing = None
    report.required = tuple(Offered(**offer) for offer in shard.header["required"])
    current = vector_set_json(report.every, report.newer)
    if difference := _difference(shard.header["vectors"], current, "vectors"):
        raise ReportError(f"{shard.name} has other vectors than this kit: {difference}")
    return report


def _recorded(
    shards: Sequence[Transcript], shard_count: int, report: Report
) -> tuple[dict[str, Mapping[str, Any]], list[Mapping[str, Any]]]:
    """The recorded answers by id and the outcomes of properties; each must be in its own shard once."""
    again = report.session.rephrasing
    rephrased = [again.rephrased(vector) for vector in report.every] if again is not None else []
    vectors = {vector.id for vector in (*report.every, *rephrased) if vector is not None}
    properties = set(property_ids(report.options.spec))
    lines: dict[str, Mapping[str, Any]] = {}
    records: dict[str, Mapping[str, Any]] = {}
    for shard in shards:
        for line in shard.lines:
            noun, known, collected, record = "vector", vectors, lines, line
            if "property" in line:
                noun, known, collected, record = "property", properties, records, line["property"]
            key, fault = record["id"], None
            if key not in known:
                fault = f"is no {noun} of this run"
            elif (home := shard_by_id(base_id(key), shard_count)) != shard.number:
                fault = f"is in shard {home}/{shard_count}"
            elif key in collected:
                fault = "it has more than once"
            if fault is not None:
                raise ReportError(f"{shard.name} has {printable(shortened(key, 200))}, which {fault}")
            collected[key] = record
        if shard.lines and not shard.is_started:
            raise ReportError(f"{shard.name} contradicts itself: it has answers without a hello")
    return lines, [*records.values()]


def _selected(shards: Sequence[Transcript], kind: str, *, default: list[int]) -> list[int]:
    """The number of vectors or properties selected in each shard; ``default`` if no shard has it."""
    stated = [shard for shard in shards if shard.header["selected"][kind]]
    for shard in stated:
        mine, its = shard.header["selected"][kind], stated[0].header["selected"][kind]
        _require_equal(shard, stated[0], f"selected.{kind}", mine, its)
        if len(mine) != shard.header["shard"]["of"]:
            raise ReportError(f"{shard.name} contradicts itself: `selected.{kind}` has {len(mine)} numbers")
    return list(stated[0].header["selected"][kind]) if stated else default


def _unanswered(shard: Transcript, selected: Sequence[int]) -> int:
    """The number of its selected vectors that a shard did not reach."""
    answered = [line["id"] for line in shard.lines if "id" in line and base_id(line["id"]) == line["id"]]
    return max(0, selected[shard.number - 1] - len(answered))


def _problems(shard: Transcript, unanswered: int) -> list[str]:
    """A shard's problems, including that it did not finish if it left vectors unanswered."""
    header = shard.header
    problems = [*header["problems"], *([header["interrupted"]] if header["interrupted"] else [])]
    if not unanswered:
        return [f"{shard.label}: {problem}" for problem in problems] if header["interrupted"] else problems
    why = "was interrupted" if header["interrupted"] else "ended early"
    if not shard.is_started:
        why = "could not be tried"
    return [*problems, f"{shard.label} {why}: {_count_with_verb(unanswered, 'vector')} not asked"]


def _count_with_verb(count: int, noun: str) -> str:
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
