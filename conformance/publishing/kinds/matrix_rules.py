"""Rules that subjects of a matrix break: each leads to its vectors and subjects, and these back to it."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.publishing.anchors import anchor
from conformance.publishing.blocks import (
    Block,
    Cell,
    Code,
    Failure,
    Failures,
    Line,
    Link,
    Mark,
    Row,
    Table,
    Tone,
)
from conformance.publishing.kinds.matrix_sets import VectorSet
from conformance.publishing.kinds.saying import brief, links, of, several
from conformance.report.matrix_words import rows_of
from conformance.run.commands import runner_words

__all__ = ["Rule", "Who", "failures_of", "grid", "rule_anchor", "rules_of", "subject_anchor", "vectors_table"]

_MOST_LINKS = 40
_MOST_VECTORS = 8
_MOST_TEXTS = 12
_NAMED = re.compile(r"([A-Za-z0-9][\w.+-]*)=(.*)", re.ASCII | re.DOTALL)
_RELEASE = re.compile(r"[0-9]+(?:\.[0-9]+)+(?:(?:a|b|rc|\.post|\.dev)[0-9]+)*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Who:
    """A subject that breaks a rule."""

    row: Mapping[str, Any]
    count: int
    example: str
    detail: str | None
    vectors: tuple[str, ...]
    """Those that are known by name: all where the report lists them, else the example alone."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A clause and an op of which vectors fail."""

    spec: str
    clause: str
    op: str
    statement: str | None
    who: tuple[Who, ...]
    tried: int
    """Subjects that answered for the spec."""
    traced: tuple[str, ...]
    """All vectors of the rule; empty where that is not known."""

    @property
    def anchor(self) -> str:
        """Where it stands on the page."""
        return rule_anchor(self.spec, self.clause, self.op)

    @property
    def most(self) -> int:
        """The most of its vectors that fail with one subject."""
        return max(one.count for one in self.who)

    def failing(self) -> dict[str, list[Who]]:
        """Its vectors that are known to fail, and with whom."""
        found: dict[str, list[Who]] = {}
        for one in self.who:
            for vector in one.vectors:
                found.setdefault(vector, []).append(one)
        return dict(sorted(found.items()))


def rule_anchor(spec: str, clause: str, op: str) -> str:
    """Where a rule stands."""
    return anchor("rule", f"{spec}/{clause}/{op}")


def subject_anchor(document: Mapping[str, Any], name: str) -> str:
    """Where a subject stands; by its place, as its name may be anything."""
    return f"subject-{next(at for at, one in enumerate(document['subjects'], 1) if one['name'] == name)}"


def rules_of(document: Mapping[str, Any], sets: Mapping[str, VectorSet]) -> list[Rule]:
    """The rules that some subject breaks, spec by spec, those that cost most vectors first."""
    return [rule for spec in document["specs"] for rule in _of_spec(document, sets[spec])]


def _of_spec(document: Mapping[str, Any], known: VectorSet) -> list[Rule]:
    rows = [row for row in rows_of(document, known.spec) if row["result"] is not None]
    found: dict[tuple[str, str], list[Who]] = {}
    for row in rows:
        for one in row["result"]["failures"]:
            key = (one["clause"], one["op"])
            traced = known.traced.get(key, ())
            ids = one.get("vectors") or (traced if len(traced) == one["count"] else [one["example"]])
            who = Who(row, one["count"], one["example"], one["detail"], tuple(ids))
            found.setdefault(key, []).append(who)
    rules = [
        Rule(
            *(known.spec, clause, op, known.statements.get(clause), tuple(who), len(rows)),
            known.traced.get((clause, op), ()),
        )
        for (clause, op), who in found.items()
    ]
    return sorted(rules, key=lambda rule: (-rule.most, rule.clause, rule.op))


def failures_of(document: Mapping[str, Any], rules: Sequence[Rule]) -> Failures:
    """The rules, each to be opened."""
    return Failures(tuple(_failure(document, rule) for rule in rules))


def _failure(document: Mapping[str, Any], rule: Rule) -> Failure:
    named = rule.failing()
    whom = [
        (f"{brief(one.row['subject'], 60)} ({one.count:,})", subject_anchor(document, one.row["subject"]))
        for one in rule.who
    ]
    vectors = _named([*named])
    if not all(len(one.vectors) == one.count for one in rule.who):
        vectors = (*vectors, "; the report names no others")
    counts = sorted({one.count for one in rule.who})
    span = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    whole = f" of {len(rule.traced):,}" if rule.traced else ""
    fields: list[tuple[str, Line]] = [
        ("spec", (Code(rule.spec),)),
        ("clause", (Code(rule.clause),)),
        ("op", (Code(rule.op),)),
        ("vectors that fail", (f"{span}{whole}: ", *vectors)),
        ("subjects", links(whom, _MOST_LINKS)),
    ]
    if rule.tried > len(rule.who):
        fields.append(("subjects that keep it", (f"{rule.tried - len(rule.who):,} of {rule.tried:,}",)))
    texts = _told(rule)
    return Failure(
        rule.anchor,
        f"{rule.clause} ({rule.op})",
        Mark(f"fails in {of(len(rule.who), rule.tried)}", Tone.BAD),
        Mark("due in all", Tone.PLAIN),
        (rule.statement or "This kit does not know the rule.",),
        tuple(fields),
        tuple(texts),
        next((said for one in rule.who if (said := _repeat(document, one))), None),
        {"spec": rule.spec, "op": rule.op},
    )


