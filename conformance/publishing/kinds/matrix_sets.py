"""What a matrix says of its vectors, held to itself and to the kit's vector set."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance import __version__
from conformance.judging.verdict import UNEXPECTED, Outcome
from conformance.publishing.blocks import Tone
from conformance.publishing.reading import PublishingError
from conformance.registry.ops import SPECS
from conformance.report.matrix_words import rows_of, verdict
from conformance.suite.clauses import statements
from conformance.suite.vectors import VectorFileError, load_spec
from conformance.wire.text import shortened

__all__ = ["VERDICTS", "VectorSet", "check", "row_total", "vector_set", "word"]

VERDICTS = {"conforms": Tone.GOOD, "does not conform": Tone.BAD, "no verdict": Tone.QUIET}

_NOT_FAILED = (Outcome.PASSED, Outcome.UNEXPECTED_PASS, Outcome.UNSUPPORTED, Outcome.NOT_RUN)


@dataclass(frozen=True, slots=True)
class VectorSet:
    """The vectors of one spec, as far as the page needs them."""

    spec: str
    size: int | None
    """How many there were for this matrix; None where another kit made it, which does not say."""
    plain: int | None
    """How many of them any runner is asked, which is no package's release or fork."""
    most: int
    """The most vectors of which a row has outcomes."""
    statements: Mapping[str, str]
    rules: Mapping[str, str]
    """Vector id to what a conforming runner does there; of today's vectors."""
    traced: Mapping[tuple[str, str], tuple[str, ...]]
    """Clause and op to their vectors; empty where another kit made the matrix."""

    def whole(self, total: int) -> bool:
        """Whether so many vectors are all of them, as far as that is known."""
        return total in (self.size or self.most, self.plain)


def vector_set(document: Mapping[str, Any], spec: str) -> VectorSet:
    """The vector set that a spec's rows are of."""
    most = max(map(row_total, rows_of(document, spec)), default=0)
    try:
        every = load_spec(spec, package=True) if spec in SPECS else []
        plain = [vector for vector in every if not vector.op.package_only]
    except VectorFileError as error:
        raise PublishingError(str(error)) from None
    same = document["kit_version"] == __version__
    traced: dict[tuple[str, str], list[str]] = {}
    for vector in every if same else ():
        traced.setdefault((vector.clause, vector.op.name), []).append(vector.id)
    return VectorSet(
        spec,
        (len(every) if most > len(plain) else len(plain)) if same else None,
        len(plain) if same else None,
        most,
        statements(spec),
        {vector.id: vector.rule for vector in every},
        {key: tuple(ids) for key, ids in traced.items()},
    )


def word(row: Mapping[str, Any]) -> str:
    """What a row says, one of ``VERDICTS``: a run that did not end has none, whatever passed until then."""
    told = verdict(row)
    return told if told in VERDICTS else "no verdict"


def row_total(row: Mapping[str, Any]) -> int:
    """Of how many vectors a row has outcomes."""
    return sum(row["result"]["totals"].values()) if row["result"] is not None else 0


def check(document: Mapping[str, Any], sets: Mapping[str, VectorSet]) -> None:
    """Holds what the matrix counts to what it lists, and to the vector set.

    Raises:
        PublishingError: they contradict each other.
    """
    subjects = [one["name"] for one in document["subjects"]]
    if len(set(subjects)) < len(subjects):
        raise PublishingError("the matrix contradicts itself: two subjects have one name")
    told = Counter((row["subject"], row["spec"]) for row in document["rows"])
    for (subject, spec), count in told.items():
        if subject not in subjects or spec not in document["specs"]:
            raise _contradiction(subject, spec, "it is not among the subjects and specs that were compared")
        if count > 1:
            raise _contradiction(subject, spec, "it has two rows")
    for row in document["rows"]:
        if row["result"] is not None and (fault := _fault(row["result"], sets[row["spec"]])):
            raise _contradiction(row["subject"], row["spec"], fault)
    conforming = [
        row["why_not"] is None and row["result"] is not None and row["result"]["exit_code"] == 0
        for row in document["rows"]
    ]
    if document["exit_code"] == 0 and not all(conforming):
        raise PublishingError("the matrix contradicts itself: exit code 0, and not every subject conforms")
    for change in document["changes"]:
        if change["spec"] not in document["specs"] or not {change["from"], change["to"]} <= set(subjects):
            raise PublishingError("the matrix contradicts itself: a change is of no subject that it compared")


def _contradiction(subject: str, spec: str, fault: str) -> PublishingError:
    return PublishingError(
        f"the matrix contradicts itself on {shortened(subject, 60)} against {spec}: {fault}"
    )


def _fault(result: Mapping[str, Any], known: VectorSet) -> str | None:
    """What contradicts what, in a clause."""
    totals = {Outcome(name): count for name, count in result["totals"].items()}
    every, failed = sum(totals.values()), sum(n for one, n in totals.items() if one not in _NOT_FAILED)
    if known.size is not None and every > known.size:
        return f"{every:,} outcomes, and {known.spec} has {known.size:,} vectors"
    if failed != sum(one["count"] for one in result["failures"]):
        return f"{failed:,} failures are counted, and others are listed"
    if totals.get(Outcome.UNSUPPORTED, 0) != sum(one["count"] for one in result["unsupported"]):
        return "its unsupported vectors are not those that are listed"
    by_class = Counter[str]()
    for account in result["classes"].values():
        by_class.update(account["totals"])
    if +by_class != +Counter(result["totals"]):
        return "its totals are not those of its classes"
    unexpected = [one for one in UNEXPECTED if totals.get(one, 0)]
    if result["exit_code"] == 0 and (unexpected or not totals.get(Outcome.PASSED, 0)):
        return f"exit code 0, with {unexpected[0] if unexpected else 'nothing passed'}"
    for name, account in result["classes"].items():
        if account["claimed"] is not None and {key for key, n in account["totals"].items() if n} - {"passed"}:
            return f"it claims class {name}, which did not pass whole"
    return _rules_fault(result)


def _rules_fault(result: Mapping[str, Any]) -> str | None:
    rules = [(one["clause"], one["op"]) for one in result["failures"]]
    if len(set(rules)) < len(rules):
        return "a rule's failures are listed twice"
    for one in result["failures"]:
        ids = one.get("vectors")
        if ids is not None and (len(ids) != one["count"] or one["example"] not in ids):
            return f"the vectors of rule {one['clause']} are not as many as are counted"
    return None
