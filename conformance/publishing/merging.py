"""One run of several parts: shards of the same run, put together again and judged as a whole.

Nothing is added up: what the parts' results say is given to the code that ends a run, so that the merge of
all parts is the report of the run in one piece. A part is data: it is believed only where its own account
follows from its results, and these are of vectors that the kit has.
"""

from collections.abc import Sequence
from typing import Any

from conformance.outcomes.document import as_json
from conformance.publishing.parts import Part, were
from conformance.publishing.reading import Document, PublishingError
from conformance.publishing.rebuilding import Rebuilding, first_other, for_merging, same
from conformance.report.answers import parsed
from conformance.report.evidence import evidence_of
from conformance.report.for_merging import restored
from conformance.report.shards import Missing
from conformance.run.closing import conclude

__all__ = ["merged"]

_NOT_OF_RESULTS = frozenset(
    {"schema", "kit_version", "started_at", "start_up_seconds", "duration_seconds", "problems", "diagnosis"}
)
"""Members that the results don't tell; the diagnosis is made anew."""


def merged(parts: Sequence[Document]) -> dict[str, Any]:
    """The report that the whole run would have written; parts that are missing are named in its problems.

    Raises:
        PublishingError: the parts are not of one run, or overlap, or one contradicts itself.
    """
    for document in parts:
        if document.kind != "run":
            raise PublishingError(
                f"{document.name} is the report of a {document.kind}: what is merged are parts of a run"
            )
    run = Rebuilding([Part(document) for document in parts])
    for part in run.parts:
        _check(run, part)
    return _whole(run)


def _check(run: Rebuilding, part: Part) -> None:
    """Sees to it that a part's account is what its results come to.

    Raises:
        PublishingError: it is not.
    """
    report = run.report([part], run.selection(part))
    report.chosen = part.chosen
    report.problems = list(part.content["problems"])
    report.could_not_try = report.hello is None
    report.for_merging = for_merging(part)
    report.settle_environment()
    account, told = as_json(report), part.content
    for member in {**told, **account}:
        if member in _NOT_OF_RESULTS or (member == "exit_code" and part.interrupted):
            continue
        if not same(told.get(member), account.get(member)):
            where, mine, its = first_other(told.get(member), account.get(member), member)
            raise PublishingError(
                f"{part.name} contradicts itself: `{where}` is {mine}, and its results come to {its}"
            )


def _sentences(run: Rebuilding, missing: Missing) -> list[str]:
    """What is missing, a sentence for each part."""
    said = []
    for number in missing.numbers:
        vectors, properties = run.sizes[number - 1], run.property_sizes[number - 1]
        sentence = f"shard {number}/{missing.of} is missing: {were(vectors, 'vector', 'vectors')} not asked"
        tried = f", {were(properties, 'property', 'properties')} not tried" if properties else ""
        said.append(sentence + tried)
    return said


def _whole(run: Rebuilding) -> dict[str, Any]:
    """The run in one piece, judged as one."""
    missing = run.missing()
    report = run.report(run.parts, run.selection(None, missing))
    report.chosen = sum(run.sizes)
    report.could_not_try = report.hello is None and missing is None
    problems = [problem for part in run.parts for problem in part.problems(alone=report.could_not_try)]
    problems += [] if missing is None else _sentences(run, missing)
    report.problems = list(dict.fromkeys(problems))
    report.settle_again()
    report.settle_environment()
    answers = {key: answer for part in run.parts for key, answer in part.answers.items()}
    due = {vector.id: vector.due_in(report.environments.chosen) for vector in report.every}
    evidence = evidence_of(
        report.records.values(),
        due,
        lambda record: answers[record.id] if record.id in answers else restored(parsed(record.actual)),
        set(),
    )
    ended = not any(part.interrupted or part.lacking for part in run.parts)
    conclude(report, evidence, whole=missing is None and ended)
    return as_json(report)
