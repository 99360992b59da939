"""Examples: what each schema accepts, and what it refuses for one fault.

``examples/<schema>.json`` holds ``accepts``, whole documents by name, and ``rejects``, each an edit that
makes one of them wrong::

    {"why": "an empty rule", "from": "plain", "at": "/vectors/0/rule", "put": ""}
    {"why": "no rule", "from": "plain", "at": "/vectors/0/rule", "drop": true}

``at`` is a JSON pointer; ``put`` adds the member or the item where there is none. Where the edit makes
another place wrong, ``shows`` points at that. A file of definitions has ``accepts`` and ``rejects`` for each.
So every fault can be seen to be the only one, and is tested to be.
"""

import copy
import functools
import json
import operator
import random
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from conformance.registry.ops import OPS, SPEC_TABLE
from conformance.suite.schemas import first_fault, schema, schema_names, validator

EXAMPLES = Path(__file__).parent / "examples"
PROVENANCE = dict.fromkeys(("outcome", "result_score"), "document-003-5")
PROVENANCE |= dict.fromkeys(("reason_code", "read_outcome"), "decision-table")
"""Where no executed harbor gives the expected answer."""
PROVENANCES = {*PROVENANCE.values(), *(spec.oracle.provenance for spec in SPEC_TABLE.values())}
PROVENANCES.add("reference")  # of counterexamples alone


class Rejected(NamedTuple):
    """A document with one fault, and where that shows."""

    why: str
    document: Any
    place: tuple[str, ...]


def units(name):
    """What can be validated against: a schema, or each definition of a file of definitions."""
    return [f"{name}#/$defs/{key}" for key in schema(name)["$defs"]] if "not" in schema(name) else [name]


per_schema = pytest.mark.parametrize("name", schema_names())


def examples(unit):
    name, _, definition = unit.partition("#/$defs/")
    document = json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return document[definition] if definition else document


def accepted(unit):
    return examples(unit)["accepts"]


def rejected(unit):
    document = examples(unit)
    for entry in document["rejects"]:
        spoilt = edited(document["accepts"][entry["from"]], parsed(entry["at"]), entry)
        yield Rejected(entry["why"], spoilt, parsed(entry.get("shows", entry["at"])))


def parsed(pointer):
    assert pointer == "" or pointer[0] == "/", pointer
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def edited(document, place, entry):
    """A copy of the document with one value put in or dropped."""
    if not place:
        return entry["put"]
    document = parent = copy.deepcopy(document)
    for part in place[:-1]:
        parent = parent[int(part) if isinstance(parent, list) else part]
    key = int(place[-1]) if isinstance(parent, list) else place[-1]
    if "drop" in entry:
        del parent[key]
    elif isinstance(parent, list) and key == len(parent):
        parent.append(entry["put"])
    else:
        parent[key] = entry["put"]
    return document


def places(error):
    """Where the error is, and where those inside it are: of ``anyOf``, why no branch fits."""
    yield tuple(map(str, error.absolute_path))
    for inner in error.context or ():
        yield from places(inner)


def near(fault, place):
    """Whether the fault is at the place, inside it, or that of the object or list that it stands in."""
    return fault[: len(place)] == place or fault == place[:-1]


def faults(unit):
    """What is wrong with the examples of a unit, or with what it says of them."""
    for name, document in accepted(unit).items():
        for error in validator(unit).iter_errors(document):
            yield f"{name}: {error.json_path}: {error.message[:300]}"
        if (said := first_fault(unit, document)) is not None:
            yield f"{name}: first_fault says {said}"
    for one in rejected(unit):
        errors = list(validator(unit).iter_errors(one.document))
        in_one_place = len({error.json_path for error in errors}) == 1
        if not in_one_place or not any(near(place, one.place) for error in errors for place in places(error)):
            yield f"{one.why}: {[f'{error.json_path}: {error.message[:300]}' for error in errors]}"
        if first_fault(unit, one.document) is None:
            yield f"{one.why}: first_fault sees nothing"
    entries = examples(unit)["rejects"]
    for entry in entries:
        members = entry.keys() - {"shows"}
        if members not in ({"why", "from", "at", "put"}, {"why", "from", "at", "drop"}):
            yield f"{entry} is no edit"
        if entry.get("drop", True) is not True:
            yield f"{entry} drops something else than true"
    if len({entry["why"] for entry in entries} - {""}) != len(entries):
        yield "two have the same reason, or one has none"
    if not (accepted(unit) and entries):
        yield "there are none"


