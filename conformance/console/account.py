"""The summary of a run on a terminal: header, table by class, problems, and the last line."""

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table

from conformance.console.tables import plain_table, table_lines
from conformance.console.todo import todo_lines, wrapped
from conformance.judging.environments import description_of, variants_of
from conformance.judging.verdict import Outcome
from conformance.option_names import option
from conformance.outcomes import claims
from conformance.outcomes.claims import ClassAccount, OpOffer
from conformance.outcomes.words import counted
from conformance.registry.ops import OPS, SPEC_TABLE
from conformance.registry.spec import MAIN
from conformance.wire.text import printable, shortened

if TYPE_CHECKING:
    from conformance.diagnosis.account import Diagnosis

__all__ = ["account", "head_and_account", "header"]

Document = Mapping[str, Any]
_NARROW = 80
"""Columns of a terminal by default."""
_BETWEEN = "  "
_BY_CHANCE = 2
"""The most rephrased vectors that an honest runner may answer wrongly by chance."""
_LONGEST = 200
"""The most characters of a list of changes, or of unknown operations."""
_NOT_WRONG = {Outcome.PASSED.value, Outcome.UNSUPPORTED.value, Outcome.NOT_RUN.value}
_FILTERED = "   Only some vectors were selected: a run of all may explain more."
_MOST_PARTLY = 4
"""The most ops listed as unsupported in part."""


def header(document: Document) -> list[str]:
    """Two lines that say what is under test."""
    runner, vectors, selection = document["runner"], document["vectors"], document["selection"]
    name = "not started" if runner["name"] is None else f"{runner['name']} {runner['version']}"
    parts = [str(vectors["total"])]
    if vectors["newer"]:
        parts.append(f"of version {selection['vectors_version']}, without {vectors['newer']} newer")
    if selection["shard"] is not None:
        parts.append(f"part {selection['shard']['number']} of {selection['shard']['of']}")
    return [
        f"runner: {name} ({runner['command']})",
        f"spec: {document['spec']}, level: {document['level']}, vectors: {', '.join(parts)}",
    ]


def head_and_account(
    document: Document, diagnosis: "Diagnosis | None", width: int, *, styled: bool = False
) -> list[str]:
    """Header and summary, for use when nothing was printed before the run."""
    if document["runner"]["name"] is None:
        interrupted = document["interrupted"]
        problems = [*document["problems"], *([] if interrupted is None else [interrupted["sentence"]])]
        return [f"problem: {problem}" for problem in problems]
    return [*header(document), "", *account(document, diagnosis, width, styled=styled)]


def account(
    document: Document, diagnosis: "Diagnosis | None", width: int, *, styled: bool = False
) -> list[str]:
    """The summary of a run; ``styled`` for a terminal that shows colours."""
    width, accounts = max(width, _NARROW), claims.classes(document)
    totals, properties = claims.totals(document), document["properties"]
    tables = []
    if totals or not properties:
        tested = [class_ for class_ in accounts if class_.totals]
        levels = {class_.name: (class_.reached or "-", class_.claimed or "none") for class_ in tested}
        tables.append(_table("vectors", {class_.name: class_.totals for class_ in tested}, totals, levels))
    if properties:
        tried = {class_.name: class_.properties for class_ in accounts if class_.properties}
        tables.append(_table("properties", tried, Counter(result["outcome"] for result in properties)))
    text = table_lines(tables, width)
    refused = _no_claims(accounts, width)
    text += ["", *refused, ""] if refused else []
    if diagnosis is not None:
        text += [
            *([] if refused else [""]),
            *todo_lines(diagnosis, document["runner"]["command"], width, styled=styled),
            *([_FILTERED] if diagnosis.unexplained and claims.filtered(document) else []),
            "",
        ]
    text += _rephrased(document)
    text += _environment(document)
    stopped = [row["detail"] for row in document["results"] if row["outcome"] == Outcome.NOT_RUN.value]
    text += [f"stopped: {counted(len(stopped), 'vector')} {stopped[0]}"] if stopped else []
    for part in document["left_out"]:
        answers = f"{counted(part['vectors'], 'answer')} to {part['op']} without {part['member']}"
        text.append(f"in part: {answers}, which is optional here: the rest was compared")
    text += [f"cut: {sentence}" for sentence in document["cut"]]
    text += [f"problem: {problem}" for problem in claims.problems(document)]
    if totals and document["runner"]["name"] is not None:
        text += _offer(document, width)
    return [*text, _verdict(document)]


