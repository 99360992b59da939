"""Every failure of a run: result and expectation apart, the rule, the likely mistake, how to repeat it."""

from collections.abc import Mapping
from typing import Any

from conformance.judging.comparison import Level
from conformance.publishing.anchors import (
    again_anchor,
    class_anchor,
    failure_anchor,
    rule_anchor,
    vector_anchor,
)
from conformance.publishing.blocks import Code, Failure, Failures, Line, Link, Mark, Paragraph, Tone
from conformance.publishing.kinds.runs.account import (
    Run,
    answer_text,
    counted,
    real_outcome,
    sentence,
    tone_of,
)
from conformance.publishing.kinds.runs.causes import Causes
from conformance.publishing.kinds.runs.known import Known, by_text, entries
from conformance.publishing.model import Section
from conformance.report.consistency import Entry, again_fails, fails
from conformance.outcomes.failure_text import difference_lines
from conformance.run.options import RunOptions, repeat_again, repeat_vector

__all__ = ["again_of", "expectation", "failure_of", "failures", "property_of", "repeat", "result"]

_OF_WRONG_ANSWERS = frozenset({"mismatch", "wrong-error"})


def result(one: Entry) -> Mark:
    """What came out, whatever had been expected."""
    outcome = one["outcome"]
    if outcome == "expected-failure":
        return Mark(real_outcome(one), Tone.KNOWN)
    if outcome == "unexpected-pass":
        return Mark("passed", Tone.GOOD)
    return Mark(outcome, Tone.BAD if one.get("demanded", False) else tone_of(outcome))


def expectation(one: Entry) -> Mark:
    """What had been expected of it."""
    match one["outcome"]:
        case "expected-failure":
            return Mark("known failure", Tone.KNOWN)
        case "unexpected-pass":
            return Mark("listed as a known failure", Tone.BAD)
    if one.get("demanded", False):
        return Mark("demanded", Tone.BAD)
    return Mark("new", Tone.BAD) if fails(one) else Mark("should pass", Tone.PLAIN)


def failures(run: Run) -> Section:
    """All that failed, what is new before what is known."""
    causes, known = Causes.of(run), by_text(entries(run))
    vectors = [one for one in run.results.values() if _told(one)]
    vectors.sort(key=lambda one: (not fails(one), causes.place(one["id"]), one["id"]))
    asked_again = [one for one in run.again if again_fails(one) or one["outcome"] == "expected-failure"]
    properties = [one for one in run.properties if _told(one)]
    told = [(failure_of(run, causes, known, one), fails(one)) for one in vectors]
    told += [(again_of(run, known, one), again_fails(one)) for one in asked_again]
    told += [(property_of(run, known, one), fails(one)) for one in properties]
    told.sort(key=lambda pair: not pair[1])
    new = sum(is_new for _, is_new in told)
    head = (
        f"{counted(new, 'new failure')}, {counted(len(told) - new, 'known one')}."
        if told
        else "Nothing was asked."
        if run.untried and not run.results
        else "There is no failure."
    )
    blocks = (Paragraph((head,)), Failures(tuple(one for one, _ in told)))
    return Section("failures", "Failures", blocks if told else blocks[:1])


def _told(one: Entry) -> bool:
    """Whether it has an account of its own: what was not run has none, there is nothing to tell."""
    if one["outcome"] == "not-run":
        return False
    return fails(one) or one["outcome"] == "expected-failure"


def failure_of(run: Run, causes: Causes, known: Mapping[str, Known], one: Entry) -> Failure:
    """The account of a vector that failed."""
    key = one["id"]
    fields = _fields(run, known, one)
    if why := one["detail"]:
        fields.append(("why", (sentence(why),)))
    fields += causes.fields(key)
    if real_outcome(one) in _OF_WRONG_ANSWERS and one.get("catches"):
        fields.append(("this vector catches", (sentence(one["catches"]),)))
    fields.append(("vector", (Link("among all vectors", vector_anchor(key)),)))
    return Failure(
        failure_anchor(key),
        key,
        result(one),
        expectation(one),
        (run.rule(one) or "The report does not say what this vector shows.",),
        tuple(fields),
        _texts(run, one),
        repeat(run, one),
        _facets(one, "vector"),
    )


