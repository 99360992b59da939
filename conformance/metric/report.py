"""What a check of a metric tells: findings and a table for people, a JSON report for programs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from conformance import __version__
from conformance.console.tables import plain_table, table_lines
from conformance.metric.findings import LEVELS, Finding
from conformance.metric.targets import Checking
from conformance.wire.text import encodable, printable

__all__ = ["SCHEMA", "as_json", "counts_text", "finding_text", "findings_text", "summary"]

SCHEMA = "urn:harbor-conformance:metric-report:1"
_SHOWN = 12


def finding_text(
    finding: Finding, repeat: str, statements: Mapping[str, str], also: Sequence[str] = ()
) -> str:
    """A finding in full; ``also`` names further cases that show it."""
    rule = finding.rule
    lines = [f"{rule.level} {rule.name}: {rule.statement}"]
    fields = [
        ("clause", f"{rule.clause}: {statements.get(rule.clause, '')}"),
        ("case", finding.case),
        ("found", finding.sentence),
        *(
            (name, line)
            for name, line in zip(("input", *[""] * 99), finding.given.splitlines(), strict=False)
        ),
    ]
    if finding.file:
        fields.append(("kept", finding.file))
    fields.append(("repeat", repeat))
    if also:
        more = f" and {len(also) - _SHOWN} more" if len(also) > _SHOWN else ""
        fields.append(("also in", f"{', '.join(also[:_SHOWN])}{more}"))
    return "\n".join([*lines, *(f"    {name:8}{printable(value)}" for name, value in fields)])


def _by_rule(checking: Checking) -> list[list[Finding]]:
    """The findings of each rule, the gravest rules first."""
    grouped: dict[str, list[Finding]] = {}
    for result in checking.results:
        for finding in result.findings:
            grouped.setdefault(finding.rule.name, []).append(finding)
    order = list(LEVELS)
    return sorted(grouped.values(), key=lambda findings: order.index(findings[0].rule.level))


def findings_text(checking: Checking, statements: Mapping[str, str]) -> list[str]:
    """Each rule that is broken, with its first case in full, and the notes."""
    lines = []
    for first, *others in _by_rule(checking):
        also = [finding.case for finding in others]
        lines += [finding_text(first, checking.checker.repeat(first.case), statements, also), ""]
    lines += [f"note: {printable(note)}" for note in checking.checker.notes]
    return lines


def _counts(checking: Checking) -> dict[str, int]:
    found = Counter(finding.rule.level for result in checking.results for finding in result.findings)
    return {level: found[level] for level in LEVELS}


def counts_text(checking: Checking) -> str:
    """The last line: how many findings of which level, and what that comes to."""
    checker = checking.checker
    tried = sum(result.not_run is None for result in checking.results)
    skipped = len(checking.results) - tried
    known = len(checker.cases)
    of = "" if len(checking.results) == known else f" of {known}"
    parts = [
        f"{printable(checker.target)}: {checker.contract}",
        f"{tried}{of} case{'' if tried == 1 and not of else 's'}",
    ]
    if skipped:
        parts.append(f"{skipped} not run")
    parts += [f"{count} {level}" for level, count in _counts(checking).items()]
    if checking.interrupted is not None:
        verdict = f"{checking.interrupted}: no verdict"
    else:
        verdict = {0: "conforms", 1: "does not conform", 2: "could not be tried"}[checking.exit_code()]
    return f"{', '.join(parts)}: {verdict}"


def summary(checking: Checking, width: int) -> list[str]:
    """The table of broken rules and the last line."""
    lines = []
    if rules := _by_rule(checking):
        table = plain_table()
        for name in ("level", "rule", "clause"):
            table.add_column(name, no_wrap=True)
        table.add_column("cases", justify="right", no_wrap=True)
        for findings in rules:
            rule = findings[0].rule
            table.add_row(Text(rule.level), Text(rule.name), Text(rule.clause), str(len(findings)))
        lines = table_lines([table], width)
    reasons = dict.fromkeys(result.not_run for result in checking.results if result.not_run)
    lines += [f"not run: {reason}" for reason in reasons]
    return [*lines, counts_text(checking)]


def as_json(checking: Checking, statements: Mapping[str, str]) -> dict[str, Any]:
    """The report as the schema `metric-report` has it."""
    checker, problem = checking.checker, checking.problem or checking.interrupted
    return {
        "schema": SCHEMA,
        "kit_version": __version__,
        "contract": checker.contract,
        "target": encodable(checker.target),
        "environment": checking.environment or None,
        "exit_code": checking.exit_code(),
        "problem": None if problem is None else encodable(problem),
        "counts": _counts(checking),
        "all_cases": len(checker.cases),
        "cases": [
            {
                "name": result.case.name,
                "about": result.case.about,
                "not_run": result.not_run,
                "findings": len(result.findings),
            }
            for result in checking.results
        ],
        "findings": [
            _finding(finding, checker.repeat(finding.case), statements)
            for findings in _by_rule(checking)
            for finding in findings
        ],
        "reads": None
        if checker.reads is None
        else {"names": [encodable(name) for name in checker.reads.names], "every": checker.reads.every},
        "notes": list(dict.fromkeys(map(encodable, checker.notes))),
    }


def _finding(finding: Finding, repeat: str, statements: Mapping[str, str]) -> dict[str, Any]:
    rule = finding.rule
    return {
        "level": rule.level,
        "rule": rule.name,
        "statement": rule.statement,
        "clause": rule.clause,
        "clause_statement": statements.get(rule.clause),
        "case": finding.case,
        "found": encodable(finding.sentence),
        "input": encodable(finding.given) or None,
        "file": None if finding.file is None else encodable(finding.file),
        "repeat": encodable(repeat),
    }