def _table(
    noun: str,
    counts: Mapping[str, Counter[str]],
    totals: Counter[str],
    levels: Mapping[str, tuple[str, str]] | None = None,
) -> Table:
    """A row per class: how often each outcome occurred; with ``levels``, the level reached and the claim.

    If that takes more than 80 columns, all failures share one column.
    """
    rows, last_columns = {**counts, "all": totals}, () if levels is None else ("reached", "claim")
    outcomes = [outcome.value for outcome in Outcome if totals[outcome.value]]
    columns = {name: {name} for name in outcomes}
    headings = (noun, *outcomes, *last_columns)
    if max(map(len, rows)) + sum(len(_BETWEEN + heading) for heading in headings) > _NARROW:
        kept = {Outcome.PASSED.value, Outcome.UNSUPPORTED.value}
        columns = {name: {name} for name in outcomes if name in kept}
        columns["failed"] = set(outcomes) - kept
    table = plain_table()
    table.add_column("class", no_wrap=True)
    for name in (noun, *columns):
        table.add_column(name, justify="right", no_wrap=True)
    for name in last_columns:
        table.add_column(name, no_wrap=True)
    for name, row in rows.items():
        numbers = [str(sum(row[outcome] for outcome in column) or "-") for column in columns.values()]
        ending = () if levels is None else levels.get(name, ("", ""))
        table.add_row(name, str(sum(row.values())), *numbers, *ending)
    return table


def _no_claims(accounts: Sequence[ClassAccount], width: int) -> list[str]:
    """A sentence for each reason why classes are not claimed."""
    reasons: dict[str, list[str]] = {}
    for class_ in accounts:
        if class_.totals and class_.reason is not None:
            reasons.setdefault(class_.reason, []).append(class_.name)
    return _wrapped((f"no claim for {', '.join(names)}: {why}" for why, names in reasons.items()), width)


def _wrapped(sentences: Iterable[str], width: int) -> list[str]:
    return [line for sentence in sentences for line in wrapped(sentence, width)]


def _rephrased(document: Document) -> list[str]:
    """The results of the rephrased vectors."""
    rephrased = document["asked_again"]
    if rephrased is None:
        return []
    results = [row for row in rephrased["results"] if row["outcome"] != Outcome.NOT_RUN.value]
    tried = len(results) + sum(map(len, rephrased["passed"].values()))
    wrong = [row for row in results if claims.fails(row) and row["outcome"] != Outcome.UNEXPECTED_PASS.value]
    label = f"rephrased ({option('again-seed')} {rephrased['seed']})"
    if not tried:
        return []
    label += f": {counted(tried, 'vector')}"
    if not wrong:
        return [f"{label}, none answered wrongly"]
    line = f"{label}, {len(wrong)} answered wrongly"
    failing = {row["op"] for row in document["results"] if row["outcome"] not in _NOT_WRONG}
    suspect = [row for row in wrong if row["op"] not in failing]  # otherwise both may have the same cause
    if not suspect:
        return [f"{line}, all of operations whose published vectors fail too"]
    if 2 * len(suspect) <= tried or len(suspect) <= _BY_CHANCE:
        return [line]
    changes = ", ".join(dict.fromkeys(row["changes"] for row in suspect if row["changes"]))
    return [
        f"{line}: it seems to look up answers. {len(suspect)} are of operations whose published vectors it "
        f"all answers correctly; changes: {shortened(changes, _LONGEST) or 'only the spelling'}"
    ]


def _environment(document: Document) -> list[str]:
    """The environment that explains the run, unless it is the main one, and answers that contradict it."""
    environment, spec = document["environment"], document["spec"]
    if environment is None:
        return []
    lines, variants = [], variants_of(spec)
    if environment["name"] in variants:
        variant, count = variants[environment["name"]], len(environment["told_by"])
        votes = f"{count} answer{' shows' if count == 1 else 's show'} it"
        lines.append(f"answers as {variant.described_as} does ({variant.name}, {votes}): {variant.differs}")
    if environment["against"]:
        key, name = next(iter(environment["against"].items()))
        second = description_of(spec, name if name in variants else MAIN)
        count = len(environment["against"])
        answers = f"{count} answer{' is' if count == 1 else 's are'}"
        lines.append(f"it mixes environments: {answers} right as {second} alone, such as {key}")
    return lines


