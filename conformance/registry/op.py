"""The kit's description of one operation of the runner protocol.

Each section of a spec describes its ops in a module ``op``; ``registry.ops`` finds them. The schema
``op-<op>.schema.json`` defines what a message may hold; a test compares the two.

A path is a tuple of keys from the root of ``input`` or ``ok``; ``"*"`` stands for every key or index. In an
op's definition, a path is a string of keys joined by ``/``; the root itself is ``.``.
"""

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from conformance.wire.messages import Answer, Hello, Ok, Refused, encode_tail
from conformance.wire.numbers import Path, meant_at, spell_at

__all__ = ["ORACLE", "Changing", "Op", "Playing", "define", "section_part"]

ORACLE = "oracle"
"""The source of the expected answers if an op names no other."""


def _as_it_is(input_: Any) -> Any:
    return input_


def _always(_: Any, __: Any) -> bool:
    return True


def _nothing_free(_: Any, __: Any) -> frozenset[str]:
    return frozenset()


@dataclass(frozen=True, slots=True)
class Changing:
    """Constraints on small changes of an input beyond the schema."""

    limits: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """The limits of whole numbers, by member name."""
    kept: frozenset[str] = frozenset()
    """Members that are not free text, such as names of classes: only values seen elsewhere are used."""
    repair: Callable[[Any], Any] = _as_it_is
    """Makes an input's members consistent, where the schema describes what it cannot enforce."""
    sensible: Callable[[Any, Any], bool] = _always
    """Whether a changed input is covered by the rules."""


@dataclass(frozen=True, slots=True)
class Playing:
    """How the oracle plays back what a vector describes, to verify its answer."""

    op: str
    """The oracle's name for it."""
    disagreement: Callable[[dict[str, Any], dict[str, Any]], str | None]
    """Compares the answer with the playback; returns the difference as a clause, or None."""


@dataclass(frozen=True, slots=True)
class Op:
    """One operation of the protocol."""

    name: str
    """Unique across specs."""
    conformance_class: str
    """The class whose claim this op's vectors decide."""
    fallback_clause: str
    """The clause that a disagreement breaks if no closer one is known."""
    weight: float
    """How often ``fuzz`` draws it, relative to others."""
    examples: int = 100
    """The default number of random inputs compared with the reference under pytest."""
    source: str = ORACLE
    """The source of the expected answers: the spec's oracle, or another source of the spec."""
    oracle_op: str | None = None
    """The oracle's op for its part of the answer, if it does not give the whole."""
    completed_by: str | None = None
    """The op that gives the rest, with the oracle's part as its input."""
    optional_ok: tuple[str, str] | None = None
    """An optional member of ``ok``, and the op that makes it required if hello offers it."""
    package_only: bool = False
    """Whether only the package itself, or a fork of it, can be asked, since its own code is executed.

    Other runners are not asked, so they lack nothing; no input is drawn, and the reference has no answer.
    """
    playing: Playing | None = None
    """How a vector's ``played`` is checked against its answer, if the op has such vectors."""
    content_schemas: tuple[str, ...] = ()
    """The schemas of the files and lines in its messages."""
    shows: tuple[str, ...] = ()
    """Other ops whose mistakes affect this one's answers; ``"*"`` for all of the spec."""
    free_key_order: Callable[[Any, Any], frozenset[str]] = _nothing_free
    """Maps input and expected ``ok`` to pointers to the objects whose key order is free (erratum E6)."""
    changing: Changing = field(default_factory=Changing)
    input_numbers: tuple[Path, ...] = ()
    """The paths where a number, or its spelling as a string, may appear (PROTOCOL.md, "Numbers")."""
    ok_numbers: tuple[Path, ...] = ()
    ok_files: tuple[Path, ...] = ()
    """The paths of file contents in ``ok``, compared as JSON below level ``bytes``."""
    ok_lines: tuple[Path, ...] = ()
    """The paths of ``PREFIX=json`` lines in ``ok``, compared as prefix and JSON below level ``bytes``."""
    ok_json_lines: tuple[Path, ...] = ()
    """The paths of JSON lines files in ``ok``, compared line by line as JSON below level ``bytes``."""
    ok_parsed: tuple[Path, ...] = ()
    """The paths of files in ``ok`` that are compared parsed at every level: only the dict counts."""
    ok_free_order: tuple[Path, ...] = ()
    """The paths of objects in ``ok`` that the oracle never prints, so the order of members never counts.

    These are the protocol's own envelopes, whose members a schema fixes, and internal data of an oracle.
    """
    spec: str = ""
    """The spec that it belongs to; set on registration, like the members below."""
    section: str = ""
    """The section of the spec, which names its folder, its vector file and its module of the reference."""
    package: str = ""
    """The package with all of the kit's code for the section."""
    inherited: tuple[str, ...] = ()
    """The section's packages in the base specs, the nearest first."""

    def free_order(self, input_: Any, answer: Ok | Refused) -> frozenset[str]:
        """Pointers to the objects in the right answer to an input whose key order is free."""
        return self.free_key_order(input_, answer.value) if isinstance(answer, Ok) else frozenset()

    def tail(self, input_: Any, *, numbers_as_strings: bool) -> bytes:
        """The bytes of a request after its id, for a runner with or without such numbers."""
        if numbers_as_strings:
            input_ = spell_at(input_, self.input_numbers, everything=True)
        return encode_tail(self.name, input_)

    def meant(self, answer: Answer, hello: Hello) -> Answer:
        """An answer as a runner with this hello means it, with numbers read, and the member it may omit."""
        if not isinstance(answer, Ok):
            return answer
        value = meant_at(answer.value, self.ok_numbers, numbers_as_strings=hello.numbers_as_strings)
        member, needed_by = self.optional_ok or ("", "")
        return Ok(value, "" if member in value or needed_by in hello.ops else member)

    @property
    def schema(self) -> str:
        """The name of the schema of its messages."""
        return f"op-{self.name}"

    def part(self, name: str) -> ModuleType | None:
        """The section's module of that name (``draw``, ``mistakes``, ``properties``), if it exists."""
        return next(self._parts(name), None)

    def _parts(self, name: str) -> Iterator[ModuleType]:
        """The modules of that name of the section and its bases', the nearest first."""
        return filter(None, (section_part(package, name) for package in (self.package, *self.inherited)))

    def draw(self, source: Any) -> Any:
        """A random input, from a source of choices (``conformance.drawing``)."""
        tables = (part.INPUTS for part in self._parts("draw"))
        return next(table for table in tables if self.name in table)[self.name](source)


@functools.cache
def section_part(package: str, name: str) -> ModuleType | None:
    """The module ``name`` of a section's package, with its submodules if it is a package.

    None if the section has none.
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
    """Defines an op, with paths given as strings: ``input_numbers="rewards/*/* n_retries"``."""
    for key, value in known.items():
        if key.startswith(("input_", "ok_")):
            known[key] = tuple(() if path == "." else tuple(path.split("/")) for path in value.split())
    return Op(name, conformance_class, **known)
