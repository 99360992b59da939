"""Anchors: the places of a page that links lead to, named alike on every page.

What they are made of may be anything that a report holds; an anchor has letters, digits, ``.``, ``_`` and
``-`` alone, begins with a letter, and differs where the names differ.
"""

import hashlib
import re

__all__ = ["again_anchor", "anchor", "class_anchor", "failure_anchor", "rule_anchor", "vector_anchor"]

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 120
_DIGITS = 8


def anchor(prefix: str, name: str) -> str:
    """The anchor of what is called so; ``prefix`` says what it is and begins with a letter."""
    return _anchor(prefix, name, name.replace("/", "."), doubtful="." in name)


def _anchor(prefix: str, name: str, path: str, *, doubtful: bool) -> str:
    """``doubtful`` says that another name may lead to the same path."""
    safe = _UNSAFE.sub("-", path)
    if doubtful or safe != path or len(safe) > _LONGEST:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
        safe = f"{safe[:_LONGEST]}-{digest}"
    return f"{prefix}-{safe}"


def _behind_spec(vector_id: str) -> str:
    return vector_id.partition("/")[2] or vector_id


def vector_anchor(vector_id: str) -> str:
    """A vector's or a property's row among all of them: its id without the spec, ``.`` for ``/``."""
    return anchor("v", _behind_spec(vector_id))


def failure_anchor(vector_id: str) -> str:
    """The account of what went wrong with a vector or a property."""
    return anchor("f", _behind_spec(vector_id))


def again_anchor(vector_id: str) -> str:
    """The account of a vector that was asked again in other words."""
    return anchor("again", _behind_spec(vector_id))


def rule_anchor(clause: str) -> str:
    """A clause's place among the rules."""
    return _anchor("rule", clause, clause, doubtful=False)


def class_anchor(name: str) -> str:
    """A class's row."""
    return anchor("class", name)
