"""What the kit knows of one operation of the runner protocol.

Each section of a spec describes its ops in a module ``op``; ``registry.ops`` finds them. The schema
``op-<op>.schema.json`` says at length what a message may hold; a test holds the two together.

A path is a tuple of keys from the root of ``input`` or ``ok``; ``"*"`` stands for every key or index. Where
an op is defined, a path is a text, its keys joined by ``/``; the root itself is ``.``.
"""

import functools
import importlib
import pkgutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from conformance.wire.numbers import Path

__all__ = ["ORACLE", "Changing", "Op", "Playing", "define", "section_part"]

ORACLE = "oracle"
"""The source of the expected answers where an op names no other."""


def _as_it_is(given: Any) -> Any:
    return given


def _always(_: Any, __: Any) -> bool:
    return True


def _nothing_free(_: Any, __: Any) -> frozenset[str]:
    return frozenset()


@dataclass(frozen=True, slots=True)
class Changing:
    """What a small change of an input has to heed beyond the schema, to stay within the rules."""

    limits: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Whole numbers that mean something only within limits, by the member's name."""
    kept: frozenset[str] = frozenset()
    """Members that are no free text, such as names of classes: only values seen elsewhere are there."""
    mended: Callable[[Any], Any] = _as_it_is
    """The input with its members in accord, where the schema describes what it cannot enforce."""
    sensible: Callable[[Any, Any], bool] = _always
    """Whether an input, made from another by a small change, is one that the rules speak of."""


@dataclass(frozen=True, slots=True)
class Playing:
    """How the oracle plays back what a vector describes, to see that it comes to the same answer."""

    op: str
    """What the oracle calls it."""
    disagreement: Callable[[dict[str, Any], dict[str, Any]], str | None]
    """From the answer and what was played to where they differ, as a clause; None where they do not."""


@dataclass(frozen=True, slots=True)
class Op:
    """One operation of the protocol."""

    name: str
    """Unique across specs."""
    conformance_class: str
    """The class whose claim this op's vectors decide."""
    fallback_clause: str
    """The clause that a disagreement breaks where no closer one is known."""
    weight: float
    """How often ``fuzz`` draws it, next to the others."""
    examples: int = 100
    """How many random inputs are held to the reference by default, under pytest."""
    source: str = ORACLE
    """Who gives the expected answers: the spec's oracle, or another source that the spec names."""
    oracle_op: str | None = None
    """What the oracle calls the part of the answer that it gives, where that is not the whole."""
    completed_by: str | None = None
    """The op that is asked for the rest, with the oracle's part as its input."""
    optional_ok: tuple[str, str] | None = None
    """A member of ``ok`` that may be left out, and the op that, where hello offers it, makes it due."""
    package_only: bool = False
    """Whether only the package itself, or a fork of it, can be asked: its own code is executed.

    No other runner is asked, so that it lacks nothing; no input is drawn, and the reference has no answer.
    """
    playing: Playing | None = None
    """How a vector's ``played`` is held to its answer, where the op has such vectors."""
    content_schemas: tuple[str, ...] = ()
    """The schemas of what is in the files and lines of its messages."""
    shows: tuple[str, ...] = ()
    """Other ops whose mistakes show in this one's answers; ``"*"`` for all of the spec."""
    free_key_order: Callable[[Any, Any], frozenset[str]] = _nothing_free
    """From input and expected ``ok`` to pointers at the objects whose key order is free (erratum E6)."""
    changing: Changing = field(default_factory=Changing)
    input_numbers: tuple[Path, ...] = ()
    """Where a number, or its spelling as a string, may appear (PROTOCOL.md, "Numbers")."""
    ok_numbers: tuple[Path, ...] = ()
    ok_files: tuple[Path, ...] = ()
    """Where ``ok`` holds a file's content: compared as JSON below level ``bytes``."""
    ok_lines: tuple[Path, ...] = ()
    """Where ``ok`` holds a ``PREFIX=json`` line: compared as prefix and JSON below level ``bytes``."""
    ok_json_lines: tuple[Path, ...] = ()
    """Where ``ok`` holds a file of JSON lines: compared line by line as JSON below level ``bytes``."""
    ok_parsed: tuple[Path, ...] = ()
    """Where ``ok`` holds a file that only its reader's dict counts of: compared parsed at every level."""
    ok_free_order: tuple[Path, ...] = ()
    """Where ``ok`` holds an object that the oracle never prints: its members' order never counts.

    Such are the protocol's own envelopes, whose members a schema fixes, and what an oracle keeps for itself.
    """
    spec: str = ""
    """The spec that it belongs to; set where it is found, as is all below."""
    section: str = ""
    """The section of the spec: the name of its folder, of its vector file, of its module of the reference."""
    package: str = ""
    """The package that holds all that the kit knows of the section."""
    inherited: tuple[str, ...] = ()
    """The section's packages in the specs that this one is a difference to, the nearest first."""

    def may_leave_out(self, value: Mapping[str, Any], offered: Collection[str]) -> str:
        """The member that an ``ok`` lacks and, by what hello offers, need not have; else empty."""
        if self.optional_ok is None:
            return ""
        member, due_with = self.optional_ok
        return member if member not in value and due_with not in offered else ""

    @property
    def schema(self) -> str:
        """The name of the schema of its messages."""
        return f"op-{self.name}"

    def part(self, name: str) -> ModuleType | None:
        """The section's module of that name (``draw``, ``mistakes``, ``properties``), if it has one."""
        parts = (section_part(package, name) for package in (self.package, *self.inherited))
        return next((part for part in parts if part is not None), None)

    def draw(self, source: Any) -> Any:
        """A random input, from a source of choices (``conformance.drawing``)."""
        for package in (self.package, *self.inherited):
            part = section_part(package, "draw")
            if part is not None and self.name in part.INPUTS:
                return part.INPUTS[self.name](source)
        raise AssertionError(f"{self.package} draws no inputs of {self.name}")


@functools.cache
def section_part(package: str, name: str) -> ModuleType | None:
    """The module ``name`` of a section's package, with all modules of it where it is a package itself.

    None where the section has none.
    """
    try:
        part = importlib.import_module(f"{package}.{name}")
    except ModuleNotFoundError as error:
        if error.name == f"{package}.{name}":
            return None
        raise
    for module in pkgutil.iter_modules(getattr(part, "__path__", ())):
        importlib.import_module(f"{part.__name__}.{module.name}")
    return part


def define(name: str, conformance_class: str, **known: Any) -> Op:
    """An op, its paths given as texts: ``input_numbers="rewards/*/* n_retries"``."""
    for key, value in known.items():
        if key.startswith(("input_", "ok_")):
            known[key] = tuple(() if path == "." else tuple(path.split("/")) for path in value.split())
    return Op(name, conformance_class, **known)