def _fields(run: Run, known: Mapping[str, Known], one: Entry) -> list[tuple[str, Line]]:
    fields: list[tuple[str, Line]] = []
    if "clause" in one:
        statement = run.statements.get(one["clause"], "")
        said = (f": {statement}",) if statement else ()
        fields.append(("clause", (Link(one["clause"], rule_anchor(one["clause"])), *said)))
    fields += [("op", (Code(one["op"]),)), ("class", (Link(one["class"], class_anchor(one["class"])),))]
    if one["expected_by"] is not None:
        fields.append(("known failure", _listed(known, one["expected_by"])))
    return fields


def _listed(known: Mapping[str, Known], text: str) -> Line:
    entry = known.get(text)
    if entry is None:
        return (Code(text),)
    return (Link(f"line {entry.line}", entry.anchor), f", {entry.age}: ", entry.reason)


def _texts(run: Run, one: Entry) -> tuple[tuple[str, str], ...]:
    asked = run.asked(one)
    actual = answer_text(one["actual"])
    texts = [("input", asked or "The report does not say."), ("expected", answer_text(one["expected"]))]
    if one["outcome"] == "unexpected-pass":
        return ()
    texts.append(("actual", actual or "no answer"))
    lines = _difference(one["expected"], one["actual"])
    if lines:
        texts.append(("difference", "\n".join(lines)))
    return tuple((name, text) for name, text in texts if text)


def _difference(expected: Mapping[str, Any] | None, actual: Mapping[str, Any] | None) -> list[str]:
    if expected is None or actual is None or "ok" not in expected or "ok" not in actual:
        return []
    return difference_lines(expected["ok"], actual["ok"])


def _facets(one: Entry, kind: str) -> Mapping[str, str]:
    return {
        "kind": kind,
        "class": one["class"],
        "op": one["op"],
        "outcome": result(one).text,
        "expectation": expectation(one).text,
    }


def repeat(run: Run, one: Entry) -> str | None:
    """The command that repeats it; put together here where the report has none, as in earlier kits'."""
    if one.get("repeat") is not None:
        return str(one["repeat"])
    vector = run.of.known.get(one["id"])
    if vector is None:
        return None
    command = str(run.document["runner"]["command"])
    options = RunOptions(command=command, spec=run.spec, level=Level[run.level.upper()])
    if "changes" in one:
        return repeat_again(options, vector, run.document["asked_again"]["seed"])
    return repeat_vector(options, vector)


def again_of(run: Run, known: Mapping[str, Known], one: Entry) -> Failure:
    """The account of a vector that was asked again in other words, and failed."""
    published = run.results[one["id"]]
    fields = _fields(run, known, {**one, "clause": published["clause"]})
    fields.insert(0, ("changed", (sentence(one["changes"]),)))
    if one["detail"]:
        fields.append(("why", (sentence(one["detail"]),)))
    fields.append(("vector", (Link("as it is published", vector_anchor(one["id"])),)))
    return Failure(
        again_anchor(one["id"]),
        f"{one['id']} in other words",
        result(one),
        expectation(one),
        (run.rule(published) or "The report does not say what this vector shows.",),
        tuple(fields),
        _texts(run, one),
        repeat(run, one),
        _facets(one, "asked again"),
    )


def property_of(run: Run, known: Mapping[str, Known], one: Entry) -> Failure:
    """The account of a property that did not hold."""
    fields = _fields(run, known, one)
    if one["detail"]:
        fields.append(("why", (sentence(one["detail"]),)))
    if one["counterexamples"]:
        fields.append(("counterexamples", (Code(one["counterexamples"]),)))
    fields.append(("tried", (f"{counted(one['examples'], 'input')}, seed {one['seed']}",)))
    statement = run.statements.get(one["clause"], "It has to hold for every input.")
    return Failure(
        failure_anchor(one["id"]),
        one["id"],
        result(one),
        expectation(one),
        (statement,),
        tuple(fields),
        _texts(run, one) if one["asked"] is not None else (),
        one.get("repeat"),
        _facets(one, "property"),
    )
