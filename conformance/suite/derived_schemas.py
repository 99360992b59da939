"""Derives the parts of the schemas that list specs, sections and ops from the registry.

The schema files are complete, for readers without the kit. ``regen`` rewrites these parts, so that nobody has
to add an op to three files by hand; a test compares them.
"""

import copy
import json
from pathlib import Path
from typing import Any

from conformance.paths import DEFAULT_SPEC, schemas_dir
from conformance.registry.op import ORACLE, Op
from conformance.registry.ops import OPS, SPEC_TABLE, SPECS, lineage, ops_of, section_packages
from conformance.suite.counterexamples import SECTION
from conformance.suite.overlays import DIFFERS, LEFT_OUT
from conformance.suite.schemas import schema, urn
from conformance.wire.writing import write_text

__all__ = ["derived_schemas", "renew_schemas"]

_OF_COUNTEREXAMPLES = "reference"
"""The source of counterexamples' answers, for all ops."""


def derived_schemas() -> dict[str, dict[str, Any]]:
    """The schemas that list specs, sections or ops, derived from the registry, by name."""
    definitions, request, vectors = (
        copy.deepcopy(schema(name)) for name in ("definitions", "request", "vector-file")
    )
    definitions["$defs"]["spec"]["enum"] = list(SPECS)
    request["properties"]["op"]["enum"] = list(OPS)
    request["allOf"] = [_if("op", op.name, _input(op)) for op in OPS.values()]
    of_any_spec = [part for part in vectors["allOf"] if "spec" not in part["if"]["properties"]]
    vectors["allOf"] = [*(_if("spec", spec, _spec_schema(spec)) for spec in SPECS), *of_any_spec]
    vector = vectors["$defs"]["vector"]
    vector["properties"]["op"]["enum"] = list(OPS)
    vector["properties"]["provenance"]["enum"] = _sources()
    vector["allOf"] = [_if("op", op.name, _op_schema(op)) for op in OPS.values()]
    vectors["$defs"]["difference"]["properties"]["provenance"]["enum"] = _sources()[:-1]
    return {"definitions": definitions, "request": request, "vector-file": vectors}


def renew_schemas() -> list[Path]:
    """Writes the schemas that differ from the registry; returns their names."""
    renewed = []
    for name, document in derived_schemas().items():
        if document != schema(name):
            path = schemas_dir() / f"{name}.schema.json"
            write_text(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
            renewed.append(path)
    return renewed


def _if(member: str, value: str, then: dict[str, Any]) -> dict[str, Any]:
    """A condition: requirements for other members if this one has this value."""
    condition = {"properties": {member: {"const": value}}, "required": [member]}
    return {"if": condition, "then": {"properties": then}}


def _input(op: Op) -> dict[str, Any]:
    return {"input": {"$ref": urn(f"{op.schema}#/$defs/input")}}


def _op_schema(op: Op) -> dict[str, Any]:
    """The schema of an op's vectors."""
    answer = {"properties": {"ok": {"$ref": urn(f"{op.schema}#/$defs/ok")}}}
    names = [variant.name for variant in SPEC_TABLE[op.spec].oracle.variants]
    return {
        **_input(op),
        "expected": answer,
        "variants": {"propertyNames": {"enum": names}, "additionalProperties": answer}
        if names
        else {"maxProperties": 0},
        "provenance": {"enum": [*_sources_of(op.name), _OF_COUNTEREXAMPLES]},
    }


def _spec_schema(spec: str) -> dict[str, Any]:
    """The schema of a spec's vector files."""
    restricted: dict[str, Any] = {"op": {"enum": [op.name for op in ops_of(spec, package=True)]}}
    if any(SPEC_TABLE[name].base is not None and spec in lineage(name) for name in SPECS):
        # specs with the same ops have different oracles
        restricted["provenance"] = {
            "enum": [*dict.fromkeys(map(_source, ops_of(spec, package=True))), _OF_COUNTEREXAMPLES]
        }
    ops = {"items": {"properties": restricted}}
    if SPEC_TABLE[spec].base is not None:
        return {"vectors": ops}
    sectionless = {"vectors": ops, DIFFERS: False, LEFT_OUT: False}
    if spec != DEFAULT_SPEC:
        return sectionless
    return {"section": {"enum": [*section_packages(spec), SECTION]}, **sectionless}


def _source(op: Op) -> str:
    """The sources of an op's answers, as named in vectors."""
    return SPEC_TABLE[op.spec].oracle.provenance if op.source == ORACLE else op.source


def _sources() -> list[str]:
    """All sources of vectors' answers."""
    sources = dict.fromkeys(source for name in OPS for source in _sources_of(name))
    return [*sources, _OF_COUNTEREXAMPLES]


def _sources_of(name: str) -> list[str]:
    """The sources of an op's answers, in all specs that have it."""
    ops = (op for spec in SPECS for op in ops_of(spec, package=True) if op.name == name)
    return list(dict.fromkeys(map(_source, ops)))
