"""The page of a ``fuzz`` report. Random inputs support no claim, so it has no badge."""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.outcomes.words import counted
from conformance.pages.model import Bar, Cell, Code, Item, Mark, Page, Table, Tone
from conformance.pages.words import SIGNALS, answer_text, asked_text, enumerated, one_line
from conformance.suite.clauses import statements

__all__ = ["page"]

Document = Mapping[str, Any]
_ENDS = {
    "time": "when the time was over",
    "inputs": "after comparing all inputs",
    "interrupted": "by an interruption",
    "runner": "early: the runner failed too often, or --max-failures was reached",
}
_KINDS = {"agreed": Tone.GOOD, "disagreed": Tone.BAD, "unsupported": Tone.WARN}
_MEANS = {
    "agreed": "Answered like the reference.",
    "disagreed": "Answered differently, or not at all.",
    "unsupported": "Unsupported, although hello offers the operation.",
    "incomparable": "Not compared: the expected answer is too long for a message, or has a lone surrogate.",
}


def page(document: Document) -> Page:
    """Return the page of a report."""
    runner, ops = document["runner"], document["ops"]
    numbers = {kind: sum(counts[kind] for counts in ops.values()) for kind in _KINDS}
    numbers["incomparable"] = document["incomparable"]
    rows = [
        (Code(op), Bar(tuple((kind, counts[kind], tone) for kind, tone in _KINDS.items() if counts[kind])))
        for op, counts in ops.items()
    ]
    jobs = [(str(job["seed"]), job["compared"], job["problem"] or "") for job in document.get("jobs", ())]
    tables = [Table("Inputs by operation", ("operation", "inputs"), rows)]
    tables += [Table("Jobs", ("seed", "inputs compared", "problem"), jobs, long=True)] if jobs else []
    problems = list(_problems(document))
    verdict, sentence = _verdict(document, numbers, problems)
    return Page(
        kind="fuzz",
        title=f"{one_line(runner['name'] or runner['command'], 100)} on random inputs, compared with the "
        f"reference of {document['spec']}",
        verdict=verdict,
        sentence=sentence,
        exit_code=document["exit_code"],
        facts=_facts(document),
        counts=[
            (Mark(kind, _KINDS.get(kind, Tone.QUIET)), count, _MEANS[kind])
            for kind, count in numbers.items()
            if count or kind == "agreed"
        ],
        unit="random inputs",
        problems=problems,
        items=list(_items(document)),
        causes={row["likely"]: row["do"] for row in document["causes"] if row["likely"] and row.get("do")},
        tables=tables,
        started_at=document["started_at"],
        seconds=document["duration_seconds"],
        findings_only=True,
    )


def _verdict(document: Document, numbers: Mapping[str, int], problems: list[str]) -> tuple[Mark, str]:
    causes, code, level = document["causes"], document["exit_code"], document["level"]
    compared = counted(numbers["agreed"] + numbers["disagreed"], "random input")
    summary = f"{compared} agreed with the reference at level {level}; other inputs may not"
    if numbers["disagreed"]:
        summary = (
            f"{numbers['disagreed']:,} of {compared} were answered differently from the reference of "
            f"{document['spec']}, from {counted(len(causes), 'cause')}, at level {level}"
        )
    if code in SIGNALS:
        return Mark("no verdict: interrupted", Tone.WARN), f"{SIGNALS[code]}; until then: {summary}."
    if code == 2:
        why = document["problems"][0] if document["problems"] else "nothing was compared"
        return Mark("could not be tried", Tone.BAD), f"{one_line(why)}; {summary}."
    if numbers["disagreed"]:
        return Mark("disagrees", Tone.BAD), f"{summary}."
    if code and document.get("unclaimed"):
        text = f"{counted(numbers['unsupported'], 'input')} unsupported, although hello offers the operations"
        return Mark("breaks its claims", Tone.BAD), f"{text} ({', '.join(document['unclaimed'])}); {summary}."
    word = "no disagreement found" + (", with limitations" if problems else "")
    return Mark(word, Tone.BAD if code else Tone.WARN if problems else Tone.GOOD), f"{summary}."


