"""The JSON Schemas: read, resolved against each other, and asked whether a document is what one of them says.

A schema is named as its file is, ``run-report``; a definition in it by its place, ``op-aggregate#/$defs/ok``.
jsonschema is loaded with the first validator: whoever only reads a schema does without it.
"""

import functools
import json
from typing import TYPE_CHECKING, Any

from conformance.paths import schemas_dir

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from referencing import Registry

__all__ = ["first_fault", "name_of", "schema", "schema_names", "schema_registry", "urn", "validator"]

_SUFFIX = ".schema.json"
_URN = "urn:harbor-conformance:"
_VERSIONS = {"check-report": 2}
"""The version of a schema that is not the first any more."""
_LONGEST_MESSAGE = 200
"""Characters of a fault's message; jsonschema quotes the value at fault whole."""


def schema_names() -> list[str]:
    """All there are, sorted."""
    return sorted(path.name.removesuffix(_SUFFIX) for path in schemas_dir().glob(f"*{_SUFFIX}"))


@functools.cache
def schema(name: str) -> dict[str, Any]:
    """The schema in the file of this name. It is shared: change a copy."""
    text = (schemas_dir() / f"{name}{_SUFFIX}").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


def urn(name: str) -> str:
    """The id under which others refer to a schema, or to a definition of one."""
    file, mark, place = name.partition("#")
    return f"{_URN}{file}:{_VERSIONS.get(file, 1)}{mark}{place}"


def name_of(reference: str) -> str:
    """The name of the schema that a reference leads to, without the place inside it."""
    return reference.removeprefix(_URN).partition(":")[0]


@functools.cache
def schema_registry() -> "Registry[Any]":
    """All schemas by their ids."""
    from referencing import Registry, Resource

    documents = map(schema, schema_names())
    return Registry[Any]().with_resources((one["$id"], Resource.from_contents(one)) for one in documents)


@functools.cache
def validator(name: str) -> "Draft202012Validator":
    """What finds the faults of a document, by a schema or a definition of one."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator({"$ref": urn(name)}, registry=schema_registry())


def first_fault(name: str, document: Any) -> str | None:
    """The place and the message of the fault that says most about the document; None where there is none."""
    from jsonschema.exceptions import best_match

    fault = best_match(validator(name).iter_errors(document))
    return None if fault is None else f"{fault.json_path}: {fault.message[:_LONGEST_MESSAGE]}"
