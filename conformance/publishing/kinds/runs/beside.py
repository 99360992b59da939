"""What stands beside the outcomes of vectors: problems, what is unsupported, properties, options."""

from collections.abc import Mapping
from typing import Any

from conformance.publishing.anchors import (
    again_anchor,
    class_anchor,
    failure_anchor,
    rule_anchor,
    vector_anchor,
)
from conformance.publishing.blocks import Cell, Code, Line, Lines, Link, Mark, Paragraph, Row, Table, Tone
from conformance.publishing.kinds.runs.account import Run, counted, cut, number, sentence
from conformance.publishing.kinds.runs.failures import expectation, result
from conformance.publishing.model import Section
from conformance.report.consistency import again_fails, fails

__all__ = ["asked_again", "environment", "how", "problems", "properties", "unsupported"]


def problems(run: Run) -> Section | None:
    """What was wrong with the run as a whole."""
    if not run.problems:
        return None
    lines = tuple((sentence(one, 1_000),) for one in run.problems)
    return Section("problems", "Problems of the run", (Lines(lines),))


def unsupported(run: Run) -> Section | None:
    """Which ops are unsupported, in whole or in part, and what the runner says of it."""
    if not run.totals["unsupported"]:
        return None
    offer = run.document.get("offer")
    ops: list[Mapping[str, Any]] = [one for one in offer["ops"] if one["unsupported"]] if offer else _ops(run)
    rows = [
        Row(
            (
                (Code(one["op"]),),
                (Link(one["class"], class_anchor(one["class"])),),
                (Mark(*_offered(one)),),
                (f"{number(one['unsupported'])} of {number(one['vectors'])}",),
                (sentence(one["reason"] or "", 300),),
            ),
            tone=Tone.WARN,
        )
        for one in ops
    ]
    said = (
        "An unsupported vector is no failure unless its class is demanded, and breaks the claim of its class."
    )
    lines: list[Line] = [(said,)]
    package = offer["package"] if offer else None
    foreign = [one["op"] for one in ops if package and one["source"].partition("-")[0] != package]
    if foreign:
        lines.append(
            (
                f"No part of {sentence(str(package), 60)}, so that no release or fork offers them: "
                f"{', '.join(foreign)}.",
            )
        )
    table = Table(
        ("op", "class", "offered", "unsupported", "what the runner says most often"),
        tuple(rows),
        "Unsupported",
    )
    return Section("unsupported", "Unsupported", (*(Paragraph(line) for line in lines), table))


def _offered(one: Mapping[str, Any]) -> tuple[str, Tone]:
    match one.get("offered"):
        case None:
            return "unknown", Tone.QUIET
        case False:
            return "not offered", Tone.WARN
    return "offered, unsupported in part", Tone.WARN


def _ops(run: Run) -> list[Mapping[str, Any]]:
    """The same of a report that does not say what is offered."""
    found: dict[str, dict[str, Any]] = {}
    for one in run.results.values():
        op = {
            "op": one["op"],
            "class": one["class"],
            "offered": None,
            "vectors": 0,
            "unsupported": 0,
            "reason": None,
        }
        op = found.setdefault(one["op"], op)
        op["vectors"] += 1
        if one["outcome"] == "unsupported":
            op["unsupported"] += 1
            op["reason"] = op["reason"] or one["detail"]
    return [one for one in found.values() if one["unsupported"]]


def asked_again(run: Run) -> Section | None:
    """The vectors that were asked again in other words."""
    asked = run.document.get("asked_again")
    if not asked or not run.again:
        return None
    head = f"{counted(asked['asked'], 'vector')}, asked again in other words (seed {asked['seed']}): "
    head += f"{counted(asked['wrong'], 'was', 'were')} wrongly answered."
    rows = []
    for one in run.again:
        came: Cell = (result(one),)
        if again_fails(one) or one["outcome"] == "expected-failure":
            came = (result(one), " ", Link("account", again_anchor(one["id"])))
        name = one["id"].partition("/")[2]
        rows.append(
            Row(
                (
                    (Link(name, vector_anchor(one["id"])),),
                    (sentence(one["changes"]),),
                    came,
                    (expectation(one),),
                ),
                tone=Tone.BAD if again_fails(one) else Tone.PLAIN,
            )
        )
    table = Table(
        ("vector", "what was changed", "result", "expectation"), tuple(rows), "Asked again", long=True
    )
    tone = Tone.BAD if asked["wrong"] else Tone.PLAIN
    return Section(
        "asked-again", "Asked again in other words", (Paragraph((head,), tone), *((table,) if rows else ()))
    )


