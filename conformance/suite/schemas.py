"""The JSON Schemas: read, resolved against each other, and asked whether a document is what one of them says.

A schema is named as its file is, ``run-report``; a definition in it by its place, ``op-aggregate#/$defs/ok``.
Two libraries read them. jsonschema decides, and words every fault. jsonschema-rs only says, twenty times as
fast, that there is none: its no, and all that the two might see differently, goes to jsonschema. Each is
loaded when it is first asked.
"""

import functools
import json
from math import isfinite
from typing import TYPE_CHECKING, Any

from conformance.paths import schemas_dir

if TYPE_CHECKING:
    import jsonschema_rs
    from jsonschema import Draft202012Validator
    from referencing import Registry

__all__ = ["first_fault", "name_of", "schema", "schema_names", "schema_registry", "urn", "validator"]

_SUFFIX = ".schema.json"
_URN = "urn:harbor-conformance:"
_VERSIONS = {"check-report": 2, "run-report": 2}
"""The version of a schema that is not the first any more."""
_LONGEST_MESSAGE = 200
"""Characters of a fault's message; jsonschema quotes the value at fault whole."""
_DEEPEST = 200
"""Levels of lists and objects that jsonschema-rs is asked about; it goes down them on the stack."""


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
    if _surely_faultless(name, document):
        return None
    from jsonschema.exceptions import best_match

    fault = best_match(validator(name).iter_errors(document))
    return None if fault is None else f"{fault.json_path}: {fault.message[:_LONGEST_MESSAGE]}"


def _surely_faultless(name: str, document: Any) -> bool:
    if not _is_plain(document):
        return False
    try:
        return _quick_validator(name).is_valid(document)
    except ValueError:  # half a surrogate pair; a name that is no text; what it will not go down into
        return False


@functools.cache
def _quick_validator(name: str) -> "jsonschema_rs.Draft202012Validator":
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator({"$ref": urn(name)}, registry=_quick_registry())


@functools.cache
def _quick_registry() -> "jsonschema_rs.Registry":
    import jsonschema_rs

    return jsonschema_rs.Registry([(schema(name)["$id"], schema(name)) for name in schema_names()])


def _is_plain(document: Any) -> bool:
    """Whether it is made of what JSON has, not too deep: of that alone both libraries think alike.

    To jsonschema-rs an infinity is no number, and a tuple is a list.
    """
    level = [document]
    for _ in range(_DEEPEST):
        below: list[Any] = []
        for value in level:
            kind = type(value)
            if kind is dict:
                below.extend(value.values())
            elif kind is list:
                below.extend(value)
            elif kind is float:
                if not isfinite(value):
                    return False
            elif not (kind is str or kind is int or kind is bool or value is None):
                return False
        if not below:
            return True
        level = below
    return False
