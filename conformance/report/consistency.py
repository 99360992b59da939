"""Whether a report of a run bears out what it says: its counts and claims against its own results.

A report is what somebody wrote. What speaks of it (a page, a matrix) first holds it to this.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from conformance.judging.comparison import Level
from conformance.judging.verdict import UNEXPECTED, Outcome
from conformance.wire.text import shortened

__all__ = ["ContradictionError", "Entry", "check_run", "fails", "listed", "tried"]

_PASSED, _UNSUPPORTED = Outcome.PASSED.value, Outcome.UNSUPPORTED.value
_NOT_RUN = Outcome.NOT_RUN.value
_RIGHT = frozenset({_PASSED, Outcome.UNEXPECTED_PASS.value})
_LONGEST = 60
_LONGEST_RUN = 1e9

Entry = Mapping[str, Any]
"""A result, a property, or a vector asked again, as the schema ``run-report`` has it."""


class ContradictionError(Exception):
    """A report that says what its own results do not; the message is one sentence."""


def fails(one: Entry) -> bool:
    """Whether a run fails because of this result or property; old reports don't say what was demanded."""
    return Outcome(one["outcome"]) in UNEXPECTED or bool(one.get("demanded", False))


def again_fails(one: Entry) -> bool:
    """Whether a run fails because of a vector asked again; that the runner had stopped is told elsewhere."""
    return fails(one) and one["outcome"] != _NOT_RUN


def tried(document: Mapping[str, Any]) -> Sequence[Entry]:
    """The vectors that were asked again; none where none were, or where the kit did not yet do so."""
    asked = document.get("asked_again")
    found: Sequence[Entry] = asked["results"] if asked else ()
    return found


def listed(document: Mapping[str, Any]) -> list[Entry]:
    """All that entries of a list of known failures may name."""
    return [*document["results"], *document["properties"], *tried(document)]


def check_run(document: Mapping[str, Any]) -> None:
    """Holds a run report, which must be as its schema says, to its own results.

    Raises:
        ContradictionError: it counts or claims otherwise than they do.
    """
    for check in _CHECKS:
        for sentence in check(document):
            raise ContradictionError(sentence)


def _quoted(name: str) -> str:
    return shortened(name, _LONGEST)


def _twice(names: Iterable[str]) -> str | None:
    return next((name for name, count in Counter(names).items() if count > 1), None)


def _identities(document: Mapping[str, Any]) -> Iterator[str]:
    for what, entries in (
        ("results of one vector", document["results"]),
        ("results of one property", document["properties"]),
        ("results of one vector that was asked again", tried(document)),
    ):
        if (name := _twice(entry["id"] for entry in entries)) is not None:
            yield f"it has two {what}, {_quoted(name)}"
    ids = {one["id"] for one in document["results"]}
    for one in tried(document):
        if one["id"] not in ids:
            yield f"it asked {_quoted(one['id'])} again, of which it has no result"


def _totals(document: Mapping[str, Any]) -> Iterator[str]:
    counts = Counter(one["outcome"] for one in document["results"])
    if {name: count for name, count in document["totals"].items() if count} != dict(counts):
        yield "its totals are not those of its results"


def _levels(document: Mapping[str, Any]) -> Iterator[str]:
    """A vector passed only at the level that was demanded, and is a mismatch only below it."""
    due = Level[document["level"].upper()]
    for one in document["results"]:
        level = Level[one["level"].upper()] if one["level"] else None
        if one["outcome"] in _RIGHT and (level is None or level < due):
            yield f"it has {_quoted(one['id'])} as {one['outcome']}, below the level that it demanded"
        if one["outcome"] == "mismatch" and level is not None and level >= due:
            yield f"it has {_quoted(one['id'])} as a mismatch, at the level that it demanded"
        if one.get("demanded", False) and one["outcome"] != _UNSUPPORTED:
            yield f"it has {_quoted(one['id'])} as demanded, which is not unsupported"


