"""The page of a report of ``matrix``."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from conformance.publishing.blocks import Code, Line, Tone
from conformance.publishing.kinds.matrix_rules import Rule, failures_of, grid, rules_of, vectors_table
from conformance.publishing.kinds.matrix_sets import VectorSet, check, row_total, vector_set, word
from conformance.publishing.kinds.matrix_tables import (
    bars,
    changes,
    classes,
    gaps,
    subject_section,
)
from conformance.publishing.kinds.saying import SIGNALS, brief, enumerated, of, several
from conformance.publishing.model import Badge, Case, Count, Fact, Note, Page, Section, Verdict
from conformance.report.matrix_words import counts, rows_of

__all__ = ["page"]

_MOST_NOTES = 10
_MOST_NAMES = 8


def page(document: Mapping[str, Any]) -> Page:
    """The page.

    Raises:
        PublishingError: the matrix contradicts itself.
    """
    sets = {spec: vector_set(document, spec) for spec in document["specs"]}
    check(document, sets)
    rules = rules_of(document, sets)
    told = Counter(map(word, document["rows"]))
    missing = gaps(document, sets)
    numbers = (
        Count("conform", told["conforms"], Tone.GOOD, "Nothing failed unexpectedly, and something passed."),
        Count(
            "do not conform", told["does not conform"], Tone.BAD, "Tried to the end, and something failed."
        ),
        Count("no verdict", told["no verdict"], Tone.QUIET, "Never answered, or not tried to the end."),
    )
    several_specs = len(document["specs"]) > 1
    return Page(
        kind="matrix",
        title=(f"{several(len(document['subjects']), 'subject')} against {' and '.join(document['specs'])}",),
        verdict=_verdict(document, sets, told, missing),
        exit_code=document["exit_code"],
        facts=_facts(document, sets),
        counts=tuple(one for one in numbers if one.number) or numbers[-1:],
        unit="results, one per subject and spec" if several_specs else "subjects",
        warnings=tuple(missing),
        sections=_sections(document, sets, rules),
        badge=_badge(document, sets, told, missing),
        cases=tuple(_case(row) for row in document["rows"]),
        notes=_notes(document, rules),
    )


def _verdict(
    document: Mapping[str, Any],
    sets: Mapping[str, VectorSet],
    told: Mapping[str, int],
    missing: Sequence[Line],
) -> Verdict:
    every = len(document["rows"])
    sentences = []
    for spec in document["specs"]:
        rows = rows_of(document, spec)
        conforming = sum(word(row) == "conforms" for row in rows)
        whole = sets[spec].size or sets[spec].most
        sentences.append(
            f"{of(conforming, len(rows))} {'conforms' if conforming == 1 else 'conform'} to {spec} "
            f"({several(whole, 'vector')}, level {document['level']})"
        )
    sentence = f"{'; '.join(sentences)}."
    if (code := document["exit_code"]) in SIGNALS:
        return Verdict("no verdict", Tone.WARN, f"Interrupted by {SIGNALS[code]}: {sentence}")
    if told["no verdict"] or not every:
        said = f"{of(told['no verdict'], every)} without a verdict"
        return Verdict(said, Tone.BAD if told["does not conform"] else Tone.WARN, sentence)
    if told["does not conform"]:
        return Verdict(f"{of(told['conforms'], every)} conform", Tone.BAD, sentence)
    said = "conforms" if every == 1 else "all conform"
    return Verdict(f"{said}, in part" if missing else said, Tone.WARN if missing else Tone.GOOD, sentence)


def _badge(
    document: Mapping[str, Any],
    sets: Mapping[str, VectorSet],
    told: Mapping[str, int],
    missing: Sequence[Line],
) -> Badge:
    """Green only where every subject passed every vector, and claims every class."""
    label = f"{', '.join(document['specs'])} {document['level']}"
    every = len(document["rows"])
    if document["exit_code"] in SIGNALS:
        return Badge(label, "no verdict", Tone.QUIET)
    message = f"{told['conforms']} of {every} conform"
    if told["no verdict"]:
        return Badge(label, f"{message}, {told['no verdict']} without a verdict", Tone.WARN)
    if told["conforms"] < every or not every:
        return Badge(label, message, Tone.BAD)
    claimed = all(
        one["claimed"] is not None for row in document["rows"] for one in row["result"]["classes"].values()
    )
    if missing:
        return Badge(label, f"{message}, in part", Tone.WARN)
    if not claimed:
        return Badge(label, f"{message}, not all classes claimed", Tone.WARN)
    return Badge(label, message, Tone.GOOD)


def _facts(document: Mapping[str, Any], sets: Mapping[str, VectorSet]) -> tuple[Fact, ...]:
    specs = [
        f"{spec} ({several(known.size or known.most, 'vector')}"
        + ("" if known.size else ", as far as the matrix says")
        + ")"
        for spec, known in sets.items()
    ]
    kinds = Counter(one["kind"] for one in document["subjects"])
    facts = [
        Fact("level", (document["level"],)),
        Fact("kit", (document["kit_version"],)),
        Fact("spec" if len(specs) == 1 else "specs", (", ".join(specs),)),
        Fact("subjects", (", ".join(several(count, kind) for kind, count in kinds.items()),)),
        Fact("made", (document["made_at"],)),
    ]
    if document["classes"]:
        facts.append(Fact("classes demanded", (", ".join(document["classes"]),)))
    seed = document["again_seed"]
    again: Line = ("nothing",) if seed is None else ("with ", Code(f"--again-seed {seed}"))
    return (*facts, Fact("asked again in other words", again))


def _sections(
    document: Mapping[str, Any], sets: Mapping[str, VectorSet], rules: Sequence[Rule]
) -> tuple[Section, ...]:
    specs = [spec for spec in document["specs"] if rows_of(document, spec)]
    subjects = tuple(bars(document, sets[spec]) for spec in specs)
    claims = [block for spec in specs for block in classes(document, spec)]
    grids = [block for spec in specs for block in grid(document, spec, rules)]
    moved = changes(document, rules)
    found = [Section("subjects", "Subjects", subjects)]
    found += [Section("classes", "Classes", tuple(claims))] if claims else []
    if rules:
        found.append(Section("rules", "What fails, by rule", (failures_of(document, rules),)))
        found.append(Section("grid", "Rules by subject", tuple(grids), brief=False))
    found += [Section("changes", "Changes between neighbours", tuple(moved))] if moved else []
    if rules:
        table = vectors_table(document, rules, sets)
        found.append(Section("vectors", "Vectors that fail", (table,), brief=False))
    return (*found, *(subject_section(document, one, rules) for one in document["subjects"]))


def _case(row: Mapping[str, Any]) -> Case:
    """A subject against a spec, as JUnit counts tests."""
    result = row["result"]
    state = {"conforms": "passed", "does not conform": "failed"}.get(word(row), "error")
    message = "" if state == "passed" else row["why_not"] or _failed(row)
    detail = "\n".join(
        f"{one['clause']} ({one['op']}): {several(one['count'], 'vector')}, such as {one['example']}"
        for one in (result["failures"] if result else ())
    )
    return Case(row["spec"], row["subject"], state, message, detail, result["seconds"] if result else 0.0)


def _failed(row: Mapping[str, Any]) -> str:
    if row["result"] is None:
        return "not tried"
    _, failed, unsupported, _ = counts(row["result"]["totals"])
    rules = len({one["clause"] for one in row["result"]["failures"]})
    if not failed:
        return "; ".join(row["result"]["problems"]) or f"{several(unsupported, 'vector')} unsupported"
    return f"{of(failed, row_total(row))} vectors fail, of {several(rules, 'rule')}"


def _notes(document: Mapping[str, Any], rules: Sequence[Rule]) -> tuple[Note, ...]:
    """One for each subject that does not conform or could not be tried; few."""
    found = []
    for row in document["rows"]:
        who = brief(row["subject"], 60)
        if word(row) == "no verdict":
            why = brief(row["why_not"] or "no reason was given")
            found.append(Note("error", f"{who} could not be tried to the end against {row['spec']}", why))
        elif word(row) == "does not conform":
            broken = dict.fromkeys(rule.clause for rule in rules if any(one.row is row for one in rule.who))
            text = _failed(row) + (f": {enumerated([*broken], _MOST_NAMES)}" if broken else "")
            found.append(Note("error", f"{who} does not conform to {row['spec']}", text))
    if len(found) > _MOST_NOTES:
        rest = found[_MOST_NOTES - 1 :]
        title = f"{len(rest)} more results that do not conform or were not tried"
        found[_MOST_NOTES - 1 :] = [
            Note("error", title, enumerated([one.title for one in rest], _MOST_NAMES))
        ]
    return tuple(found)