@per_schema
def test_the_examples_of_a_schema(name) -> None:
    """All that is wrong with what is rejected is one thing, and it is wrong where the edit was made."""
    document = json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    parts = schema(name)["$defs"].keys() if "not" in schema(name) else {"accepts", "rejects"}
    assert document.keys() == parts
    found = {unit: broken for unit in units(name) if (broken := list(faults(unit)))}
    assert found == {}


def test_a_schema_has_one_file_of_examples_and_a_provenance_is_a_source_of_the_kit() -> None:
    assert sorted(path.name for path in EXAMPLES.iterdir()) == sorted(f"{n}.json" for n in schema_names())
    known = schema("vector-file")["$defs"]["vector"]["properties"]["provenance"]["enum"]
    assert sorted(known) == sorted(PROVENANCES)


@pytest.mark.slow
@per_schema
def test_the_quick_validator_lets_nothing_through(name) -> None:
    """``first_fault`` asks another library first; all that jsonschema refuses has a fault there too."""
    for unit in units(name):
        chance = random.Random(unit)
        documents = [*accepted(unit).values(), *(one.document for one in rejected(unit))]
        for _ in range(SPOILT):
            document = spoilt(chance.choice(documents), chance)
            assert (first_fault(unit, document) is None) == validator(unit).is_valid(document), document


SPOILT = 40
"""Documents with an accidental edit that each unit is asked about."""
VALUES = [
    *(None, True, False, 0, 1, -1, 1.0, 0.5, -0.0, 2**63, 10**25, -(10**25), 1e300, 5e-324),
    *(float("inf"), float("-inf"), float("nan"), "", "a", "a\n", "1\n", "\u2028", "\ud800", "\U0001f600"),
    *([], {}, [None], [1, 1.0], [1, True], {"": None}, {"\udc00": 1}),
]


def spoilt(document, chance):
    """A copy with something put in, taken out or replaced somewhere."""
    document = parent = copy.deepcopy(document)
    *way, key = chance.choice([*places_in(document)][1:] or [()]) or (None,)
    if key is None:
        return chance.choice(VALUES)
    for part in way:
        parent = parent[part]
    value, edit = parent[key], chance.randrange(4)
    if edit == 0:
        del parent[key]
    elif edit == 1 and isinstance(parent, dict):
        parent["another"] = chance.choice(VALUES)
    elif edit == 2 and isinstance(value, str):
        at = chance.randrange(len(value) + 1)
        parent[key] = value[:at] + chance.choice("\n\r-_ /.A0é") + value[at + chance.randrange(2) :]
    else:
        parent[key] = chance.choice([*VALUES, value])
    return document


def places_in(document, place=()):
    """Where anything stands in the document, itself first."""
    yield place
    if isinstance(document, dict | list):
        for key, value in document.items() if isinstance(document, dict) else enumerate(document):
            yield from places_in(value, (*place, key))


def test_no_schema_tells_large_numbers_apart() -> None:
    """A constant that no float has is where jsonschema-rs and jsonschema would differ."""

    def numbers(value):
        if isinstance(value, dict | list):
            for part in value.values() if isinstance(value, dict) else value:
                yield from numbers(part)
        elif isinstance(value, int | float):
            yield value

    for name in schema_names():
        constants = [
            value
            for place in places_in(schema(name))
            if place and place[-1] in {"const", "enum"}
            for value in numbers(functools.reduce(operator.getitem, place, schema(name)))
        ]
        assert all(abs(value) < 2**53 for value in constants), name


@pytest.mark.parametrize("op", OPS)
def test_requests_and_vectors_take_what_the_schemas_of_their_op_take(op) -> None:
    document = accepted("vector-file")["plain"]
    (vector,) = document["vectors"]
    op_input, op_ok = (f"op-{op}#/$defs/{part}" for part in ("input", "ok"))
    (good_input, *_), (good_ok, *_) = accepted(op_input).values(), accepted(op_ok).values()
    document["spec"] = spec = OPS[op].spec
    vector["op"], vector["provenance"] = op, PROVENANCE.get(op, SPEC_TABLE[spec].oracle.provenance)

    def fits(given, ok):
        vector["input"], vector["expected"] = given, {"ok": ok}
        return validator("vector-file").is_valid(document)

    request = validator("request")
    for given in accepted(op_input).values():
        assert request.is_valid({"id": 1, "op": op, "input": given})
        assert fits(given, good_ok)
    for given in (one.document for one in rejected(op_input)):
        assert not request.is_valid({"id": 1, "op": op, "input": given})
        assert not fits(given, good_ok)
    for ok in accepted(op_ok).values():
        assert fits(good_input, ok)
    for ok in (one.document for one in rejected(op_ok)):
        assert not fits(good_input, ok)
    for provenance in PROVENANCES - {vector["provenance"]}:
        vector["provenance"] = provenance
        assert not fits(good_input, good_ok)