def _classes(document: Mapping[str, Any]) -> Iterator[str]:
    by_class: dict[str, list[Entry]] = {name: [] for name in document["classes"]}
    for one in document["results"]:
        if one["class"] not in by_class:
            yield f"it says nothing of class {_quoted(one['class'])}, of which it has results"
            return
        by_class[one["class"]].append(one)
    for name, account in document["classes"].items():
        yield from _of_class(name, account, by_class[name], document)


def _of_class(
    name: str, account: Mapping[str, Any], results: Sequence[Entry], document: Mapping[str, Any]
) -> Iterator[str]:
    said = _quoted(name)
    counts = Counter(one["outcome"] for one in results)
    if {key: count for key, count in account["totals"].items() if count} != dict(counts):
        yield f"its counts of class {said} are not those of its results"
    if account.get("vectors", len(results)) < len(results):
        yield f"it has more results of class {said} than vectors"
    levels = [Level[(one["level"] or "none").upper()] for one in results]
    lowest = min(levels, default=Level.NONE)
    if account["claimed"] is not None:
        held = all(
            one["outcome"] == _PASSED or (one["outcome"] == _NOT_RUN and "changes" in one)
            for one in (*document["properties"], *tried(document))
            if one["class"] == name
        )
        whole = account.get("vectors", len(results)) == len(results)
        shown = set(counts) == {_PASSED} and lowest >= Level[account["claimed"].upper()]
        if not (held and whole and shown) or document["problems"]:
            yield f"it claims class {said}, which its results do not show"
    if (account["reached"] or "none") != str(lowest):
        reached = account["reached"] or "nothing"
        yield f"it says that class {said} reached {reached}, which its results do not show"


def _whole(document: Mapping[str, Any]) -> Iterator[str]:
    """The vector set against what is there of it."""
    vectors, selection = document.get("vectors"), document.get("selection")
    if vectors is None:
        return
    count, total = len(document["results"]), vectors["total"]
    missing, shard = (
        (None, None) if selection is None else (selection.get("missing_shards"), selection["shard"])
    )
    if count > total:
        yield f"it has {count} results of {total} vectors"
    whole = count == total and vectors["newer"] == 0 and missing is None and shard is None
    if document["complete"] != whole:
        said = "complete" if document["complete"] else "not complete"
        yield f"it has {count} results of {total + vectors['newer']} vectors, and says that it is {said}"
    if vectors["newer"] == 0 and vectors["latest"] != vectors["version"]:
        yield "it names newer vectors, and says that there are none"
    sizes = [one.get("vectors") for one in document["classes"].values()]
    if None not in sizes and sum(map(int, filter(None, sizes))) != total:
        yield "its classes have not as many vectors as all have"
    if selection is None:
        return
    gone = selection["filtered"] + (missing["vectors"] if missing else 0)
    if count + gone > total or total != count + gone + selection.get("not_reached", total - count - gone):
        yield f"its {count} results and what it says of the others don't add up to {total} vectors"
    if shard is not None and shard["number"] > shard["of"]:
        yield f"it is shard {shard['number']} of {shard['of']}"
    if missing is not None and max(missing["numbers"]) > missing["of"]:
        yield f"shard {max(missing['numbers'])} of {missing['of']} is missing"


def _demands(document: Mapping[str, Any]) -> Iterator[str]:
    selection = document.get("selection")
    demanded = frozenset(selection["classes"]) if selection is not None else frozenset()
    for one in document["results"]:
        if one["class"] in demanded and one["outcome"] == _UNSUPPORTED and not one.get("demanded"):
            yield f"it demands class {_quoted(one['class'])}, and lets {_quoted(one['id'])} be unsupported"


def _exit_code(document: Mapping[str, Any]) -> Iterator[str]:
    code = document["exit_code"]
    judged = [*document["results"], *document["properties"]]
    failed = sum(map(fails, judged)) + sum(map(again_fails, tried(document)))
    passed = any(one["outcome"] == _PASSED for one in judged)
    told = all("demanded" in one for one in judged if one["outcome"] == _UNSUPPORTED)
    if code == 0 and (failed or document["problems"]):
        yield "it says exit code 0, and has results that fail"
    if code == 0 and not passed and not (document.get("selection") or {}).get("shard"):
        yield "it says exit code 0, and nothing passed"
    if code == 1 and not failed and not document["problems"] and told:
        yield "it says exit code 1, and nothing in it fails"
    if code == 2 and not document["problems"] and (failed or passed):
        yield "it says exit code 2, and does not say why"
    if max(document["start_up_seconds"], document["duration_seconds"]) > _LONGEST_RUN:
        yield "it took more seconds than there are"


