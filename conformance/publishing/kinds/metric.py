"""The page of a report of ``metric``."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from conformance.publishing.anchors import anchor, rule_anchor
from conformance.publishing.blocks import (
    Block,
    Code,
    Failure,
    Failures,
    Line,
    Lines,
    Link,
    Mark,
    Row,
    Table,
    Tone,
)
from conformance.publishing.kinds.saying import SIGNALS, brief, enumerated, links, of, several
from conformance.publishing.model import Badge, Case, Count, Fact, Note, Page, Section, Verdict
from conformance.publishing.reading import PublishingError

__all__ = ["OUTCOMES", "check", "failure", "finding_anchor", "outcome", "page"]

_LEVELS = {
    "required": ("the system enforces it", Tone.BAD),
    "documented": ("the document states it", Tone.BAD),
    "advice": ("neither, but somebody may be surprised", Tone.WARN),
}
_CONTRACTS = {
    "harbor-metric": "a metric script of harbor",
    "evsys": "a metric class of EvSys",
    "harness-evals": "a metric class of harness-evals",
}
OUTCOMES = {
    "holds": (Tone.GOOD, "passed"),
    "breaks rules": (Tone.BAD, "failed"),
    "advice": (Tone.WARN, "passed"),
    "not run": (Tone.QUIET, "skipped"),
}
"""What may become of a case: its tone, and what JUnit calls it."""
_MOST_NOTES = 10
_MOST_LINKS = 40


def page(document: Mapping[str, Any]) -> Page:
    """The page.

    Raises:
        PublishingError: the report contradicts itself.
    """
    check(document)
    told = Counter(outcome(document, case) for case in document["cases"])
    gaps = _gaps(document)
    left = document.get("all_cases", 0) - len(document["cases"])
    counts = [
        Count("hold", told["holds"], Tone.GOOD, "Cases in which no rule is broken."),
        Count("break rules", told["breaks rules"], Tone.BAD, "Required or documented rules are broken."),
        Count("advice alone", told["advice"], Tone.WARN, "Cases in which somebody may be surprised."),
        Count("not run", told["not run"], Tone.QUIET, "Cases that could not be tried here."),
        Count("not chosen", max(0, left), Tone.QUIET, "Cases that were not asked for, or not reached."),
    ]
    return Page(
        kind="metric",
        title=(
            brief(PurePath(document["target"]).name or document["target"]),
            f", {_CONTRACTS[document['contract']]}",
        ),
        verdict=_verdict(document, gaps),
        exit_code=document["exit_code"],
        facts=_facts(document),
        counts=tuple(one for one in counts if one.number) or tuple(counts[:1]),
        unit="cases",
        warnings=gaps,
        sections=_sections(document),
        badge=_badge(document, gaps),
        cases=_cases(document),
        notes=_notes(document),
    )


def finding_anchor(finding: Mapping[str, Any]) -> str:
    """Where a finding stands: by its rule and its case."""
    return anchor("finding", f"{finding['rule']}/{finding['case']}")


def outcome(document: Mapping[str, Any], case: Mapping[str, Any]) -> str:
    """What became of a case, one of ``OUTCOMES``."""
    if case["not_run"] is not None:
        return "not run"
    levels = {one["level"] for one in document["findings"] if one["case"] == case["name"]}
    if not levels:
        return "holds"
    return "advice" if levels == {"advice"} else "breaks rules"


def check(document: Mapping[str, Any]) -> None:
    """Holds what the report counts to what it lists.

    Raises:
        PublishingError: they contradict each other.
    """
    cases, findings = document["cases"], document["findings"]
    found = Counter(one["case"] for one in findings)
    levels = Counter(one["level"] for one in findings)
    names = [case["name"] for case in cases]
    faults = {
        "a case stands in it twice": len(set(names)) < len(names),
        "a finding is of a case that it does not have": bool(found.keys() - set(names)),
        "its cases count other findings than it lists": any(
            case["findings"] != found[case["name"]] for case in cases
        ),
        "its counts are not those of its findings": +levels != +Counter(document["counts"]),
        "it has more cases than there are": len(cases) > document.get("all_cases", len(cases)),
        "exit code 0, and rules are broken": document["exit_code"] == 0
        and bool(levels["required"] + levels["documented"]),
        "exit code 1, and no rule is broken": document["exit_code"] == 1
        and not levels["required"] + levels["documented"],
        "it could not be tried, and its exit code says otherwise": document["problem"] is not None
        and document["exit_code"] in (0, 1),
    }
    for fault, there in faults.items():
        if there:
            raise PublishingError(f"the metric report contradicts itself: {fault}")


def _ran(document: Mapping[str, Any]) -> int:
    return sum(case["not_run"] is None for case in document["cases"])


def _known(document: Mapping[str, Any]) -> int:
    return int(document.get("all_cases", len(document["cases"])))


def _gaps(document: Mapping[str, Any]) -> tuple[Line, ...]:
    """What keeps the check from being the whole story."""
    said: list[Line] = []
    if document["problem"] is not None:
        said.append((brief(document["problem"]),))
    tried, known = len(document["cases"]), _known(document)
    if tried < known:
        said.append((f"{of(tried, known)} cases alone were tried",))
    reasons = Counter(case["not_run"] for case in document["cases"] if case["not_run"] is not None)
    said += [(f"{several(count, 'case')} not run: ", brief(why)) for why, count in reasons.items()]
    if "all_cases" not in document:
        said.append(
            ("an older kit made this report: it does not say whether these are all of the contract's cases",)
        )
    return tuple(said)


def _verdict(document: Mapping[str, Any], gaps: Sequence[Line]) -> Verdict:
    counts, code = document["counts"], document["exit_code"]
    told = ", ".join(f"{counts[level]} {level}" for level in _LEVELS)
    ran = f"{of(_ran(document), _known(document))} cases were tried"
    sentence = f"{ran}; findings: {told}."
    if code in SIGNALS:
        return Verdict("no verdict", Tone.WARN, f"Interrupted by {SIGNALS[code]}: {sentence}")
    if code == 2:
        why = brief(document["problem"] or "nothing was tried")
        return Verdict("could not be tried", Tone.BAD, f"{why.rstrip('.')}; {sentence}")
    if code:
        return Verdict("does not conform", Tone.BAD, sentence)
    word = "conforms, in part" if gaps else "conforms"
    return Verdict(word, Tone.WARN if gaps else Tone.GOOD, sentence)


def _badge(document: Mapping[str, Any], gaps: Sequence[Line]) -> Badge:
    """Green only where every case of the contract was tried."""
    label, counts = document["contract"], document["counts"]
    match document["exit_code"]:
        case 0:
            ran, known = _ran(document), _known(document)
            if not gaps:
                return Badge(label, "conforms", Tone.GOOD)
            return Badge(
                label,
                f"conforms in {of(ran, known)} cases" if ran < known else "conforms, in part",
                Tone.WARN,
            )
        case 1:
            return Badge(label, several(counts["required"] + counts["documented"], "finding"), Tone.BAD)
        case 2:
            return Badge(label, "could not be tried", Tone.BAD)
    return Badge(label, "no verdict", Tone.QUIET)


def _facts(document: Mapping[str, Any]) -> tuple[Fact, ...]:
    facts = [
        Fact("contract", (document["contract"],)),
        Fact("kit", (document["kit_version"],)),
        Fact("metric", (Code(brief(document["target"])),)),
        Fact("ran in", (brief(document["environment"] or "not known"),)),
    ]
    if (reads := document["reads"]) is not None:
        names = enumerated([brief(name, 60) for name in reads["names"]], 20) or "nothing"
        facts.append(Fact("reads", ("whatever key a trial has" if reads["every"] else names,)))
    return tuple(facts)


def _sections(document: Mapping[str, Any]) -> tuple[Section, ...]:
    found = []
    if document["findings"]:
        failures = Failures(tuple(map(failure, document["findings"])))
        found.append(Section("rules", "Rules that are broken", (_rules(document),)))
        found.append(Section("findings", "Findings", (failures,)))
    found.append(Section("cases", "Cases", (_table(document),)))
    if document["notes"]:
        notes: tuple[Block, ...] = (Lines(tuple((brief(note, 1000),) for note in document["notes"])),)
        found.append(Section("notes", "Notes", notes))
    return tuple(found)


def _by_rule(document: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    """The findings of each rule, the gravest rules first."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for one in sorted(document["findings"], key=lambda one: list(_LEVELS).index(one["level"])):
        found.setdefault(one["rule"], []).append(one)
    return found


