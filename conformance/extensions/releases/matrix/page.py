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
    names = {one["name"] for one in document["subjects"]}
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
    every = len(document["rows"])
    if document["exit_code"] in SIGNALS:
        return Mark(f"no verdict: interrupted by {SIGNALS[document['exit_code']]}", Tone.WARN)
    if words["no verdict"] or not every:
        tone = Tone.BAD if words["does not conform"] else Tone.WARN
        return Mark(f"{words['no verdict']:,} of {every:,} without a verdict", tone)
    if words["does not conform"]:
        return Mark(f"{words['conforms']:,} of {every:,} conform", Tone.BAD)
    text = "conforms" if every == 1 else "all conform"
    return Mark(f"{text}, partly" if problems else text, Tone.WARN if problems else Tone.GOOD)


def _badge(document: Document, words: Mapping[str, int], problems: list[str]) -> Badge:
    """Return the badge, which is green only if every subject passed every vector and claims every class."""
    label, every = f"{', '.join(document['specs'])} {document['level']}", len(document["rows"])
    message = f"{words['conforms']} of {every} conform"
    if document["exit_code"] in SIGNALS:
        return Badge(label, "no verdict", Tone.QUIET)
    if words["no verdict"]:
        return Badge(label, f"{message}, {words['no verdict']} without a verdict", Tone.WARN)
    if words["conforms"] < every or not every:
        return Badge(label, message, Tone.BAD)
    accounts = [one for row in document["rows"] for one in row["result"]["classes"].values()]
    if problems or any(one["claimed"] is None for one in accounts):
        return Badge(label, f"{message}, {'in part' if problems else 'not all classes claimed'}", Tone.WARN)
    return Badge(label, message, Tone.GOOD)


def _facts(document: Document) -> dict[str, Cell]:
    kinds = Counter(one["kind"] for one in document["subjects"])
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


def _who(document: Document, row: Mapping[str, Any]) -> str:
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
                yield f"{_who(document, row)}: {count:,} of {most:,} vectors"
    for row in document["rows"]:
        if _word(row) == "no verdict":
            yield f"{_who(document, row)}: {one_line(row['why_not'] or 'no verdict')}"


def _statements(document: Document) -> dict[tuple[str, str], str]:
    """Return the statement of each rule that a subject breaks."""
    found, statements_of = {}, {spec: statements(spec) for spec in document["specs"]}
    for row in document["rows"]:
        statement_of = statements_of[row["spec"]]
        for one in (row["result"] or {"failures": []})["failures"]:
            found[one["clause"], one["op"]] = one_line(
                statement_of.get(one["clause"], "this kit does not know the rule")
            )
    return found


def _items(
    document: Document, row: Mapping[str, Any], broken: Mapping[tuple[str, str], str]
) -> Iterator[Item]:
    """Yield items for the row, each rule that it breaks, and each class."""
    who, word, result = _who(document, row), _word(row), row["result"]
    detail = one_line(row["why_not"] or "; ".join(result["problems"] if result else ()))
    seconds = result["seconds"] if result else 0.0
    tone = Tone.BAD if word != "conforms" else Tone.GOOD
    group = "no verdict" if word == "no verdict" else who  # it was not checked
    yield Item(who, group, word, tone, detail=detail, cause=f"{who}: {word}", seconds=seconds)
    if result is None:
        return
    for one in result["failures"]:
        rule = f"{one['clause']} ({one['op']})"
        named = enumerated([key.partition("/")[2] for key in one.get("vectors", [one["example"]])])
        yield Item(
            key=f"{who}: {rule}",
            group=who,
            outcome=f"{counted(one['count'], 'vector')} failed",
            tone=Tone.BAD,
            summary=broken[one["clause"], one["op"]],
            detail=one_line(one["detail"] or ""),
            cause=rule,
            fields={"example": Code(one["example"]), "vectors": Code(named)},
            repeat=_repeat(document, row, one["example"]),
            fingerprint=",".join(one.get("vectors", ())) or str(one["count"]),
        )
    for name, one in result["classes"].items():
        text, tone = one["claimed"] or "not claimed", Tone.GOOD if one["claimed"] else Tone.WARN
        yield Item(f"{who}: class {name}", who, text, tone, detail=one_line(one["reason"] or ""))


def _repeat(document: Document, row: Mapping[str, Any], example: str) -> str:
    """Return the command that runs the example on the subject; empty if the subject can't be run."""
    subject = next(one for one in document["subjects"] if one["name"] == row["subject"])
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
        rows.append((_who(document, row), bar, seconds, Mark(word, _MEANS[word][0]), notes))
    yield Table("Subjects", ("subject", "vectors", "seconds", "verdict", "notes"), rows)
    for spec in document["specs"]:
        yield from _of_spec(
            document, spec, [row for row in rows_of(document, spec) if row["result"] is not None]
        )
    yield from _changes(document)


