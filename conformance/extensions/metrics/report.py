"""Formats a ``metric`` report as text, with the first case of each broken rule, and as a page."""

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from conformance.extensions.metrics.checker import LEVELS
from conformance.outcomes.words import counted
from conformance.pages.model import Badge, Cell, Code, Item, Mark, Page, Tone
from conformance.pages.words import SIGNALS, enumerated, one_line
from conformance.wire.text import printable

__all__ = ["finding_text", "findings_text", "page", "summary"]

_SHOWN = 12
Document = Mapping[str, Any]
_CONTRACTS = {
    "harbor-metric": "a metric script of harbor",
    "evsys": "a metric class of EvSys",
    "harness-evals": "a metric class of harness-evals",
}
_MEANS = {
    "hold": (Tone.GOOD, "Cases that break no rule."),
    "break rules": (Tone.BAD, "Cases that break required or documented rules."),
    "advice only": (Tone.WARN, "Cases with an unexpected result."),
    "not run": (Tone.QUIET, "Cases that could not be run here."),
    "not chosen": (Tone.QUIET, "Cases that were not selected, or not reached."),
}


def finding_text(finding: Document, also: Sequence[str] = ()) -> str:
    """Format a finding in full; ``also`` lists further cases with it."""
    lines = [f"{finding['level']} {finding['rule']}: {finding['statement']}"]
    for name, text in (
        ("clause", f"{finding['clause']}: {finding['clause_statement'] or ''}"),
        *((name, finding[name] or "") for name in ("case", "found", "input", "file", "repeat")),
        ("also in", enumerated(also, _SHOWN)),
    ):
        first, *further = text.splitlines() or [""]
        lines += [f"    {name:8}{printable(first)}"] if first else []
        lines += [f"{'':12}{printable(line)}" for line in further]
    return "\n".join(lines)


def findings_text(document: Document) -> list[str]:
    """Format each broken rule with its first case in full, and the notes."""
    lines = []
    for _, same in itertools.groupby(document["findings"], lambda finding: finding["rule"]):
        first, *further = same
        lines += [finding_text(first, [finding["case"] for finding in further]), ""]
    return [*lines, *(f"note: {printable(note)}" for note in document["notes"])]


def _not_run(document: Document) -> dict[str, list[str]]:
    """Return the cases that were not run, by reason."""
    by_reason: dict[str, list[str]] = {}
    for case in document["cases"]:
        if case["not_run"] is not None:
            by_reason.setdefault(case["not_run"], []).append(case["name"])
    return by_reason


def summary(document: Document) -> list[str]:
    """Say why cases were not run; the last line has the numbers of findings and the verdict."""
    cases, known, not_run = len(document["cases"]), document["all_cases"], _not_run(document)
    skipped = sum(map(len, not_run.values()))
    parts = [
        f"{printable(document['target'])}: {document['contract']}",
        counted(cases - skipped, "case") if cases == known else f"{cases - skipped} of {known} cases",
        *([f"{skipped} not run"] if skipped else []),
        *(f"{count} {level}" for level, count in document["counts"].items()),
    ]
    verdicts = {0: "conforms", 1: "does not conform", 2: "could not be checked"}
    verdict = verdicts.get(document["exit_code"], f"{document['problem']}: no verdict")
    reasons = (f"not run: {enumerated(names, _SHOWN)}: {reason}" for reason, names in not_run.items())
    return [*reasons, f"{', '.join(parts)}: {verdict}"]


