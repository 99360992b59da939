"""The page of a ``matrix`` report: the subjects, the rules that they break, and the changes between them."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from conformance.extensions.releases.matrix.subjects import NAMED, RELEASE
from conformance.outcomes.reading import ReportError
from conformance.outcomes.words import counted
from conformance.pages.model import Badge, Bar, Cell, Code, Item, Mark, Page, Table, Tone
from conformance.pages.words import SIGNALS, enumerated, one_line, tone_of
from conformance.registry.ops import classes_of
from conformance.run.commands import runner_words
from conformance.suite.clauses import statements

__all__ = ["counts", "page", "rows_of"]

Document = Mapping[str, Any]
_MOVES = {
    ("passed", "failed"): "no longer pass",
    ("failed", "passed"): "now pass",
    ("passed", "unsupported"): "passed before and are now unsupported",
    ("failed", "unsupported"): "failed before and are now unsupported",
    ("unsupported", "passed"): "were unsupported and now pass",
    ("unsupported", "failed"): "were unsupported and now fail",
    ("failed", "failed"): "fail with a different answer",
}
"""Descriptions of changes of state."""

_MEANS = {
    "conforms": (Tone.GOOD, "At least one vector passed, and none failed unexpectedly."),
    "does not conform": (Tone.BAD, "The run was completed, and vectors failed."),
    "no verdict": (Tone.QUIET, "The subject never answered, or the run was not completed."),
}


def page(document: Document) -> Page:
    """Return the page of a report.

    Raises:
        ReportError: the report contradicts itself.
    """
    names = {subject["name"] for subject in document["subjects"]}
    for row in document["rows"]:
        if row["subject"] not in names or row["spec"] not in document["specs"]:
            raise ReportError(
                f"the matrix contradicts itself: it has a row for {one_line(row['subject'], 60)}"
            )
    words = Counter(map(_word, document["rows"]))
    problems = list(_problems(document))
    verdict, broken = _verdict(document, words, problems), _statements(document)
    specs = []
    for spec in document["specs"]:
        rows = rows_of(document, spec)
        conforming = sum(_word(row) == "conforms" for row in rows)
        specs.append(f"{conforming:,} of {counted(len(rows), 'subject')} conform to {spec}")
    return Page(
        kind="matrix",
        title=f"{counted(len(document['subjects']), 'subject')} against {' and '.join(document['specs'])}",
        verdict=verdict,
        sentence=f"{'; '.join(specs)}, at level {document['level']}.",
        exit_code=document["exit_code"],
        facts=_facts(document),
        counts=[
            (Mark(word, tone), words[word], means) for word, (tone, means) in _MEANS.items() if words[word]
        ],
        unit="results, one for each subject and spec",
        problems=problems,
        items=[item for row in document["rows"] for item in _items(document, row, broken)],
        causes={f"{clause} ({op})": statement for (clause, op), statement in broken.items()},
        tables=list(_tables(document)),
        badge=_badge(document, words, problems),
        started_at=document["made_at"],
        findings_only=True,
    )


def _word(row: Mapping[str, Any]) -> str:
    result = row["result"]
    if row["why_not"] is not None or result is None or result["exit_code"] not in (0, 1):
        return "no verdict"
    return "conforms" if result["exit_code"] == 0 else "does not conform"


def _verdict(document: Document, words: Mapping[str, int], problems: list[str]) -> Mark:
    row_count = len(document["rows"])
    if document["exit_code"] in SIGNALS:
        return Mark(f"no verdict: interrupted by {SIGNALS[document['exit_code']]}", Tone.WARN)
    if words["no verdict"] or not row_count:
        tone = Tone.BAD if words["does not conform"] else Tone.WARN
        return Mark(f"{words['no verdict']:,} of {row_count:,} without a verdict", tone)
    if words["does not conform"]:
        return Mark(f"{words['conforms']:,} of {row_count:,} conform", Tone.BAD)
    text = "conforms" if row_count == 1 else "all conform"
    return Mark(f"{text}, partly" if problems else text, Tone.WARN if problems else Tone.GOOD)


def _badge(document: Document, words: Mapping[str, int], problems: list[str]) -> Badge:
    """Return the badge, which is green only if every subject passed every vector and claims every class."""
    label, row_count = f"{', '.join(document['specs'])} {document['level']}", len(document["rows"])
    message = f"{words['conforms']} of {row_count} conform"
    if document["exit_code"] in SIGNALS:
        return Badge(label, "no verdict", Tone.QUIET)
    if words["no verdict"]:
        return Badge(label, f"{message}, {words['no verdict']} without a verdict", Tone.WARN)
    if words["conforms"] < row_count or not row_count:
        return Badge(label, message, Tone.BAD)
    accounts = [account for row in document["rows"] for account in row["result"]["classes"].values()]
    if problems or any(account["claimed"] is None for account in accounts):
        return Badge(label, f"{message}, {'in part' if problems else 'not all classes claimed'}", Tone.WARN)
    return Badge(label, message, Tone.GOOD)


def _facts(document: Document) -> dict[str, Cell]:
    kinds = Counter(subject["kind"] for subject in document["subjects"])
    seed = document["again_seed"]
    facts: dict[str, Cell] = {
        "level": Code(document["level"]),
        "kit": Code(document["kit_version"]),
        "specs": ", ".join(document["specs"]),
        "subjects": ", ".join(counted(count, kind) for kind, count in kinds.items()),
        "made": document["made_at"],
        "required classes": ", ".join(document["classes"]),
        "rephrased with seed": "" if seed is None else str(seed),
    }
    return {name: value for name, value in facts.items() if value}


def _row_name(document: Document, row: Mapping[str, Any]) -> str:
    """Return a row's name: the subject, and the spec if there are several."""
    name = one_line(row["subject"], 100)
    return f"{name} against {row['spec']}" if len(document["specs"]) > 1 else name


