"""The kit's own vectors, clauses and locks: an item a file or a rule, whose message names what breaks it."""

import json
from collections import Counter
from itertools import groupby

import pytest

from conformance.judging.key_order import sorted_text
from conformance.paths import spec_names, vectors_dir
from conformance.registry.ops import SPEC_TABLE, lineage
from conformance.registry.spec import release_of
from conformance.suite.clauses import load_clauses, statements, traces
from conformance.suite.entries import canonical_vector
from conformance.suite.lock import Lock, guarded
from conformance.suite.overlays import renamed
from conformance.suite.properties import load_properties
from conformance.suite.schemas import first_fault
from conformance.suite.vectors import NOT_SECTIONS, load_files, section_files
from conformance.wire.writing import dumps

SPECS = spec_names()
OVERLAYS = [spec for spec in SPECS if SPEC_TABLE[spec].base is not None]
VERDICTS = {"valid", "invalid", "ok", "fail", "fails", "pass", "passes", "error", "wrong", "correct"}
VERDICTS |= {"bad", "good"}


def document(path):
    return json.loads(path.read_text(encoding="utf-8"))


def twice(names):
    return [f"{name} twice" for name, count in Counter(names).items() if count > 1]


def of_file(path):
    text, whole = path.read_text(encoding="utf-8"), document(path)
    section = path.name not in NOT_SECTIONS
    fault = first_fault("vector-file" if section else path.stem, whole)
    if fault is not None:
        yield fault
    if not section:
        if dumps(whole) != text:
            yield "is not written canonically"
        return
    lists = {name: whole[name] for name in ("vectors", "differs", "left_out") if name in whole}
    if (whole["spec"], whole["section"]) != (path.parent.name, path.stem):
        yield f"says that it is {whole['spec']}/{whole['section']}"
    prefix = f"{path.parent.name}/{path.stem}/"
    for entry in (entry for entries in lists.values() for entry in entries):
        if not entry["id"].startswith(prefix) or entry["id"].removeprefix(prefix) in VERDICTS:
            yield f"{entry['id']} is not {prefix} and a slug that is no verdict"
    for name in lists.keys() & {"vectors", "differs"}:
        whole[name] = sorted(map(canonical_vector, whole[name]), key=lambda entry: str(entry["id"]))
    if dumps(whole) != text:
        yield "is not written canonically"


