"""The account of a run for people: its head, the table by class, the problems, the last line."""

import textwrap
from collections import Counter

from rich.table import Table

from conformance.judging.verdict import Outcome
from conformance.option_names import option
from conformance.report.run_report import Report, exit_code_meaning
from conformance.report.writing import plain_table, table_lines

__all__ = [
    "head_and_account",
    "header",
    "lines",
    "no_claims",
    "properties_table",
    "table",
    "verdict_line",
]


_NARROW = 80
"""Columns of a terminal that nobody made wider."""
_BETWEEN = "  "


def header(report: Report) -> list[str]:
    """What is under test, in two lines."""
    hello = report.hello
    who = f"{hello.runner} {hello.version}" if hello else "not started"
    return [
        f"runner: {who} ({report.options.command})",
        f"spec: {report.options.spec}, level: {report.options.level}, vectors: {_vectors(report)}",
    ]


def _vectors(report: Report) -> str:
    """How many vectors the set has, and which of them this run has, where it is not about all."""
    told = [str(len(report.every))]
    if report.newer:
        told.append(f"of version {report.options.vectors_version}, without {len(report.newer)} newer")
    if report.options.shard is not None:
        number, of = report.options.shard
        told.append(f"part {number} of {of}")
    return ", ".join(told)


def table(report: Report) -> Table:
    """A row per class: how often each outcome occurred, the level reached, the claim.

    Where that takes more than 80 columns, outcomes that are neither a pass nor unsupported are one column.
    """
    accounts = [account for account in report.classes() if account.totals]
    counts = {account.name: account.totals for account in accounts} | {"all": report.totals()}
    shown = [outcome.value for outcome in Outcome if counts["all"][outcome.value]]
    columns = {name: {name} for name in shown}
    names = ["vectors", *shown, "reached", "claim"]
    if max(map(len, counts)) + sum(len(_BETWEEN + name) for name in names) > _NARROW:
        kept = {Outcome.PASSED.value, Outcome.UNSUPPORTED.value}
        columns = {name: {name} for name in shown if name in kept}
        columns["failed"] = set(shown) - kept
    result = plain_table()
    result.add_column("class", no_wrap=True)
    for name in ("vectors", *columns):
        result.add_column(name, justify="right", no_wrap=True)
    result.add_column("reached", no_wrap=True)
    result.add_column("claim", no_wrap=True)
    levels = {account.name: (account.reached or "-", account.claimed or "none") for account in accounts}
    for name, totals in counts.items():
        numbers = [str(sum(totals[each] for each in summed) or "-") for summed in columns.values()]
        result.add_row(name, str(sum(totals.values())), *numbers, *levels.get(name, ("", "")))
    return result


def no_claims(report: Report, width: int) -> list[str]:
    """Why classes are not claimed, a sentence for each reason."""
    reasons: dict[str, list[str]] = {}
    for account in report.classes():
        if account.totals and account.reason is not None:
            reasons.setdefault(account.reason, []).append(account.name)
    return [
        line
        for reason, names in reasons.items()
        for line in textwrap.wrap(
            f"no claim for {', '.join(names)}: {reason}",
            max(width, _NARROW),
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]


def again_lines(report: Report) -> list[str]:
    """How the vectors fared that were asked again in other words."""
    tried = [one for one in report.again.values() if one.outcome != Outcome.NOT_RUN.value]
    if not tried:
        return []
    wrong, said = (
        len(report.again_wrong),
        f"asked again in other words ({option('again-seed')} {report.session.seed})",
    )
    if not wrong:
        return [f"{said}: {len(tried)} vectors, none of them wrongly answered"]
    passed = report.totals()[Outcome.PASSED.value]
    line = (
        f"{said}: it answers {passed} published vectors rightly, and {wrong} of {len(tried)} of the same "
        "questions in other words wrongly"
    )
    return [f"{line}: it seems to look answers up" if 2 * wrong > len(tried) and wrong > 2 else line]


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
    hello, code, session = report.hello, report.exit_code(), report.session
    who = f"{hello.runner} {hello.version}" if hello else report.options.command
    count = len(report.records)
    offer = report.offer
    passed = [f"0 of {count} passed" if offer is None else offer.count()]
    if report.properties and not count:
        passed = []
    spent = sum(record.seconds for record in report.properties.values())
    if report.properties:
        held = sum(record.outcome == Outcome.PASSED.value for record in report.properties.values())
        passed.append(f"{held} of {len(report.properties)} properties held ({spent:.2f} s)")
    rate = max(0.0, report.session.duration_seconds - spent) / count * 1000 if count else 0.0
    meaning = exit_code_meaning(code)
    if session.interrupted is not None:
        meaning = f"{session.interrupted}: no verdict"
    return (
        f"{who} against {report.options.spec} at level {report.options.level}: {meaning}; "
        f"{', '.join(passed)} in {report.session.duration_seconds:.2f} s "
        f"({rate:.2f} ms each, start-up {report.session.start_up_seconds:.2f} s)"
    )


def lines(report: Report, width: int) -> list[str]:
    """The whole account as plain text."""
    tables = [table(report)] if report.records or not report.properties else []
    if report.properties:
        tables.append(properties_table(report))
    text = table_lines(tables, width)
    said = no_claims(report, width)
    text += ["", *said, ""] if said else []
    if report.diagnosis is not None:
        text += [*([] if said else [""]), *report.diagnosis.sentences(), ""]
    text += again_lines(report)
    text += report.environments.lines()
    stopped = [record.detail for record in report.records.values() if record.outcome == Outcome.NOT_RUN.value]
    if stopped:
        text.append(f"stopped: {len(stopped)} vectors {stopped[0]}")
    problems = [problem for problem in report.problems if problem != report.session.interrupted]
    text += [f"in part: {part.sentence}" for part in report.parts]
    text += [f"cut: {sentence}" for sentence in report.cut]
    text += [f"problem: {problem}" for problem in problems]
    offer = report.offer if report.records else None
    return [*text, *(offer.lines(max(width, _NARROW)) if offer is not None else ()), verdict_line(report)]


def head_and_account(report: Report, width: int) -> list[str]:
    """Head and account, for where nothing was printed before the run."""
    if report.hello is None:
        return [f"problem: {problem}" for problem in report.problems]
    return [*header(report), "", *lines(report, width)]
