"""The page of a report of ``fuzz``: random inputs, so it finds and never claims; it has no badge."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from conformance.publishing.anchors import anchor
from conformance.publishing.blocks import (
    Bar,
    Bars,
    Block,
    Code,
    Failure,
    Failures,
    Line,
    Link,
    Mark,
    Paragraph,
    Part,
    Pre,
    Row,
    Table,
    Tone,
)
from conformance.publishing.kinds.fuzz_counts import Numbers, numbers_of
from conformance.publishing.kinds.saying import SIGNALS, brief, enumerated, links, of, several, value_text
from conformance.publishing.model import Case, Count, Fact, Note, Page, Section, Verdict
from conformance.run.commands import runner_words

__all__ = ["page"]

_ENDS = {
    "time": "its time was over",
    "inputs": "all inputs were compared",
    "interrupted": "it was interrupted",
    "runner": "it stopped early: the runner was past asking, or enough had failed",
}
_MOST_NOTES = 10
_Anchored = list[tuple[str, Mapping[str, Any]]]
_MOST_LINKS = 12


def page(document: Mapping[str, Any]) -> Page:
    """The page.

    Raises:
        PublishingError: the report contradicts itself.
    """
    numbers = numbers_of(document)
    gaps = _gaps(document)
    counts = (
        Count("agreed", numbers.agreed, Tone.GOOD, "Answered as the reference answers."),
        Count("disagreed", numbers.disagreed, Tone.BAD, "Answered otherwise, or not at all."),
        Count("unsupported", numbers.unsupported, Tone.WARN, "Refused, though hello offers the op."),
        Count("incomparable", numbers.incomparable, Tone.QUIET, "What is due is too long for a message."),
    )
    return Page(
        kind="fuzz",
        title=_title(document),
        verdict=_verdict(document, numbers, gaps),
        exit_code=document["exit_code"],
        facts=_facts(document),
        counts=tuple(one for one in counts if one.number) or counts[:1],
        unit="random inputs",
        warnings=gaps,
        sections=_sections(document, numbers),
        badge=None,
        cases=_cases(document),
        notes=_notes(document),
    )


def _anchored(document: Mapping[str, Any]) -> _Anchored:
    """The causes, each with where it stands: by its counterexample, as places change from run to run."""
    found: dict[str, Mapping[str, Any]] = {}
    for place, cause in enumerate(document["causes"], 1):
        where = anchor("cause", cause["counterexample"] or f"{cause['op']}/{place}")
        found[f"{where}-{place}" if where in found else where] = cause
    return list(found.items())


def _title(document: Mapping[str, Any]) -> Line:
    runner = document["runner"]
    name = brief(runner["name"] or "a runner that never said its name", 100)
    return (name, " on random inputs, beside the reference of ", document["spec"])


def _verdict(document: Mapping[str, Any], numbers: Numbers, gaps: Sequence[Line]) -> Verdict:
    causes, code = document["causes"], document["exit_code"]
    compared = several(numbers.compared, "random input")
    found = (
        f"{of(numbers.disagreed, numbers.compared)} random inputs were answered otherwise than the "
        f"reference of {document['spec']} answers them, of {several(len(causes), 'cause')}"
        if numbers.disagreed
        else f"no disagreement on {compared} compared with the reference of {document['spec']}"
    )
    found += f", at level {document['level']}"
    if code in SIGNALS:
        return Verdict("no verdict", Tone.WARN, f"Interrupted by {SIGNALS[code]}; until then: {found}.")
    if code == 2:
        why = document["problems"][0] if document["problems"] else "nothing was compared"
        return Verdict("could not be tried", Tone.BAD, f"{brief(why)}; {found}.")
    if numbers.disagreed:
        return Verdict("disagrees", Tone.BAD, f"{found[0].upper()}{found[1:]}.")
    if code:
        classes = ", ".join(document.get("unclaimed", ())) or "some ops"
        said = f"{several(numbers.unsupported, 'input')} unsupported, of ops that hello offers"
        return Verdict("breaks its claims", Tone.BAD, f"{said} ({classes}); {found}.")
    word = "no disagreement found, in part" if gaps else "no disagreement found"
    said = f"{found[0].upper()}{found[1:]}; other inputs may show one."
    return Verdict(word, Tone.WARN if gaps else Tone.GOOD, said)


def _facts(document: Mapping[str, Any]) -> tuple[Fact, ...]:
    runner, jobs = document["runner"], document.get("jobs", ())
    name, version = runner["name"] or "never said its name", runner["version"] or ""
    who = f"{brief(name, 100)} {brief(version, 60)}".strip()
    seeds = f"{document['seed']}"
    if jobs:
        seeds += f" (jobs: {enumerated([str(job['seed']) for job in jobs], 8)})"
    base = document["vectors_changed"]
    inputs = f"made from nothing, and of {several(base, 'vector')} changed" if base else "made from nothing"
    facts = [
        Fact("level", (document["level"],)),
        Fact("spec", (document["spec"],)),
        Fact("kit", (document["kit_version"],)),
        Fact("runner", (who, ", ", Code(brief(runner["command"])))),
        Fact("seed", (seeds,)),
        Fact("inputs", (inputs,)),
        Fact("ended", (_ENDS[document["ended"]],)),
        Fact("started", (document["started_at"],)),
        Fact(
            "took",
            (
                f"{document['duration_seconds']:.1f} s, {document['looking_seconds']:.1f} s of them on "
                f"disagreements; {document['rate_per_second']:,.0f} inputs a second",
            ),
        ),
    ]
    if document.get("environment"):
        facts.append(Fact("answers as", (document["environment"],)))
    if document["counterexamples"]:
        facts.append(Fact("vector file", (Code(brief(document["counterexamples"])),)))
    return tuple(facts)


def _gaps(document: Mapping[str, Any]) -> tuple[Line, ...]:
    """What keeps the run from being the whole story."""
    said: list[Line] = [("problem: ", brief(one)) for one in document["problems"]]
    said += [("cut: ", brief(one)) for one in document.get("cut", ())]
    if document["not_asked"]:
        said.append(("not asked, as hello does not offer them: ", ", ".join(document["not_asked"])))
    said += [
        (f"the job with seed {job['seed']}: ", brief(job["problem"]))
        for job in document.get("jobs", ())
        if job["problem"] is not None
    ]
    if document["exit_code"] in SIGNALS:
        said.append(("interrupted: what was found until then is all that is here",))
    return tuple(said)


def _sections(document: Mapping[str, Any], numbers: Numbers) -> tuple[Section, ...]:
    causes = document["causes"]
    found = []
    if causes:
        found.append(Section("todo", "What to do", (_todo(document),)))
        failures = tuple(_failure(document, cause, where) for where, cause in _anchored(document))
        blocks: list[Block] = [Failures(failures, numbers.unexplained)]
        if command := _repeat_all(document):
            blocks.append(Pre(command, "All of them again"))
        found.append(Section("causes", "Disagreements by cause", tuple(blocks)))
    found.append(Section("ops", "Inputs by op", (*_unclaimed(document), _bars(document))))
    if document.get("jobs"):
        found.append(Section("jobs", "Jobs", (_jobs(document),), brief=False))
    return tuple(found)


def _groups(document: Mapping[str, Any]) -> list[tuple[str | None, _Anchored]]:
    """Causes by likely mistake, the one that costs most first, what nothing explains last."""
    found: dict[str | None, _Anchored] = {}
    for where, cause in _anchored(document):
        found.setdefault(cause["likely"], []).append((where, cause))
    return sorted(found.items(), key=lambda item: (item[0] is None, -_disagreements(item[1])))


def _disagreements(causes: _Anchored) -> int:
    return sum(cause["count"] for _, cause in causes)


def _todo(document: Mapping[str, Any]) -> Table:
    rows = []
    for likely, causes in _groups(document):
        todo = dict.fromkeys(cause["do"] for _, cause in causes if cause.get("do"))
        named = [(cause["op"], where) for where, cause in causes]
        rows.append(
            Row(
                (
                    (brief(likely),) if likely else (Mark("unexplained", Tone.WARN),),
                    (brief("; ".join(todo), 600) or "look at each",),
                    (f"{_disagreements(causes):,}",),
                    links(named, _MOST_LINKS),
                )
            )
        )
    head = ("likely mistake", "what to do", "inputs", "causes")
    return Table(head, tuple(rows), "Likely mistakes", frozenset({2}))


def _failure(document: Mapping[str, Any], cause: Mapping[str, Any], where: str) -> Failure:
    again = Mark("should agree", Tone.PLAIN)
    if not cause["repeats"]:
        again = Mark("should agree, and did in a new process", Tone.WARN)
    seed = cause.get("seed", document["seed"])
    first = f"{cause['first_input']:,} of seed {seed}"
    fields: list[tuple[str, Line]] = [("op", (Code(cause["op"]),))]
    if "clause" in cause:
        fields.append(("clause", (Code(cause["clause"]),)))
    fields.append(("inputs", (f"{cause['count']:,}, the first is input {first}",)))
    if cause["base"]:
        fields.append(("changed from", (Code(cause["base"]),)))
    fields.append(("likely mistake", (brief(cause["likely"] or "none that the kit knows"),)))
    if cause.get("do"):
        fields.append(("what to do", (brief(cause["do"], 600),)))
    if cause["counterexample"]:
        fields.append(("vector", (Code(cause["counterexample"]),)))
    return Failure(
        where,
        f"{cause['op']}: {brief(cause['kind'])}",
        Mark("disagrees", Tone.BAD),
        again,
        (brief(cause.get("detail") or cause["kind"], 600),),
        tuple(fields),
        _texts(document, cause),
        _repeat(document, cause),
        {"op": cause["op"], "likely mistake": brief(cause["likely"] or "unexplained", 100)},
    )


def _texts(document: Mapping[str, Any], cause: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    if "asked" not in cause:
        where = f"in {document['counterexamples']}" if document["counterexamples"] else "nowhere"
        return (("input", f"the report of this older kit does not hold it; it stands {where}"),)
    asked = cause["asked"]
    given = asked["input"] if isinstance(asked, dict) and "input" in asked else asked
    actual = cause["actual"]
    return (
        ("input", value_text(given)),
        ("expected", value_text(cause["expected"])),
        ("actual", "no answer" if actual is None else value_text(actual)),
    )


def _repeat_all(document: Mapping[str, Any]) -> str | None:
    """The command for all that the vector file has; reports of older kits do not say it."""
    if document.get("repeat") or not document["counterexamples"]:
        told: str | None = document.get("repeat")
        return told
    words = ["harbor-conformance", "run", *runner_words(document["runner"]["command"])]
    words += ["--spec", document["spec"]]
    words += ["--level", document["level"]] if document["level"] != "bytes" else []
    return shlex.join([*words, "--vectors", document["counterexamples"]])


def _repeat(document: Mapping[str, Any], cause: Mapping[str, Any]) -> str | None:
    if "repeat" in cause:
        told: str | None = cause["repeat"]
        return told
    every = _repeat_all(document)
    return f"{every} {shlex.quote(cause['counterexample'])}" if every and cause["counterexample"] else None


def _bars(document: Mapping[str, Any]) -> Bars:
    kinds = (("agreed", Tone.GOOD), ("disagreed", Tone.BAD), ("unsupported", Tone.WARN))
    bars = []
    for op, told in document["ops"].items():
        parts = tuple(Part(name, told[name], tone) for name, tone in kinds if told[name])
        where = [each for each, cause in _anchored(document) if cause["op"] == op]
        note = several(len(where), "cause") if where else ""
        bars.append(Bar((Link(op, where[0]) if where else op,), parts, note))
    return Bars("Inputs by op", tuple(bars))


def _unclaimed(document: Mapping[str, Any]) -> list[Block]:
    classes = document.get("unclaimed", ())
    if not classes:
        return []
    said = "Some inputs were unsupported, of ops that hello offers: that breaks the claim of "
    return [Paragraph((said, ", ".join(classes), "."), Tone.BAD)]


def _jobs(document: Mapping[str, Any]) -> Table:
    rows = tuple(
        Row(((str(job["seed"]),), (f"{job['compared']:,}",), (brief(job["problem"] or ""),)))
        for job in document["jobs"]
    )
    return Table(("seed", "inputs compared", "problem"), rows, "Jobs", frozenset({1}))


def _cases(document: Mapping[str, Any]) -> tuple[Case, ...]:
    """A test for each op, and for each cause."""
    runner = f"{document['spec']} fuzz"
    cases = []
    for op, told in document["ops"].items():
        wrong = [f"{told[name]:,} {name}" for name in ("disagreed", "unsupported") if told[name]]
        whole = sum(told.values())
        state = "failed" if wrong else "passed" if whole else "skipped"
        message = f"{', '.join(wrong)} of {several(whole, 'input')}" if wrong else ""
        cases.append(Case(f"{runner} ops", op, state, message if whole else "no input was compared"))
    cases += [Case(f"{runner} ops", op, "skipped", "hello does not offer it") for op in document["not_asked"]]
    for cause in document["causes"]:
        detail = [f"{name}: {text}" for name, text in _texts(document, cause)]
        detail += [f"repeat: {command}"] if (command := _repeat(document, cause)) else []
        name = cause["counterexample"] or f"{cause['op']}: {brief(cause['kind'])}"
        message = f"{several(cause['count'], 'input')}: {brief(cause['likely'] or cause['kind'])}"
        cases.append(Case(f"{runner} causes", name, "failed", message, "\n".join(detail)))
    if document["exit_code"] not in (0, 1):
        why = "; ".join(document["problems"]) or "interrupted: no verdict"
        cases.append(Case(runner, "the run as a whole", "error", brief(why)))
    return tuple(cases)


def _notes(document: Mapping[str, Any]) -> tuple[Note, ...]:
    """One for each likely mistake; few."""
    found = [Note("error", "fuzz could not be tried to the end", brief(one)) for one in document["problems"]]
    for likely, causes in _groups(document):
        ops = enumerated(list(dict.fromkeys(cause["op"] for _, cause in causes)), 6)
        count = several(_disagreements(causes), "random input")
        title = f"{count} answered otherwise than the reference does ({ops})"
        first = causes[0][1]
        command = _repeat(document, first)
        text = brief(likely or first.get("detail") or first["kind"])
        text += f"; repeat: {command}" if command else ""
        found.append(Note("error", title, text))
    if len(found) > _MOST_NOTES:
        rest = len(found) - _MOST_NOTES + 1
        found[_MOST_NOTES - 1 :] = [Note("error", f"{rest} more causes", "They are in the report.")]
    return tuple(found)