def _offer(document: Document, width: int) -> list[str]:
    """What a runner offers and lacks, if it does not answer everything."""
    ops, package = claims.offer(document), claims.package_of(document)
    unknown = [] if package else [name for name in document["runner"]["ops"] if name not in OPS]
    if all(offer.offered and not offer.unsupported for offer in ops) and not unknown:
        return []
    missing, (vectors, passed) = [offer for offer in ops if not offer.offered], _offered_counts(ops)
    lines = [] if package is None else list(_fork_offer(package, document["spec"], ops))
    if package is None and missing:
        lines.append(
            f"passed {passed} of the {vectors} vectors of its operations; does not offer {_names(missing)} "
            f"({_vector_count(missing)} unsupported)"
        )
    if unknown:
        names = shortened(printable(", ".join(unknown)), _LONGEST)
        near = difflib.get_close_matches(unknown[0], [offer.op for offer in missing], 1)
        lines.append(
            f"hello names operations that this kit does not have: {names}"
            + (f"; did you mean {near[0]}?" if near else "")
        )
    partly = [offer for offer in ops if offer.offered and offer.unsupported]
    for offer in partly[:_MOST_PARTLY]:
        refused = f"{offer.unsupported} of {offer.vectors} vectors"
        lines.append(f"{offer.op} is offered, but unsupported in {refused}: {offer.reason}")
    if len(partly) > _MOST_PARTLY:
        lines.append(f"also offered, but partly unsupported: {_names(partly[_MOST_PARTLY:])}")
    return _wrapped(lines, width)


def _fork_offer(package: str, spec: str, ops: Sequence[OpOffer]) -> Iterator[str]:
    """What a release or fork of the oracle's package offers, compared with the package."""
    foreign = [offer for offer in ops if not offer.offered and not offer.own]
    lacking = [offer for offer in ops if not offer.offered and offer.own]
    own, (vectors, passed) = [offer for offer in ops if offer.own], _offered_counts(ops)
    if foreign:
        sources = " and ".join(dict.fromkeys(OPS[offer.op].source for offer in foreign))
        yield (
            f"expected: {_names(foreign)} ({_vector_count(foreign)}) are not part of {package}: "
            f"their answers come from {sources}, and no release or fork of {package} offers them"
        )
    if lacking:
        oracle = SPEC_TABLE[spec].oracle.provenance
        yield f"it lacks {_names(lacking)} ({_vector_count(lacking)}), which {oracle} has"
    yield (
        f"it offers {len(own) - len(lacking)} of {package}'s {len(own)} ops, and passed {passed} of their "
        f"{vectors} vectors"
    )


def _offered_counts(ops: Iterable[OpOffer]) -> tuple[int, int]:
    """The number of vectors of offered operations, and the number of them that passed."""
    offered = [offer for offer in ops if offer.offered]
    return sum(offer.vectors for offer in offered), sum(offer.passed for offer in offered)


def _names(ops: Iterable[OpOffer]) -> str:
    return ", ".join(offer.op for offer in ops)


def _vector_count(ops: Iterable[OpOffer]) -> str:
    return counted(sum(offer.vectors for offer in ops), "vector")


def _verdict(document: Document) -> str:
    """The last line: the verdict, the runner and the duration."""
    runner, properties, totals = document["runner"], document["properties"], claims.totals(document)
    count = sum(totals.values())
    name = runner["command"] if runner["name"] is None else f"{runner['name']} {runner['version']}"
    spent, passed = sum(result["seconds"] for result in properties), []
    if count or not properties:
        vectors, right = _offered_counts(claims.offer(document))
        passed.append(
            f"{totals[Outcome.PASSED.value]} of {count} passed"
            if vectors in (0, count)
            else f"{right} of the {vectors} that it offers passed"
        )
    if properties:
        outcomes = Counter(result["outcome"] for result in properties)
        tried = len(properties) - outcomes[Outcome.UNSUPPORTED.value]
        passed.append(f"{outcomes[Outcome.PASSED.value]} of {tried} properties held ({spent:.2f} s)")
    seconds = document["duration_seconds"]
    rate = max(0.0, seconds - spent) / count * 1000 if count else 0.0
    meaning = {0: "no unexpected failure", 1: "does not conform"}.get(
        claims.exit_code(document), "could not be tried"
    )
    if document["interrupted"] is not None:
        meaning = f"{document['interrupted']['sentence']}: no verdict"
    return (
        f"{name} against {document['spec']} at level {document['level']}: {meaning}; "
        f"{', '.join(passed)} in {seconds:.2f} s "
        f"({rate:.2f} ms per vector, start-up {document['start_up_seconds']:.2f} s)"
    )
