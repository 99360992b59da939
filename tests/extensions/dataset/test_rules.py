"""The findings by rule, as `check --dataset` lists them at the end."""

from conformance.check.findings import Finding
from conformance.check.rules import rule_lines


def finding(clause: str | None, task: str | None = None) -> Finding:
    return Finding("dataset-task", "t/result.json", "", "1", "1.0", clause, task=task)


def test_no_finding_gives_no_lines() -> None:
    assert rule_lines([], {}) == []
    assert rule_lines([finding(None)], {}) == []


def test_rules_come_with_counts_statements_and_tasks() -> None:
    found = [finding("b", f"text/t{number}") for number in range(11)] + [
        finding("a"),
        finding("b", "text/t0"),
    ]
    assert rule_lines(found, {"a": "The first.", "b": "The second."}) == [
        "rules broken, with the number of findings:",
        "     1 a: The first.",
        "    12 b: The second. (text/t0, text/t1, text/t2, text/t3, text/t4, text/t5 and 5 more)",
    ]
