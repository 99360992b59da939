"""The account of a run for people: its head, the table by class, the problems, the last line."""

from collections import Counter

from rich.table import Table
from rich.text import Text

from conformance.judging.verdict import Outcome
from conformance.report.run_report import Report, exit_code_meaning
from conformance.report.writing import plain_table, table_lines

__all__ = [
    "head_and_account",
    "header",
    "lines",
    "properties_table",
    "table",
    "verdict_line",
]


def header(report: Report) -> list[str]:
    """What is under test, in two lines."""
    hello = report.hello
    who = f"{hello.runner} {hello.version}" if hello else "not started"
    return [
        f"runner: {who} ({report.command})",
        f"spec: {report.spec}, level: {report.level}, vectors: {len(report.every)}",
    ]


def table(report: Report) -> Table:
    """A row per class: how often each outcome occurred, the level reached, the claim."""
    totals = report.totals()
    shown = [outcome.value for outcome in Outcome if totals[outcome.value]]
    result = plain_table()
    result.add_column("class", no_wrap=True)
    for name in ("vectors", *shown):
        result.add_column(name, justify="right", no_wrap=True)
    result.add_column("reached", no_wrap=True)
    result.add_column("claim")
    for account in report.classes():
        count = sum(account.totals.values())
        if not count:
            continue
        claim = account.claimed or f"none: {account.reason}"
        numbers = [str(account.totals[name] or "-") for name in shown]
        result.add_row(account.name, str(count), *numbers, account.reached or "-", Text(claim))
    result.add_row("all", str(sum(totals.values())), *(str(totals[name]) for name in shown), "", "")
    return result


def properties_table(report: Report) -> Table:
    """A row per class whose properties were tried: how often each outcome occurred."""
    totals = Counter(record.outcome for record in report.properties.values())
    shown = [outcome.value for outcome in Outcome if totals[outcome.value]]
    result = plain_table()
    result.add_column("class", no_wrap=True)
    for name in ("properties", *shown):
        result.add_column(name, justify="right", no_wrap=True)
    rows = [(account.name, account.properties) for account in report.classes()]
    for name, tried in [*rows, ("all", totals)]:
        if tried:
            numbers = (str(tried[outcome] or "-") for outcome in shown)
            result.add_row(name, str(sum(tried.values())), *numbers)
    return result


def verdict_line(report: Report) -> str:
    """The last line: what the run shows, of whom, how long it took."""
    hello, code = report.hello, report.exit_code()
    who = f"{hello.runner} {hello.version}" if hello else report.command
    count = len(report.records)
    passed = [f"{report.totals()[Outcome.PASSED.value]} of {count} passed"]
    if report.properties and not count:
        passed = []
    spent = sum(record.seconds for record in report.properties.values())
    if report.properties:
        held = sum(record.outcome == Outcome.PASSED.value for record in report.properties.values())
        passed.append(f"{held} of {len(report.properties)} properties held ({spent:.2f} s)")
    rate = max(0.0, report.duration_seconds - spent) / count * 1000 if count else 0.0
    return (
        f"{who} against {report.spec} at level {report.level}: {exit_code_meaning(code)}; "
        f"{', '.join(passed)} in {report.duration_seconds:.2f} s "
        f"({rate:.2f} ms each, start-up {report.start_up_seconds:.2f} s)"
    )


def lines(report: Report, width: int) -> list[str]:
    """The whole account as plain text."""
    tables = [table(report)] if report.records or not report.properties else []
    if report.properties:
        tables.append(properties_table(report))
    text = table_lines(tables, width)
    if report.diagnosis is not None:
        text += ["", *report.diagnosis.sentences(), ""]
    stopped = [record.detail for record in report.records.values() if record.outcome == Outcome.NOT_RUN.value]
    if stopped:
        text.append(f"stopped: {len(stopped)} vectors {stopped[0]}")
    return [*text, *(f"problem: {problem}" for problem in report.problems), verdict_line(report)]


def head_and_account(report: Report, width: int) -> list[str]:
    """Head and account, for where nothing was printed before the run."""
    if report.hello is None:
        return [f"problem: {problem}" for problem in report.problems]
    return [*header(report), "", *lines(report, width)]