def _rules(document: Mapping[str, Any]) -> Table:
    rows = []
    for rule, findings in _by_rule(document).items():
        first = findings[0]
        where = [(one["case"], finding_anchor(one)) for one in findings]
        rows.append(
            Row(
                (
                    (Code(rule),),
                    (Mark(first["level"], _LEVELS[first["level"]][1]),),
                    (brief(first["statement"], 600),),
                    (f"{len(findings)}: ", *links(where, _MOST_LINKS)),
                ),
                rule_anchor(rule),
            )
        )
    head = ("rule", "level", "what it says", "cases that break it")
    return Table(head, tuple(rows), "The gravest first")


def failure(finding: Mapping[str, Any]) -> Failure:
    """A finding, to be opened."""
    why, tone = _LEVELS[finding["level"]]
    fields: list[tuple[str, Line]] = [
        ("named", (Link(finding["rule"], rule_anchor(finding["rule"])),)),
        ("clause", (Code(finding["clause"]), ": ", brief(finding["clause_statement"] or "", 600))),
        ("case", (Link(finding["case"], anchor("case", finding["case"])),)),
        ("weight", (f"{finding['level']}: {why}",)),
    ]
    if finding["file"] is not None:
        fields.append(("whole input", (Code(brief(finding["file"])),)))
    texts = [("found", finding["found"])]
    if finding["input"] is not None:
        texts.append(("input", finding["input"]))
    return Failure(
        finding_anchor(finding),
        f"{finding['rule']}, case {finding['case']}: {brief(finding['found'], 120)}",
        Mark("advice" if finding["level"] == "advice" else "broken", tone),
        Mark(finding["level"], Tone.PLAIN),
        (brief(finding["statement"], 600),),
        tuple(fields),
        tuple(texts),
        finding["repeat"],
        {"level": finding["level"], "rule": finding["rule"]},
    )


