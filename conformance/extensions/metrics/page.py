"""The page of a report of ``metric``."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from conformance.extensions.metrics.findings import LEVELS
from conformance.outcomes.words import counted
from conformance.pages.model import Badge, Cell, Code, Item, Mark, Page, Table, Tone
from conformance.pages.words import SIGNALS, enumerated, one_line

__all__ = ["page"]

Document = Mapping[str, Any]
_CONTRACTS = {
    "harbor-metric": "a metric script of harbor",
    "evsys": "a metric class of EvSys",
    "harness-evals": "a metric class of harness-evals",
}
_MEANS = {
    "hold": (Tone.GOOD, "Cases in which no rule is broken."),
    "break rules": (Tone.BAD, "Required or documented rules are broken."),
    "advice alone": (Tone.WARN, "Cases with an unexpected result."),
    "not run": (Tone.QUIET, "Cases that could not be run here."),
    "not chosen": (Tone.QUIET, "Cases that were not selected, or not reached."),
}


def page(document: Document) -> Page:
    """The page."""
    cases, findings = document["cases"], document["findings"]
    levels = Counter(one["level"] for one in findings)
    problems = list(_problems(document))
    known = document.get("all_cases", len(cases))
    ran = sum(case["not_run"] is None for case in cases)
    each = [_outcome(document, case) for case in cases]
    outcomes = Counter([*each, *["not chosen"] * (known - len(cases))])
    summary = ", ".join(f"{levels[level]} {level}" for level in LEVELS)
    summary = f"{ran:,} of {known:,} cases were tried; findings: {summary}."
    broken = levels["required"] + levels["documented"]
    verdict, sentence, badge = _verdict(document, problems, ran, known, broken, summary)
    name = one_line(PurePath(document["target"]).name or document["target"], 200)
    rows = [
        (Code(case["name"]), one_line(case["about"]), _mark(outcome, case))
        for case, outcome in zip(cases, each, strict=True)
    ]
    return Page(
        kind="metric",
        title=f"{name}, {_CONTRACTS[document['contract']]}",
        verdict=verdict,
        sentence=sentence,
        exit_code=document["exit_code"],
        facts=_facts(document),
        counts=[
            (Mark(name, tone), outcomes[name], means)
            for name, (tone, means) in _MEANS.items()
            if outcomes[name] or name == "hold"
        ],
        unit="cases",
        wrong="finding",
        problems=problems,
        items=list(_items(document)),
        causes={
            one_line(one["statement"]): f"see clause {one['clause']}: {one['clause_statement']}"
            for one in findings
        },
        tables=[Table("Cases", ("case", "what it is about", "outcome"), rows, long=True)],
        badge=badge,
        findings_only=True,
    )


def _outcome(document: Document, case: Document) -> str:
    if case["not_run"] is not None:
        return "not run"
    levels = {one["level"] for one in document["findings"] if one["case"] == case["name"]}
    return "hold" if not levels else "advice alone" if levels == {"advice"} else "break rules"


def _mark(outcome: str, case: Document) -> Mark:
    text = outcome if case["not_run"] is None else f"not run: {one_line(case['not_run'])}"
    return Mark(text, _MEANS[outcome][0])


def _verdict(
    document: Document, problems: list[str], ran: int, known: int, broken: int, summary: str
) -> tuple[Mark, str, Badge]:
    """The verdict, its sentence and its badge, which is green only if every case was run."""
    code, label = document["exit_code"], document["contract"]
    if code in SIGNALS:
        mark = Mark("no verdict: interrupted", Tone.WARN)
        return mark, f"{SIGNALS[code]}: {summary}", Badge(label, "no verdict", Tone.QUIET)
    if code == 2:
        mark, problem = Mark("could not be tried", Tone.BAD), document["problem"] or "nothing was tried"
        return mark, f"{one_line(problem)}; {summary}", Badge(label, mark.text, Tone.BAD)
    if code:
        return Mark("does not conform", Tone.BAD), summary, Badge(label, counted(broken, "finding"), Tone.BAD)
    if not problems:
        return Mark("conforms", Tone.GOOD), summary, Badge(label, "conforms", Tone.GOOD)
    mark = Mark("conforms, in part", Tone.WARN)
    partly = f"conforms in {ran:,} of {known:,} cases" if ran < known else mark.text
    return mark, summary, Badge(label, partly, Tone.WARN)


def _facts(document: Document) -> dict[str, Cell]:
    facts: dict[str, Cell] = {
        "contract": Code(document["contract"]),
        "kit": Code(document["kit_version"]),
        "metric": Code(one_line(document["target"])),
        "ran in": one_line(document["environment"] or "not known"),
    }
    if (reads := document["reads"]) is not None:
        names = enumerated([one_line(name, 60) for name in reads["names"]], 20) or "nothing"
        facts["reads"] = "whatever key a trial has" if reads["every"] else names
    return facts | {f"note {at}": one_line(note, 1_000) for at, note in enumerate(document["notes"], start=1)}


def _problems(document: Document) -> Iterator[str]:
    """The limitations of the check."""
    cases = document["cases"]
    known = document.get("all_cases", len(cases))
    if document["problem"] is not None:
        yield one_line(document["problem"])
    if len(cases) < known:
        yield f"only {len(cases):,} of {known:,} cases were tried"
    for why, count in Counter(case["not_run"] for case in cases if case["not_run"] is not None).items():
        yield f"{counted(count, 'case')} not run: {one_line(why)}"


def _items(document: Document) -> Iterator[Item]:
    """An item for each finding, and one for each case."""
    for one in document["findings"]:
        level = one["level"]
        fields: dict[str, Cell] = {
            "rule": Code(one["rule"]),
            "clause": f"{one['clause']}: {one_line(one['clause_statement'])}",
            "weight": f"{level}: {LEVELS[level]}",
            "whole input": Code(one_line(one["file"] or "")),
        }
        yield Item(
            key=f"{one['case']}/{one['rule']}",
            group=one["case"],
            outcome=level,
            tone=Tone.WARN if level == "advice" else Tone.BAD,
            summary=one_line(one["statement"]),
            detail=one_line(one["found"]),
            cause=one_line(one["statement"]),
            fields={name: value for name, value in fields.items() if value},
            texts={"found": one["found"]} | ({"input": one["input"]} if one["input"] else {}),
            repeat=one["repeat"],
            fingerprint=one["found"],
        )
    for case in document["cases"]:
        if case["not_run"] is not None:
            yield Item(case["name"], "not run", "not run", Tone.QUIET, detail=one_line(case["not_run"]))
        elif not case["findings"]:
            yield Item(case["name"], case["name"], "holds", Tone.GOOD, summary=one_line(case["about"]))