def _problems(document: Document) -> Iterator[str]:
    """Yield the limitations of the matrix: rows with fewer vectors, or without a verdict."""
    for spec in document["specs"]:
        rows = [row for row in rows_of(document, spec) if row["result"] is not None]
        most = max((sum(row["result"]["totals"].values()) for row in rows), default=0)
        for row in rows:
            count = sum(row["result"]["totals"].values())
            if count < most:
                yield f"{_row_name(document, row)}: {count:,} of {most:,} vectors"
    for row in document["rows"]:
        if _word(row) == "no verdict":
            yield f"{_row_name(document, row)}: {one_line(row['why_not'] or 'no verdict')}"


def _statements(document: Document) -> dict[tuple[str, str], str]:
    """Return the statement of each rule that a subject breaks."""
    broken, statements_of = {}, {spec: statements(spec) for spec in document["specs"]}
    for row in document["rows"]:
        statement_of = statements_of[row["spec"]]
        for failure in (row["result"] or {"failures": []})["failures"]:
            broken[failure["clause"], failure["op"]] = one_line(
                statement_of.get(failure["clause"], "this kit does not know the rule")
            )
    return broken


def _items(
    document: Document, row: Mapping[str, Any], broken: Mapping[tuple[str, str], str]
) -> Iterator[Item]:
    """Yield items for the row, each rule that it breaks, and each class."""
    label, word, result = _row_name(document, row), _word(row), row["result"]
    detail = one_line(row["why_not"] or "; ".join(result["problems"] if result else ()))
    seconds = result["seconds"] if result else 0.0
    tone = Tone.BAD if word != "conforms" else Tone.GOOD
    group = "no verdict" if word == "no verdict" else label  # it was not checked
    yield Item(label, group, word, tone, detail=detail, cause=f"{label}: {word}", seconds=seconds)
    if result is None:
        return
    for failure in result["failures"]:
        rule = f"{failure['clause']} ({failure['op']})"
        named = enumerated([key.partition("/")[2] for key in failure.get("vectors", [failure["example"]])])
        yield Item(
            key=f"{label}: {rule}",
            group=label,
            outcome=f"{counted(failure['count'], 'vector')} failed",
            tone=Tone.BAD,
            summary=broken[failure["clause"], failure["op"]],
            detail=one_line(failure["detail"] or ""),
            cause=rule,
            fields={"example": Code(failure["example"]), "vectors": Code(named)},
            repeat=_repeat(document, row, failure["example"]),
            fingerprint=",".join(failure.get("vectors", ())) or str(failure["count"]),
        )
    for name, account in result["classes"].items():
        text, tone = account["claimed"] or "not claimed", Tone.GOOD if account["claimed"] else Tone.WARN
        yield Item(f"{label}: class {name}", label, text, tone, detail=one_line(account["reason"] or ""))