def _asked_again(document: Mapping[str, Any]) -> Iterator[str]:
    asked, results = document.get("asked_again"), tried(document)
    if not asked:
        return
    if asked["asked"] != len(results):
        yield f"it says that {asked['asked']} were asked again, and has {len(results)}"
    wrong = sum(map(again_fails, results))
    if asked["wrong"] < wrong or (asked["wrong"] > wrong and all("demanded" in one for one in results)):
        yield f"it says that {asked['wrong']} asked again were wrong, and has {wrong}"


def _diagnosis(document: Mapping[str, Any]) -> Iterator[str]:
    diagnosis = document["diagnosis"]
    if diagnosis is None:
        return
    none = {*_RIGHT, _UNSUPPORTED, _NOT_RUN}
    failing = {
        one["id"] for one in document["results"] if (one["real_outcome"] or one["outcome"]) not in none
    }
    told = {key for line in diagnosis["todo"] for key in line["failures"]}
    named = [*told, *diagnosis["unexplained"], *diagnosis["unanswered"]]
    named += [key for one in diagnosis["explanations"] for key in one["failures"]]
    if strange := sorted(set(named) - failing):
        yield f"its diagnosis speaks of {_quoted(strange[0])}, which is no failure"
    if diagnosis["failures"] != len(told):
        yield f"its diagnosis is of {diagnosis['failures']} failures, and accounts for {len(told)}"
    for line in diagnosis["todo"]:
        if line["alone"] > len(line["failures"]) or line["example"]["id"] not in line["failures"]:
            yield "a line of its diagnosis counts or names what it does not have"


def _known_failures(document: Mapping[str, Any]) -> Iterator[str]:
    if "known_failures" not in document:
        return
    counts = Counter(one["expected_by"] for one in listed(document) if one["expected_by"] is not None)
    known = document["known_failures"]
    entries = [] if known is None else known["entries"]
    texts = {f"{one['pattern']} {one['outcome']}": one["expected"] for one in entries}
    if strange := sorted(counts.keys() - texts.keys()):
        yield f"a result is expected by {_quoted(strange[0])}, which is not in the list of known failures"
    for text, count in texts.items():
        if counts[text] != count:
            yield f"its known failure {_quoted(text)} expects {count} results, and {counts[text]} say so"


def _offer(document: Mapping[str, Any]) -> Iterator[str]:
    offer = document.get("offer")
    if offer is None:
        return
    by_op: dict[str, Counter[str]] = {}
    for one in document["results"]:
        by_op.setdefault(one["op"], Counter())[one["outcome"]] += 1
    for one in offer["ops"]:
        counts = by_op.get(one["op"], Counter())
        said = (one["vectors"], one["passed"], one["unsupported"])
        if said != (counts.total(), counts[_PASSED], counts[_UNSUPPORTED]):
            yield f"what it says of op {_quoted(one['op'])} is not what its results say"
        if one["offered"] != (one["op"] in document["runner"]["ops"]):
            yield f"its runner and its offer disagree about op {_quoted(one['op'])}"
    if _twice(one["op"] for one in offer["ops"]) or by_op.keys() != {one["op"] for one in offer["ops"]}:
        yield "its offer has not the ops that its results have"
    offered = [one for one in offer["ops"] if one["offered"]]
    if [offer["vectors"], offer["passed"]] != [
        sum(one[key] for one in offered) for key in ("vectors", "passed")
    ]:
        yield "its offer does not add up"


_CHECKS: tuple[Callable[[Mapping[str, Any]], Iterator[str]], ...] = (
    _identities,
    _totals,
    _classes,
    _exit_code,
    _levels,
    _whole,
    _demands,
    _asked_again,
    _diagnosis,
    _known_failures,
    _offer,
)