@pytest.mark.parametrize(
    "path", sorted(vectors_dir().glob("*/*.json")), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_a_file_is_what_its_schema_says_and_canonical(path) -> None:
    assert list(of_file(path))[:10] == []


# Every rule: what breaks it in a spec


def refuses(vector):
    return vector.expected is not None and "error" in vector.expected


def ids_are_unique(_, every):
    yield from twice(vector.id for vector in every)


def no_two_ask_the_same(_, every):
    by_question = {}
    for vector in every:
        question = json.dumps([vector.op.name, vector.input])  # key order is data
        by_question.setdefault(question, []).append(vector.id)
    yield from (" and ".join(ids) for ids in by_question.values() if len(ids) > 1)


def each_has_an_answer_and_its_source(_, every):
    yield from (vector.id for vector in every if vector.expected is None or not vector.provenance)


def an_error_has_a_valid_neighbour(_, every):
    by_id = {vector.id: vector for vector in every}
    for vector in every:
        twin = by_id.get(vector.twin or "")
        if refuses(vector) and not vector.twin:
            yield f"{vector.id} has no twin"
        elif vector.twin and (
            twin is None or twin is vector or twin.op is not vector.op or (refuses(vector) and refuses(twin))
        ):
            yield f"{vector.id} -> {vector.twin}"


def flags_are_explained_and_used(spec, every):
    files = (vectors_dir(one) / "flags.json" for one in lineage(spec))
    listed = {flag for path in files if path.exists() for flag in document(path)["flags"]}
    yield from {flag for vector in every for flag in vector.flags} ^ listed


def clauses_are_known_and_traced_or_excused(spec, every):
    clauses, traced = load_clauses(spec), traces(every)
    yield from twice(clause.id for clause in clauses)
    yield from traced.keys() - {clause.id for clause in clauses}
    yield from (clause.id for clause in clauses if bool(traced.get(clause.id)) is bool(clause.untested))


def clauses_are_in_the_documents_order(spec, _):
    """Numbered sections ascend; words, for a document that numbers nothing, stay together."""
    clauses = load_clauses(spec)
    numbered = [c for c in clauses if c.section[0].isdigit()]
    places = [(c.document, *(int(part) for part in c.section.split("."))) for c in numbered]
    if places != sorted(places) or [c.document for c in clauses] != sorted(c.document for c in clauses):
        yield "the clauses are in another order"
    yield from (c.id for c in numbered if not c.id.startswith(f"{c.document}-{c.section}-"))
    yield from (c.id for c in clauses if not c.id.startswith(f"{c.document}-"))
    yield from twice(place for place, _ in groupby((c.document, c.section) for c in clauses))
    yield from {c.document for c in numbered} & {c.document for c in clauses if c not in numbered}


def rules_are_one_sentence_and_catches_say_something(_, every):
    for vector in every:
        rule, catches = vector.rule, vector.catches
        if not rule.endswith(".") or "\n" in rule + catches or len(catches) < 4 or catches == rule:
            yield vector.id


def no_message_holds_what_cannot_travel(_, every):
    """Lone surrogates are outside Unicode text; a line is at most 1 MiB unless flagged large."""
    for vector in every:
        request, answer = vector.request(), json.dumps(vector.expected)
        if max(len(request.tail), len(answer)) > request.line_limit - 100:
            yield f"{vector.id} is long"
        if "\\ud" in answer or b"\\ud" in request.tail:
            try:
                json.dumps([vector.input, vector.expected], ensure_ascii=False).encode("utf-8")
            except UnicodeEncodeError:
                yield f"{vector.id} holds half a surrogate pair"


def the_lock_agrees(spec, every):
    path = vectors_dir(spec) / "lock.json"
    lock = Lock.read(path, spec)
    locked = guarded(spec, every, lock)
    yield from lock.problems(locked)
    own = {vector.id for vector in every if vector.file.parent == vectors_dir(spec)}
    yield from own - {vector.id for vector in locked}
    if lock.text() != path.read_text(encoding="utf-8"):
        yield "lock.json is not written canonically"


def free_key_order_is_asked_for_only_where_there_are_keys(_, every):
    for vector in every:
        for pointer in vector.unordered:
            value = (vector.expected or {})["ok"]
            place, inside, within = pointer.partition("#")
            for key in place.split("/")[1:]:
                value = value[key]
            if inside:
                if sorted_text(value["text"], [within]) != value["text"]:
                    yield f"{vector.id} is not sorted"
                value = json.loads(value["text"])
                for key in within.split("/")[1:]:
                    value = value[key.replace("~1", "/").replace("~0", "~")]
            if not (isinstance(value, dict) and len(value) > 1):
                yield vector.id


def somebody_said_what_each_difference_shows(spec, every):
    known = {renamed(one.id, spec): one for one in load(SPEC_TABLE[spec].base or "")}
    for path in section_files(spec):
        for entry in document(path).get("differs", ()):
            if not {"rule", "clause"} <= entry.keys() or entry["rule"] == known[entry["id"]].rule:
                yield entry["id"]


def what_differs_is_an_answer_of_its_op(spec, every):
    for vector in every:
        if vector.file.parent != vectors_dir(spec) or "ok" not in (vector.expected or {}):
            continue
        if first_fault(f"{vector.op.schema}#/$defs/ok", (vector.expected or {})["ok"]) is not None:
            yield vector.id


def no_clause_that_has_ended_is_traced(spec, every):
    """The base's file says until when it holds; the other begins after that."""
    held = statements(spec)
    yield from (one.id for one in [*every, *load_properties(spec)] if one.clause not in held)
    base = {clause.id: clause for one in lineage(spec)[1:] for clause in load_clauses(one)}
    for clause in load_clauses(spec):
        for old in clause.replaces:
            last, first = base[old].last, clause.first
            if last is None or first is None or release_of(last) >= release_of(first):
                yield f"{clause.id} replaces {old}"


_LOADED = {}


def load(spec):
    """A difference is put together anew whenever it is asked for."""
    if spec not in _LOADED:
        _LOADED[spec] = [vector for vectors in load_files(spec).values() for vector in vectors]
    return _LOADED[spec]


RULES = (
    *(ids_are_unique, no_two_ask_the_same, each_has_an_answer_and_its_source, an_error_has_a_valid_neighbour),
    *(flags_are_explained_and_used, clauses_are_known_and_traced_or_excused),
    *(clauses_are_in_the_documents_order, rules_are_one_sentence_and_catches_say_something),
    *(no_message_holds_what_cannot_travel, the_lock_agrees),
    free_key_order_is_asked_for_only_where_there_are_keys,
)
OF_OVERLAYS = (
    *(somebody_said_what_each_difference_shows, what_differs_is_an_answer_of_its_op),
    no_clause_that_has_ended_is_traced,
)


@pytest.mark.parametrize("rule", [*RULES, *OF_OVERLAYS])
def test_a_rule(rule) -> None:
    specs = OVERLAYS if rule in OF_OVERLAYS else SPECS
    assert specs
    assert {spec: broken for spec in specs if (broken := list(rule(spec, load(spec)))[:10])} == {}