def _facts(document: Document) -> dict[str, Cell]:
    runner, changed = document["runner"], document["vectors_changed"]
    seeds = enumerated([str(job["seed"]) for job in document.get("jobs", ())])
    facts: dict[str, Cell] = {
        "level": Code(document["level"]),
        "spec": Code(document["spec"]),
        "kit": Code(document["kit_version"]),
        "runner": one_line(f"{runner['name'] or 'unnamed'} {runner['version'] or ''}", 160),
        "command": Code(one_line(runner["command"])),
        "seed": f"{document['seed']}" + (f" (jobs: {seeds})" if seeds else ""),
        "inputs": "random" + (f", and {counted(changed, 'vector')} changed" if changed else ""),
        "ended": _ENDS[document["ended"]],
        "run": f"{document['started_at']}, {document['duration_seconds']:.1f} s, "
        f"{document['rate_per_second']:,.0f} inputs per second",
        "answers like": one_line(document.get("environment") or ""),
        "vector file": Code(one_line(document["counterexamples"] or "")),
        "repeat all": Code(document.get("repeat") or ""),
    }
    return {name: value for name, value in facts.items() if value}


def _problems(document: Document) -> Iterator[str]:
    """Yield the problems and limitations of the run."""
    yield from map(one_line, document["problems"])
    yield from (f"cut: {one_line(note)}" for note in document.get("cut", ()))
    if document["not_asked"]:
        yield f"not tested, as hello does not offer them: {', '.join(document['not_asked'])}"
    for job in document.get("jobs", ()):
        if job["problem"] is not None:
            yield f"the job with seed {job['seed']}: {one_line(job['problem'])}"
    if document["exit_code"] in SIGNALS:
        yield "interrupted: only the findings so far are shown"


def _items(document: Document) -> Iterator[Item]:
    """Yield an item for each cause of disagreement, and one for each operation without any."""
    rules = statements(document["spec"])
    times: dict[str, int] = {}
    for cause in sorted(document["causes"], key=lambda cause: -cause["count"]):
        key = f"{cause['op']}/{one_line(cause['kind'], 200)}"
        times[key] = times.get(key, 0) + 1
        first = f"{cause['first_input']:,} of seed {cause.get('seed', document['seed'])}"
        fields: dict[str, Cell] = {
            "clause": Code(cause.get("clause", "")),
            "inputs": f"{cause['count']:,}, the first is input {first}",
            "changed from": Code(cause["base"] or ""),
            "vector": Code(cause["counterexample"] or ""),
            "repeats": "" if cause["repeats"] else "no: it agreed in a new process",
        }
        texts = {
            "input": asked_text(cause.get("asked")),
            "expected": answer_text(cause.get("expected")),
            "actual": answer_text(cause.get("actual"), "no answer"),
        }
        yield Item(
            key=key if times[key] == 1 else f"{key} ({times[key]})",
            group=cause["op"],
            outcome="disagrees",
            tone=Tone.BAD,
            summary=rules.get(cause.get("clause", ""), one_line(cause["kind"])),
            detail=one_line(cause.get("detail") or cause["kind"]),
            cause=one_line(cause["likely"] or ""),
            fields={name: value for name, value in fields.items() if value},
            texts={name: text for name, text in texts.items() if text},
            repeat=cause.get("repeat") or "",
            fingerprint=cause["kind"],
        )
    for op, counts in document["ops"].items():
        if sum(counts.values()) and not counts["disagreed"]:
            refused = counts["unsupported"]
            tone = Tone.BAD if refused and document.get("unclaimed") else Tone.GOOD
            outcome = f"{counted(refused, 'input')} unsupported" if refused else "agrees"
            yield Item(
                op, op, outcome, tone, cause="unsupported, although hello offers it" if refused else ""
            )
