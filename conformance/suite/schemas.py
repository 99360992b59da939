"""Loads the JSON Schemas, resolves references between them, and validates documents.

A schema is named after its file, ``run-report``; a definition in it by its path, ``op-aggregate#/$defs/ok``.
Two libraries read them. jsonschema decides, and words every fault. jsonschema-rs only confirms, twenty times
as fast, that there is none: its rejections, and everything on which the two might differ, go to jsonschema.
Each is loaded on first use.
"""

import contextlib
import functools
import json
from math import isfinite
from typing import TYPE_CHECKING, Any

from conformance.paths import schemas_dir
from conformance.wire.writing import by_level

if TYPE_CHECKING:
    import jsonschema_rs
    from jsonschema import Draft202012Validator
    from referencing import Registry

__all__ = ["first_fault", "name_of", "schema", "schema_names", "schema_registry", "urn", "validator"]

_SUFFIX = ".schema.json"
_URN = "urn:harbor-conformance:"
_VERSIONS = {"check-report": 2, "run-report": 2}
"""The version suffix of a schema after the first version."""
_LONGEST_MESSAGE = 200
"""The most characters of a fault's message; jsonschema quotes the whole value."""
_DEEPEST = 200
"""The deepest nesting passed to jsonschema-rs, which recurses on the stack."""

_KINDS = frozenset({dict, list, str, int, float, bool, type(None)})


def schema_names() -> list[str]:
    """The names of all schemas, sorted."""
    return sorted(path.name.removesuffix(_SUFFIX) for path in schemas_dir().glob(f"*{_SUFFIX}"))


@functools.cache
def schema(name: str) -> dict[str, Any]:
    """The schema in the file of this name. It is shared, so change only a copy."""
    text = (schemas_dir() / f"{name}{_SUFFIX}").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


def urn(name: str) -> str:
    """The URN of a schema, or of a definition in one."""
    file, mark, pointer = name.partition("#")
    return f"{_URN}{file}:{_VERSIONS.get(file, 1)}{mark}{pointer}"


def name_of(reference: str) -> str:
    """The name of the schema that a reference points to, without the path inside it."""
    return reference.removeprefix(_URN).partition(":")[0]


@functools.cache
def schema_registry() -> "Registry[Any]":
    """All schemas by id."""
    from referencing import Registry, Resource

    documents = map(schema, schema_names())
    return Registry[Any]().with_resources((doc["$id"], Resource.from_contents(doc)) for doc in documents)


@functools.cache
def validator(name: str) -> "Draft202012Validator":
    """The validator for a schema, or for a definition in one."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator({"$ref": urn(name)}, registry=schema_registry())


def first_fault(name: str, document: Any) -> str | None:
    """The path and message of the most relevant fault in a document; None if it is valid."""
    with contextlib.suppress(ValueError):  # a lone surrogate, a key that is not a string, or too deep
        if _is_plain(document) and _quick_validator(name).is_valid(document):
            return None
    from jsonschema.exceptions import best_match

    fault = best_match(validator(name).iter_errors(document))
    return None if fault is None else f"{fault.json_path}: {fault.message[:_LONGEST_MESSAGE]}"


@functools.cache
def _quick_validator(name: str) -> "jsonschema_rs.Draft202012Validator":
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator({"$ref": urn(name)}, registry=_quick_registry())


@functools.cache
def _quick_registry() -> "jsonschema_rs.Registry":
    import jsonschema_rs

    return jsonschema_rs.Registry([(schema(name)["$id"], schema(name)) for name in schema_names()])


def _is_plain(document: Any) -> bool:
    """Return whether a value has only JSON's types and is not too deep, in which case both libraries agree.

    For jsonschema-rs, infinity is not a number, and a tuple is a list.
    """
    for depth, level in enumerate(by_level(document)):
        kinds = set(map(type, level))
        if depth == _DEEPEST or not kinds <= _KINDS:
            return False
        if float in kinds and not all(isfinite(number) for number in level if type(number) is float):
            return False
    return True