def properties(run: Run) -> Section | None:
    """The properties that were tried."""
    if not run.properties:
        return None
    rows = []
    for one in run.properties:
        came: Cell = (result(one),)
        if (fails(one) and one["outcome"] != "not-run") or one["outcome"] == "expected-failure":
            came = (result(one), " ", Link("account", failure_anchor(one["id"])))
        rows.append(
            Row(
                (
                    (Code(one["id"].partition("/")[2]),),
                    (Link(one["clause"], rule_anchor(one["clause"])),),
                    (Link(one["class"], class_anchor(one["class"])),),
                    came,
                    (expectation(one),),
                    (number(one["examples"]),),
                    (f"{one['seconds']:.2f}",),
                ),
                vector_anchor(one["id"]),
                Tone.BAD if fails(one) else Tone.PLAIN,
            )
        )
    held = sum(one["outcome"] == "passed" for one in run.properties)
    every = counted(len(rows), "property", "properties")
    head = f"{number(held)} of {every} held for every input that was tried."
    columns = ("property", "clause", "class", "result", "expectation", "inputs", "seconds")
    table = Table(columns, tuple(rows), "Properties", frozenset({5, 6}), long=True)
    return Section("properties", "Properties", (Paragraph((head,)), table))


def environment(run: Run) -> Section | None:
    """Which environment of the specified system explains the answers."""
    said = run.document.get("environment")
    if not said:
        return None
    lines: list[Line] = [
        (
            "It answers as ",
            Code(cut(said["name"], 100)),
            f" ({sentence(said['stands_for'])}); ",
            f"{counted(len(said['told_by']), 'answer tells', 'answers tell')}.",
        )
    ]
    for key, other in sorted(said["against"].items()):
        lines.append(
            (Mark("against it", Tone.BAD), " ", Code(cut(key, 200)), f" is right as {sentence(other)} alone")
        )
    return Section("environment", "Environment", (Lines(tuple(lines)),))


def how(run: Run) -> Section:
    """How the run was made: what was selected, with which options, when, for how long."""
    document, selection = run.document, run.selection
    known = document.get("known_failures")
    asked = document.get("asked_again")
    told: list[tuple[str, Line]] = [
        ("command of the runner", (Code(cut(document["runner"]["command"], 1_000)),))
    ]
    if selection is None:
        told.append(("selection", ("the report does not say",)))
    else:
        shard = selection["shard"]
        told += [
            ("vectors", _codes(selection["patterns"], "all")),
            ("files", _codes(selection["files"], "the kit's own")),
            ("version of the vectors", _codes(filter(None, [selection["vectors_version"]]), "the newest")),
            ("classes demanded", _codes(selection["classes"], "none")),
            ("shard", (f"{shard['number']} of {shard['of']}" if shard else "the whole",)),
        ]
    told += [
        (
            "known failures",
            (Code(cut(known["file"], 300)),)
            if known
            else ("none",)
            if "known_failures" in document
            else ("the report does not say",),
        ),
        ("numbers in requests", (document["runner"]["numbers"] or "the runner never said",)),
        ("asked again with seed", (str(asked["seed"]) if asked else "none asked again",)),
        ("started", (document["started_at"],)),
        ("start-up of the runner", (f"{document['start_up_seconds']:.2f} s",)),
        ("duration", (f"{document['duration_seconds']:.2f} s",)),
        ("exit code", (str(document["exit_code"]),)),
    ]
    rows = tuple(Row(((name,), line)) for name, line in told)
    return Section("how", "How it was run", (Table(("what", "value"), rows, "How it was run"),), brief=False)


def _codes(texts: Any, none: str) -> Line:
    pieces = [piece for text in texts for piece in (Code(cut(str(text), 200)), " ")]
    return tuple(pieces[:-1]) or (none,)
