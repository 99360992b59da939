"""The schemas: closed, described, and the same as the kit's tables."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from conformance.judging.comparison import Level
from conformance.judging.verdict import Outcome
from conformance.paths import schemas_dir
from conformance.registry.ops import OPS
from conformance.suite import schemas
from conformance.suite.derived_schemas import derived_schemas
from conformance.suite.overlays import OVERRIDES
from conformance.suite.schemas import (
    first_fault,
    name_of,
    schema,
    schema_names,
    schema_registry,
    urn,
    validator,
)

FREE_OBJECTS = {
    "definitions/expected.ok": "its shape depends on the op",
    "request.input": "its shape depends on the op",
    "reply.ok": "its shape depends on the op, which a reply does not name",
    "transcript/line.ok": "its shape depends on the op",
    "trial-result.config": "harbor's configuration, of which the kit reads the task and the agent",
    "trial-result/agent-result-or-null.metadata": "what an agent reports of its own",
    "vector-file/vector.input": "its shape depends on the op",
}
"""Objects of any shape, and why."""
OPTIONAL = json.loads(Path(__file__).with_name("optional.json").read_text(encoding="utf-8"))
"""The members that an object may go without, such as those of which older kits do not say; no others."""
LEAVES_DEFAULTS_OUT = "playback"
"""The schema of what people write, where whatever stands at its default is left out."""
SCHEMAS = {name: schema(name) for name in schema_names()}


def _nodes(where, schema, refining=False):
    """Every subschema, its place, and whether it only refines another (``if``, ``allOf``…)."""
    if not isinstance(schema, dict):
        return
    yield where, schema, refining
    for key, child in schema.get("$defs", {}).items():
        yield from _nodes(f"{where}/{key}", child)
    for key, child in schema.get("properties", {}).items():
        yield from _nodes(f"{where}.{key}", child, refining)
    for key in ("additionalProperties", "items", "propertyNames"):
        yield from _nodes(f"{where}.{key}", schema.get(key), refining)
    for key in ("if", "then", "else"):
        yield from _nodes(f"{where}.{key}", schema.get(key), True)
    for key in ("prefixItems", "anyOf"):
        for child in schema.get(key, ()):
            yield from _nodes(where, child, refining)
    for key in ("allOf", "oneOf"):
        for child in schema.get(key, ()):
            yield from _nodes(where, child, True)


def _every_node():
    return [node for name, schema in SCHEMAS.items() for node in _nodes(name, schema)]


def _number_positions(schema, base):
    """Where ``schema``, of the file with id ``base``, takes a number of the protocol."""
    found = set()
    if "$ref" in schema:
        if schema["$ref"] in (urn("definitions") + "#/$defs/" + n for n in ("number", "integer")):
            return {()}
        target = schema_registry().resolver(base).lookup(schema["$ref"])
        found |= _number_positions(target.contents, schema["$ref"].partition("#")[0] or base)
    for child in schema.get("anyOf", ()):
        found |= _number_positions(child, base)
    inside = [(key, child) for key, child in schema.get("properties", {}).items()]
    inside += [("*", schema.get(key)) for key in ("additionalProperties", "items")]
    inside += [("*", child) for child in schema.get("prefixItems", ())]
    for key, child in inside:
        if isinstance(child, dict):
            found |= {(key, *rest) for rest in _number_positions(child, base)}
    return found


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_valid_canonical_and_named_after_its_file(name) -> None:
    schema = SCHEMAS[name]
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert schema["$id"] == urn(name)
    assert name_of(urn(name)) == name
    assert schema["title"]
    assert schema["description"]
    text = (schemas_dir() / f"{name}.schema.json").read_text(encoding="utf-8")
    assert text == json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
    resolver = schema_registry().resolver(base_uri=urn(name))
    for _, node, _ in _nodes(name, schema):
        assert "$ref" not in node or isinstance(resolver.lookup(node["$ref"]).contents, dict)


def test_every_property_has_a_description() -> None:
    bare = [
        f"{where}.{key}"
        for where, node, refining in _every_node()
        for key, child in node.get("properties", {}).items()
        if not refining and not child.get("description")
    ]
    assert bare == []


def test_every_object_is_closed() -> None:
    """``additionalProperties`` is false, or a schema that every value is held to."""
    free = [
        where
        for where, node, refining in _every_node()
        if not refining
        and ("properties" in node or "object" in str(node.get("type")))
        and node.get("additionalProperties", True) is True
    ]
    assert sorted(free) == sorted(FREE_OBJECTS)


def test_every_member_is_required_unless_known_to_be_optional() -> None:
    optional = {
        where: set(node["properties"]) - set(node.get("required", ()))
        for where, node, refining in _every_node()
        if not refining and "properties" in node and not where.startswith(LEAVES_DEFAULTS_OUT)
    }
    assert sorted([*OVERRIDES, "variants"]) == OPTIONAL["vector-file/difference"]
    assert {where: sorted(members) for where, members in optional.items() if members} == OPTIONAL


def test_a_file_of_definitions_accepts_nothing_as_a_whole_and_every_op_has_one() -> None:
    files = [name for name in SCHEMAS if "not" in SCHEMAS[name]]
    operations = [name for name in SCHEMAS if name.startswith("op-")]
    assert files == ["definitions", *operations, "transcript"]
    assert not any(validator(name).is_valid({}) for name in files)
    assert sorted(operations) == sorted(f"op-{op}" for op in OPS)


def test_specs_ops_outcomes_and_levels_are_the_kits_and_the_readme_names_every_schema() -> None:
    other = [name for name, derived in derived_schemas().items() if SCHEMAS[name] != derived]
    assert other == [], "harbor-conformance kit regen writes them"
    shared = SCHEMAS["definitions"]["$defs"]
    assert shared["outcome"]["enum"] == [str(outcome) for outcome in Outcome]
    assert list(shared["totals"]["properties"]) == [str(outcome) for outcome in Outcome]
    assert shared["level"]["enum"] == [str(level) for level in Level if level is not Level.NONE]
    named = (schemas_dir() / "README.md").read_text(encoding="utf-8")
    missing = [name for name in SCHEMAS if not name.startswith("op-") and f"`{name}`" not in named]
    assert missing == []


def test_numbers_are_where_the_kit_looks_for_them() -> None:
    for name, op in OPS.items():
        parts, base = SCHEMAS[f"op-{name}"]["$defs"], urn(f"op-{name}")
        assert _number_positions(parts["input"], base) == set(op.input_numbers), name
        assert _number_positions(parts["ok"], base) == set(op.ok_numbers), name


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ({"id": 1, "ok": {}}, None),
        ({"id": "1", "ok": {}}, "$.id: '1' is not of type 'integer'"),
        ({"id": 1, "error": {"type": 3}}, "$.error.type: 3 is not of type 'string'"),
        ({"id": 1, "unsupported": ["x" * 999]}, f"$.unsupported: ['{'x' * 198}"),
    ],
)
def test_the_first_fault_is_a_sentence_with_its_place(document, fault) -> None:
    assert first_fault("reply", document) == fault


DEEP = []
for _ in range(100_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("reply", {"id": 1, "ok": {"a": float("-inf")}}),
        ("reply", {"id": 1, "ok": {"a": (1, 2)}}),
        ("reply", {"id": 1, "ok": {"a": DEEP}}),
        ("definitions#/$defs/dimension", "\ud800"),
    ],
    ids=["infinity", "tuple", "deep", "half a surrogate pair"],
)
def test_jsonschema_decides_on_what_is_not_plain(name, document, monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(schemas, "validator", lambda name: asked.append(name) or validator(name))
    assert first_fault(name, document) is None
    assert asked == [name]


@pytest.mark.slow
def test_reading_schemas_and_what_has_no_fault_need_no_jsonschema() -> None:
    read = "from conformance.suite.schemas import first_fault, schema; schema('reply')"
    plain = "assert first_fault('reply', {'id': 1, 'ok': {'a': [10**30, 0.5, None]}}) is None"
    source = f"import sys; {read}; {plain}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "jsonschema" not in done.stdout.split()