def _named(ids: Sequence[str]) -> Line:
    """The first vectors of a rule, and a way to the others, which stand behind them in the table of all."""
    shown = links([(key.partition("/")[2], anchor("v", key)) for key in ids[:_MOST_VECTORS]], _MOST_VECTORS)
    if len(ids) <= _MOST_VECTORS:
        return shown
    rest = len(ids) - _MOST_VECTORS
    return (*shown, " and ", Link(f"{rest:,} more", anchor("v", ids[_MOST_VECTORS])))


def _told(rule: Rule) -> list[tuple[str, str]]:
    """What went wrong, a text for each account that subjects share."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in rule.who:
        found.setdefault((one.example, one.detail or "no account"), []).append(one.row["subject"])
    shown = []
    for (example, detail), names in list(found.items())[:_MOST_TEXTS]:
        who = brief(names[0], 60) + (f" and {several(len(names) - 1, 'other')}" if names[1:] else "")
        shown.append((who, f"{example}: {detail}"))
    if len(found) > _MOST_TEXTS:
        shown.append(("others", f"{several(len(found) - _MOST_TEXTS, 'more account')} in the JSON"))
    return shown


def _repeat(document: Mapping[str, Any], one: Who) -> str | None:
    """The command that asks the subject for its example; None where what it was is not known."""
    subject = next(each for each in document["subjects"] if each["name"] == one.row["subject"])
    command = _command(subject, one.row["result"]["runner"]["version"])
    if command is None:
        return None
    words = ["harbor-conformance", "run", *runner_words(command), "--spec", one.row["spec"]]
    words += ["--level", document["level"]] if document["level"] != "bytes" else []
    return shlex.join([*words, one.example])


def _command(subject: Mapping[str, Any], version: str | None) -> str | None:
    """The text of ``--runner`` that a subject stands for."""
    named = _NAMED.fullmatch(subject["given"])
    target: str = named[2] if named and named[1] == subject["name"] else subject["given"]
    match subject["kind"]:
        case "release":
            release = target if _RELEASE.fullmatch(target) else version or ""
            return f"harbor:{release}" if _RELEASE.fullmatch(release) else None
        case "report":
            return None
    return target or None


def vectors_table(document: Mapping[str, Any], rules: Sequence[Rule], sets: Mapping[str, VectorSet]) -> Table:
    """Every vector that is known to fail: its rule, and whose answer it is that fails."""
    rows = []
    for rule in rules:
        for key, who in rule.failing().items():
            whom = [
                (brief(one.row["subject"], 60), subject_anchor(document, one.row["subject"])) for one in who
            ]
            rows.append(
                Row(
                    (
                        (Code(key),),
                        (sets[rule.spec].rules.get(key, ""),),
                        (Link(rule.clause, rule.anchor), f" ({rule.op})"),
                        links(whom, _MOST_LINKS),
                    ),
                    anchor("v", key),
                    Tone.BAD,
                    {"spec": rule.spec, "op": rule.op},
                )
            )
    head = ("vector", "what is due", "rule", "subjects that fail it")
    return Table(head, tuple(rows), "Vectors that fail with some subject", long=True)


def grid(document: Mapping[str, Any], spec: str, rules: Sequence[Rule]) -> list[Block]:
    """Rules by subjects of one spec: how many vectors fail."""
    rows = [row for row in rows_of(document, spec) if row["result"] is not None]
    shown = [rule for rule in rules if rule.spec == spec]
    if not shown:
        return []
    lines = []
    for rule in shown:
        counts = {one.row["subject"]: one.count for one in rule.who}
        cells: list[Cell] = [
            (Mark(f"{counts[row['subject']]:,}", Tone.BAD),) if row["subject"] in counts else ("·",)
            for row in rows
        ]
        lines.append(Row(((Link(rule.clause, rule.anchor), f" ({rule.op})"), *cells)))
    head = ("rule", *(brief(row["subject"], 40) for row in rows))
    numbers = frozenset(range(1, len(head)))
    caption = f"{spec}: vectors that fail, by rule and subject (a dot: none of those that were asked)"
    return [Table(head, tuple(lines), caption, numbers, long=True)]
