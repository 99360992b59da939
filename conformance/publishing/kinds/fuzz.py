"""The page of a report of ``fuzz``: random inputs, so it finds and never claims; it has no badge."""

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.publishing.blocks import (
    Block,
    Code,
    Failures,
    Line,
    Pre,
    Tone,
)
from conformance.publishing.kinds.fuzz_counts import Numbers, numbers_of
from conformance.publishing.kinds.fuzz_sections import (
    anchored,
    bars,
    disagreements,
    failure,
    groups,
    jobs,
    repeat,
    repeat_all,
    texts,
    todo,
    unclaimed,
)
from conformance.publishing.kinds.saying import SIGNALS, brief, enumerated, of, several
from conformance.publishing.model import Case, Count, Fact, Note, Page, Section, Verdict

__all__ = ["page"]

_ENDS = {
    "time": "its time was over",
    "inputs": "all inputs were compared",
    "interrupted": "it was interrupted",
    "runner": "it stopped early: the runner was past asking, or enough had failed",
    "incomplete": "parts of it are missing, or were interrupted",
}
_MOST_NOTES = 10


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
        Count(
            *("incomparable", numbers.incomparable, Tone.QUIET),
            "What is due is too long for a message, or holds half a surrogate pair, which the runner can't.",
        ),
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
    if code and not document.get("unclaimed"):
        said = f"{brief(document['problems'][0])}; " if document["problems"] else ""
        return Verdict("in part", Tone.BAD, f"{said}{found}.")
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
    shard = document.get("selection", {}).get("shard")
    said: list[Line] = []
    if shard is not None:
        said.append((f"this is part {shard['number']} of {shard['of']}: merge them all",))
    said += [("problem: ", brief(one)) for one in document["problems"]]
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
        found.append(Section("todo", "What to do", (todo(document),)))
        failures = tuple(failure(document, cause, where) for where, cause in anchored(document))
        blocks: list[Block] = [Failures(failures, numbers.unexplained)]
        if command := repeat_all(document):
            blocks.append(Pre(command, "All of them again"))
        found.append(Section("causes", "Disagreements by cause", tuple(blocks)))
    found.append(Section("ops", "Inputs by op", (*unclaimed(document), bars(document))))
    if document.get("jobs"):
        found.append(Section("jobs", "Jobs", (jobs(document),), brief=False))
    return tuple(found)


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
        detail = [f"{name}: {text}" for name, text in texts(document, cause)]
        detail += [f"repeat: {command}"] if (command := repeat(document, cause)) else []
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
    for likely, causes in groups(document):
        ops = enumerated(list(dict.fromkeys(cause["op"] for _, cause in causes)), 6)
        count = several(disagreements(causes), "random input")
        title = f"{count} answered otherwise than the reference does ({ops})"
        first = causes[0][1]
        command = repeat(document, first)
        text = brief(likely or first.get("detail") or first["kind"])
        text += f"; repeat: {command}" if command else ""
        found.append(Note("error", title, text))
    if len(found) > _MOST_NOTES:
        rest = len(found) - _MOST_NOTES + 1
        found[_MOST_NOTES - 1 :] = [Note("error", f"{rest} more causes", "They are in the report.")]
    return tuple(found)