def _repeat(document: Document, row: Mapping[str, Any], example: str) -> str:
    """Return the command that runs the example on the subject; empty if the subject can't be run."""
    subject = next(entry for entry in document["subjects"] if entry["name"] == row["subject"])
    named = NAMED.fullmatch(subject["given"])
    target: str = named[2] if named and named[1] == subject["name"] else subject["given"]
    if subject["kind"] == "release":
        release = target if RELEASE.fullmatch(target) else row["result"]["runner"]["version"] or ""
        target = f"harbor:{release}" if RELEASE.fullmatch(release) else ""
    if subject["kind"] == "report" or not target:
        return ""
    words = ["harbor-conformance", "run", *runner_words(target), "--spec", row["spec"]]
    words += ["--level", document["level"]] if document["level"] != "bytes" else []
    return shlex.join([*words, example])


def _tables(document: Document) -> Iterator[Table]:
    rows: list[tuple[Cell, ...]] = []
    for row in document["rows"]:
        totals = row["result"]["totals"] if row["result"] else {}
        bar = Bar(tuple((name, count, tone_of(name)) for name, count in totals.items() if count))
        word = _word(row)
        seconds = f"{row['result']['seconds']:.1f}" if row["result"] else ""
        notes = "; ".join(map(one_line, row["notes"]))
        rows.append((_row_name(document, row), bar, seconds, Mark(word, _MEANS[word][0]), notes))
    yield Table("Subjects", ("subject", "vectors", "seconds", "verdict", "notes"), rows)
    for spec in document["specs"]:
        yield from _of_spec(
            document, spec, [row for row in rows_of(document, spec) if row["result"] is not None]
        )
    yield from _changes(document)


def _of_spec(document: Document, spec: str, rows: list[dict[str, Any]]) -> Iterator[Table]:
    of_spec = f" of {spec}" if len(document["specs"]) > 1 else ""
    if names := _class_names(document, rows, spec):
        cells = [
            (row["subject"], *(_class_cell(row["result"]["classes"].get(name)) for name in names))
            for row in rows
        ]
        yield Table(f"Classes{of_spec}", ("subject", *names), cells)
    rules = list(
        dict.fromkeys((fault["clause"], fault["op"]) for row in rows for fault in row["result"]["failures"])
    )
    if rules:
        grid: list[tuple[Cell, ...]] = []
        for clause, op in rules:
            by_row = [
                {(fault["clause"], fault["op"]): fault["count"] for fault in row["result"]["failures"]}
                for row in rows
            ]
            grid.append((f"{clause} ({op})", *(str(failed.get((clause, op), "·")) for failed in by_row)))
        header = ("rule", *(one_line(row["subject"], 40) for row in rows))
        yield Table(f"Vectors that fail, by rule and subject{of_spec}", header, grid, long=True)
    if reasons := _unsupported_reasons(rows):
        header = ("operation", "vectors", "reason", "subjects")
        yield Table(f"Unsupported{of_spec}", header, [tuple(map(one_line, reason)) for reason in reasons])