def _of_spec(document: Document, spec: str, rows: list[dict[str, Any]]) -> Iterator[Table]:
    of = f" of {spec}" if len(document["specs"]) > 1 else ""
    if names := _class_names(document, rows, spec):
        cells = [
            (row["subject"], *(_class_cell(row["result"]["classes"].get(name)) for name in names))
            for row in rows
        ]
        yield Table(f"Classes{of}", ("subject", *names), cells)
    rules = list(
        dict.fromkeys((one["clause"], one["op"]) for row in rows for one in row["result"]["failures"])
    )
    if rules:
        grid: list[tuple[Cell, ...]] = []
        for clause, op in rules:
            by_row = [
                {(one["clause"], one["op"]): one["count"] for one in row["result"]["failures"]}
                for row in rows
            ]
            grid.append((f"{clause} ({op})", *(str(each.get((clause, op), "·")) for each in by_row)))
        head = ("rule", *(one_line(row["subject"], 40) for row in rows))
        yield Table(f"Vectors that fail, by rule and subject{of}", head, grid, long=True)
    if reasons := _unsupported_reasons(rows):
        head = ("operation", "vectors", "reason", "subjects")
        yield Table(f"Unsupported{of}", head, [tuple(map(one_line, one)) for one in reasons])


def _class_cell(account: Mapping[str, Any] | None) -> Cell:
    """Return the level that a row claims in a class, or what prevents it; ``-`` if all are unsupported."""
    if account is None:
        return ""
    if account["claimed"] is not None:
        return Mark(str(account["claimed"]), Tone.GOOD)
    passed, failed, unsupported, left = counts(account["totals"])
    if not passed and not failed and not left:
        return "-"
    found = [(failed, "failed"), (unsupported, "unsupported"), (left, "not run")]
    return ", ".join(f"{count} {word}" for count, word in found if count) or "no claim"


def _changes(document: Document) -> Iterator[Table]:
    """Yield a table of the changes from each subject to the next."""
    for change in document["changes"]:
        rows: list[tuple[Cell, ...]] = []
        for name, what in (("ops_gone", "is no longer offered"), ("ops_new", "is newly offered")):
            vectors = ((one, counted(one["vectors"], "vector")) for one in change[name])
            rows += [(one["op"], f"{what}, with {count}", "") for one, count in vectors]
        for rule in sorted(change["rules"], key=lambda one: -int(one["count"])):
            move = _MOVES.get((rule["from"], rule["to"]), f"{rule['from']} → {rule['to']}")
            example = rule["example"].partition("/")[2]
            rows.append((Code(rule["clause"]), f"{rule['count']} {move}", Code(example)))
        if rows:
            of = f" of {change['spec']}" if len(document["specs"]) > 1 else ""
            between = f"{one_line(change['from'], 60)} → {one_line(change['to'], 60)}"
            yield Table(f"Changes{of}: {between}", ("rule or operation", "vectors", "example"), rows)


def counts(totals: Mapping[str, int]) -> tuple[int, int, int, int]:
    """Return the numbers of passed, failed (in any way), unsupported and not-run vectors."""
    passed, unsupported, left = (totals.get(name, 0) for name in ("passed", "unsupported", "not-run"))
    return passed, sum(totals.values()) - passed - unsupported - left, unsupported, left


def rows_of(document: Document, spec: str) -> list[dict[str, Any]]:
    """Return the rows of one spec, in order."""
    return [row for row in document["rows"] if row["spec"] == spec]


def _class_names(document: Document, rows: Sequence[Document], spec: str) -> list[str]:
    """Return the classes for this spec's table: those that the user named, or all that a row has."""
    found = {name for row in rows if row["result"] for name in row["result"]["classes"]}
    known = [name for name in classes_of(spec, package=True) if name in found]
    wanted = set(document["classes"])
    return [name for name in known if name in wanted] if wanted & set(known) else known


def _unsupported_reasons(rows: Sequence[Document]) -> list[tuple[str, str, str, str]]:
    """Return the unsupported ops with the number of vectors, the reason and the subjects."""
    found: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows:
        for one in (row["result"] or {"unsupported": []})["unsupported"]:
            key = (one["op"], one["reason"] or "no reason was given")
            found.setdefault(key, {})[row["subject"]] = one["count"]
    listed = []
    for (op, why), who in found.items():
        least, most = min(who.values()), max(who.values())
        listed.append((op, str(least) if least == most else f"{least} to {most}", why, _listed(who, rows)))
    return listed


def _listed(names: Iterable[str], rows: Sequence[Document]) -> str:
    """Join names of subjects, with consecutive ones as a range."""
    order = [row["subject"] for row in rows]
    runs: list[list[int]] = []
    for place in sorted({order.index(name) for name in names}):
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return ", ".join(
        f"{order[run[0]]} to {order[run[-1]]}" if len(run) > 2 else ", ".join(order[at] for at in run)
        for run in runs
    )