def _table(document: Mapping[str, Any]) -> Table:
    rows = []
    for case in document["cases"]:
        word = outcome(document, case)
        where = [
            (one["rule"], finding_anchor(one)) for one in document["findings"] if one["case"] == case["name"]
        ]
        told: Line = (brief(case["not_run"]),) if case["not_run"] is not None else links(where, _MOST_LINKS)
        rows.append(
            Row(
                ((Code(case["name"]),), (brief(case["about"]),), (Mark(word, OUTCOMES[word][0]),), told),
                anchor("case", case["name"]),
                OUTCOMES[word][0],
                {"outcome": word},
            )
        )
    return Table(
        ("case", "what it is about", "outcome", "rules broken, or why not run"),
        tuple(rows),
        "Cases",
        long=True,
    )


def _cases(document: Mapping[str, Any]) -> tuple[Case, ...]:
    found = []
    for case in document["cases"]:
        word = outcome(document, case)
        mine = [one for one in document["findings"] if one["case"] == case["name"]]
        told = "; ".join(f"{one['level']} {one['rule']}: {brief(one['found'])}" for one in mine)
        detail = "\n".join(
            f"{one['statement']}\nfound: {one['found']}\nrepeat: {one['repeat']}" for one in mine
        )
        state = OUTCOMES[word][1]
        message = case["not_run"] or told
        found.append(Case(f"{document['contract']} metric", case["name"], state, message, detail))
    if document["exit_code"] not in (0, 1):
        why = document["problem"] or "no verdict"
        found.append(Case(f"{document['contract']} metric", "the check as a whole", "error", why))
    return tuple(found)


def _notes(document: Mapping[str, Any]) -> tuple[Note, ...]:
    """One for each rule; few."""
    found = []
    if document["exit_code"] not in (0, 1):
        found.append(
            Note("error", "the metric could not be tried to the end", brief(document["problem"] or ""))
        )
    for rule, findings in _by_rule(document).items():
        first = findings[0]
        severity = "notice" if first["level"] == "advice" else "error"
        cases = enumerated([one["case"] for one in findings], 6)
        text = f"{brief(first['found'])} Cases: {cases}. Repeat: {first['repeat']}"
        found.append(Note(severity, f"{first['level']} {rule}: {brief(first['statement'])}", text))
    if len(found) > _MOST_NOTES:
        rest = len(found) - _MOST_NOTES + 1
        found[_MOST_NOTES - 1 :] = [Note("warning", f"{rest} more rules", "They are in the report.")]
    return tuple(found)