def _class_cell(account: Mapping[str, Any] | None) -> Cell:
    """Return the level that a row claims in a class, or what prevents it; ``-`` if all are unsupported."""
    if account is None:
        return ""
    if account["claimed"] is not None:
        return Mark(str(account["claimed"]), Tone.GOOD)
    passed, failed, unsupported, left = counts(account["totals"])
    if not passed and not failed and not left:
        return "-"
    states = [(failed, "failed"), (unsupported, "unsupported"), (left, "not run")]
    return ", ".join(f"{count} {word}" for count, word in states if count) or "no claim"


def _changes(document: Document) -> Iterator[Table]:
    """Yield a table of the changes from each subject to the next."""
    for change in document["changes"]:
        rows: list[tuple[Cell, ...]] = []
        for name, description in (("ops_gone", "is no longer offered"), ("ops_new", "is newly offered")):
            vectors = ((entry, counted(entry["vectors"], "vector")) for entry in change[name])
            rows += [(entry["op"], f"{description}, with {count}", "") for entry, count in vectors]
        for rule in sorted(change["rules"], key=lambda entry: -int(entry["count"])):
            move = _MOVES.get((rule["from"], rule["to"]), f"{rule['from']} → {rule['to']}")
            example = rule["example"].partition("/")[2]
            rows.append((Code(rule["clause"]), f"{rule['count']} {move}", Code(example)))
        if rows:
            of_spec = f" of {change['spec']}" if len(document["specs"]) > 1 else ""
            between = f"{one_line(change['from'], 60)} → {one_line(change['to'], 60)}"
            yield Table(f"Changes{of_spec}: {between}", ("rule or operation", "vectors", "example"), rows)


def counts(totals: Mapping[str, int]) -> tuple[int, int, int, int]:
    """Return the numbers of passed, failed (in any way), unsupported and not-run vectors."""
    passed, unsupported, left = (totals.get(name, 0) for name in ("passed", "unsupported", "not-run"))
    return passed, sum(totals.values()) - passed - unsupported - left, unsupported, left


def rows_of(document: Document, spec: str) -> list[dict[str, Any]]:
    """Return the rows of one spec, in order."""
    return [row for row in document["rows"] if row["spec"] == spec]


def _class_names(document: Document, rows: Sequence[Document], spec: str) -> list[str]:
    """Return the classes for this spec's table: those that the user named, or all that a row has."""
    present = {name for row in rows if row["result"] for name in row["result"]["classes"]}
    known = [name for name in classes_of(spec, package=True) if name in present]
    wanted = set(document["classes"])
    return [name for name in known if name in wanted] if wanted & set(known) else known


def _unsupported_reasons(rows: Sequence[Document]) -> list[tuple[str, str, str, str]]:
    """Return the unsupported ops with the number of vectors, the reason and the subjects."""
    by_reason: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows:
        for entry in (row["result"] or {"unsupported": []})["unsupported"]:
            key = (entry["op"], entry["reason"] or "no reason was given")
            by_reason.setdefault(key, {})[row["subject"]] = entry["count"]
    listed = []
    for (op, why), totals in by_reason.items():
        least, most = min(totals.values()), max(totals.values())
        listed.append((op, str(least) if least == most else f"{least} to {most}", why, _listed(totals, rows)))
    return listed


def _listed(names: Iterable[str], rows: Sequence[Document]) -> str:
    """Join names of subjects, with consecutive ones as a range."""
    order = [row["subject"] for row in rows]
    runs: list[list[int]] = []
    for index in sorted({order.index(name) for name in names}):
        if runs and index == runs[-1][-1] + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return ", ".join(
        f"{order[run[0]]} to {order[run[-1]]}" if len(run) > 2 else ", ".join(order[number] for number in run)
        for run in runs
    )