def page(document: Document) -> Page:
    """Return the page of a report."""
    cases, findings = document["cases"], document["findings"]
    known, not_run = document.get("all_cases", len(cases)), _not_run(document)
    ran = len(cases) - sum(map(len, not_run.values()))
    problems = [] if document["problem"] is None else [one_line(document["problem"])]
    problems += [f"only {len(cases):,} of {known:,} cases were run"] if len(cases) < known else []
    problems += [f"{counted(len(names), 'case')} not run: {one_line(why)}" for why, names in not_run.items()]

    def outcome(case: Document) -> str:
        levels = {finding["level"] for finding in findings if finding["case"] == case["name"]}
        state = "hold" if not levels else "advice only" if levels == {"advice"} else "break rules"
        return state if case["not_run"] is None else "not run"

    outcomes = Counter([*map(outcome, cases), *["not chosen"] * (known - len(cases))])
    verdict, sentence, badge = _verdict(document, problems, ran, known)
    facts: dict[str, Cell] = {
        "contract": Code(document["contract"]),
        "kit": Code(document["kit_version"]),
        "metric": Code(one_line(document["target"])),
        "ran in": one_line(document["environment"] or "not known"),
    }
    if (reads := document["reads"]) is not None:
        names = enumerated([one_line(name, 60) for name in reads["names"]], 20) or "nothing"
        facts["reads"] = "every key of a trial" if reads["every"] else names
    facts |= {f"note {i}": one_line(note, 1_000) for i, note in enumerate(document["notes"], start=1)}
    name = one_line(PurePath(document["target"]).name or document["target"], 200)
    return Page(
        kind="metric",
        title=f"{name}, {_CONTRACTS[document['contract']]}",
        verdict=verdict,
        sentence=sentence,
        exit_code=document["exit_code"],
        facts=facts,
        counts=[
            (Mark(name, tone), outcomes[name], means)
            for name, (tone, means) in _MEANS.items()
            if outcomes[name] or name == "hold"
        ],
        unit="cases",
        wrong="finding",
        problems=problems,
        items=list(_items(document)),
        badge=badge,
        findings_only=True,
    )


def _verdict(document: Document, problems: list[str], ran: int, known: int) -> tuple[Mark, str, Badge]:
    """Return the verdict, its sentence and its badge, which is green only if every case was run."""
    code, label, levels = document["exit_code"], document["contract"], document["counts"]
    summary = ", ".join(f"{levels[level]} {level}" for level in LEVELS)
    summary = f"{ran:,} of {known:,} cases were run; findings: {summary}."
    if code in SIGNALS:
        mark = Mark("no verdict: interrupted", Tone.WARN)
        return mark, f"{SIGNALS[code]}: {summary}", Badge(label, "no verdict", Tone.QUIET)
    if code == 2:
        mark, problem = Mark("could not be checked", Tone.BAD), document["problem"] or "no case was run"
        return mark, f"{one_line(problem)}; {summary}", Badge(label, mark.text, Tone.BAD)
    if code:
        broken = counted(levels["required"] + levels["documented"], "finding")
        return Mark("does not conform", Tone.BAD), summary, Badge(label, broken, Tone.BAD)
    if not problems:
        return Mark("conforms", Tone.GOOD), summary, Badge(label, "conforms", Tone.GOOD)
    mark = Mark("partly conforms", Tone.WARN)
    partly = f"conforms in {ran:,} of {known:,} cases" if ran < known else mark.text
    return mark, summary, Badge(label, partly, Tone.WARN)


def _items(document: Document) -> Iterator[Item]:
    """Yield an item for each finding, and one for each case without one."""
    for finding in document["findings"]:
        level, statement = finding["level"], one_line(finding["statement"])
        fields: dict[str, Cell] = {
            "rule": Code(finding["rule"]),
            "clause": f"{finding['clause']}: {one_line(finding['clause_statement'])}",
            "level": f"{level}: {LEVELS[level]}",
            "input file": Code(one_line(finding["file"] or "")),
        }
        yield Item(
            key=f"{finding['case']}/{finding['rule']}",
            group=finding["case"],
            outcome=level,
            tone=Tone.WARN if level == "advice" else Tone.BAD,
            summary=statement,
            detail=one_line(finding["found"]),
            cause=statement,
            fields={name: value for name, value in fields.items() if value},
            texts={"found": finding["found"]} | ({"input": finding["input"]} if finding["input"] else {}),
            repeat=finding["repeat"],
            fingerprint=finding["found"],
        )
    for case in document["cases"]:
        if case["not_run"] is not None:
            yield Item(case["name"], "not run", "not run", Tone.QUIET, detail=one_line(case["not_run"]))
        elif not case["findings"]:
            yield Item(case["name"], case["name"], "holds", Tone.GOOD, summary=one_line(case["about"]))
