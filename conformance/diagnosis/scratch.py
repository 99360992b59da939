"""One copy of the reference that makes one set of mistakes after another, as loading a copy for each is slow.

It also knows which mistakes can't affect an answer. A mistake that only replaces functions can change an
answer only if the reference calls one of them for the input.
"""

import functools
import operator
import sys
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

from conformance.mistakes.catalogue import Mistake
from conformance.mistakes.variant import NOTHING, Variant
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPEC_TABLE
from conformance.wire.messages import Ok, Refused

__all__ = ["Footprint", "Scratch", "scratch"]

Footprint = frozenset[CodeType] | None
"""The functions that mistakes replace; None if they change anything else too."""

_COPY_NOTE = "__slotnames__"
"""Set by Python on a class when one of its objects is copied; not the change of a mistake."""


class _Change(NamedTuple):
    """A changed name of a module, member of a class, or entry of a table."""

    holder: Any
    name: Any
    before: Any
    after: Any

    def assign(self, value: Any) -> None:
        """Sets the value, or deletes it."""
        if isinstance(self.holder, type):
            delattr(self.holder, self.name) if value is NOTHING else setattr(self.holder, self.name, value)
        elif value is NOTHING:
            del self.holder[self.name]
        else:
            self.holder[self.name] = value


class _Content(NamedTuple):
    """A changed list or set, or a table with other entries or another order."""

    table: Any
    before: Any
    after: Any

    def assign(self, content: Any) -> None:
        """Replaces the content."""
        self.table.clear()
        (self.table.extend if isinstance(self.table, list) else self.table.update)(content)


_Patch = Sequence[_Change | _Content]


class Scratch:
    """A copy of the reference; ``make`` sets the mistakes that it makes."""

    def __init__(self, spec: str = DEFAULT_SPEC) -> None:
        self._variant = Variant(spec=spec)
        modules = self._variant.modules()
        self._names = [(vars(module), dict(vars(module))) for module in modules]
        self._classes = [
            (value, dict(vars(value)))
            for module in modules
            for value in vars(module).values()
            if isinstance(value, type) and value.__module__ == module.__name__
        ]
        self._tables = [(table, type(table)(table)) for _, names in self._names for table in _tables(names)]
        self.ops = frozenset(self._variant.operations)
        """The operations that the reference has."""
        self._made: tuple[Mistake, ...] = ()
        self._patches: dict[tuple[Mistake, ...], _Patch | Exception] = {(): ()}
        """The changes of each set of mistakes, or why it can't be made."""

    def make(self, *mistakes: Mistake) -> None:
        """Makes these mistakes, in order, in place of the previous ones.

        Raises:
            Exception: they can't be made, or not combined: one removes what another changes.
        """
        if self._made == mistakes:
            return
        self._undo(self._patch(self._made))
        self._made = ()
        if mistakes in self._patches:
            for change in self._patch(mistakes):
                change.assign(change.after)
        else:
            self._patches[mistakes] = self._change(mistakes)
            self._patch(mistakes)
        self._made = mistakes

    def _change(self, mistakes: tuple[Mistake, ...]) -> _Patch | Exception:
        """Makes mistakes for the first time; a generated one, if last, changes only what it replaces."""
        before: _Patch = ()
        is_generated = mistakes[-1].is_generated
        try:
            if is_generated:
                self.make(*mistakes[:-1])
                before = self._patch(mistakes[:-1])
            else:
                self._undo(list(self._changes()))  # state that earlier answers have changed
            self._variant.replaced.clear()
            for mistake in mistakes[-1:] if is_generated else mistakes:
                mistake.change(self._variant)
        except Exception as error:
            self._undo(list(self._changes()))
            self._made = ()
            return error
        if is_generated:
            return [*before, *(_Change(*change) for change in self._variant.replaced)]
        return list(self._changes())

    def _patch(self, mistakes: tuple[Mistake, ...]) -> _Patch:
        patch = self._patches[mistakes]
        if isinstance(patch, Exception):
            raise patch
        return patch

    @staticmethod
    def _undo(patch: _Patch) -> None:
        for change in reversed(patch):
            change.assign(change.before)

    def footprint(self, *mistakes: Mistake) -> Footprint:
        """The functions that the mistakes replace.

        Raises:
            Exception: they can't be made.
        """
        if mistakes not in self._patches:
            self.make(*mistakes)
        replaced = [_code(change.before) for change in self._patch(mistakes)]
        codes = frozenset(code for code in replaced if code is not None)
        return None if None in replaced else codes

    def answer(self, op: str, input_: Any) -> Ok | Refused:
        """The copy's answer to an ``input``."""
        return self._variant.answer(op, input_)

    @functools.cached_property
    def functions(self) -> dict[CodeType, str]:
        """The functions and methods of the reference, as ``module:function``, by their code."""
        self.make()
        by_code: dict[CodeType, str] = {}
        for module in self._variant.modules():
            name = module.__name__.partition(".")[2]
            for value in vars(module).values():
                if getattr(value, "__module__", "") == module.__name__:
                    members = vars(value).values() if isinstance(value, type) else [value]
                    by_code |= {
                        member.__code__: f"{name}:{member.__qualname__}"
                        for member in members
                        if isinstance(member, FunctionType)
                        and member.__module__ == module.__name__
                        and not member.__name__.startswith("__")
                    }
        return by_code

    def called(self, op: str, input_: Any) -> frozenset[CodeType]:
        """The functions that the reference, without mistakes, calls to answer an ``input``."""
        self.make()
        codes: set[CodeType] = set()

        def note(frame: FrameType, event: str, _: object) -> None:
            if event == "call":
                codes.add(frame.f_code)

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            self._variant.answer(op, input_)
        finally:
            sys.setprofile(before)
        return frozenset(codes)

    def changes(self, *mistakes: Mistake) -> frozenset[tuple[str, str]]:
        """The names that the mistakes change: a module and ``name`` or ``Class.member`` each.

        An operation that is replaced as a whole is ``("", op)``.

        Raises:
            Exception: they can't be made.
        """
        self.make(*mistakes)
        names: set[tuple[str, str]] = set()
        for change in self._patch(mistakes):
            if isinstance(change, _Change) and isinstance(change.holder, type):
                names.add((_module(change.holder.__module__), f"{change.holder.__qualname__}.{change.name}"))
            elif isinstance(change, _Change) and change.holder is self._variant.operations:
                names.add(("", change.name))
            else:
                names.update(self._holders(change))
        return frozenset(names)

    def _holders(self, change: _Change | _Content) -> Iterator[tuple[str, str]]:
        """The module of a changed name, or the names of a changed table."""
        table = change.table if isinstance(change, _Content) else change.holder
        for now, before in self._names:
            module = _module(str(before["__name__"]))
            if now is table and isinstance(change, _Change):
                yield module, str(change.name)
            for name, value in before.items():
                if value is table:
                    yield module, name

    def _changes(self) -> Iterator[_Change | _Content]:
        """All differences from the reference."""
        for now, before in self._names:
            yield from _changed(now, now, before)
        for class_, members in self._classes:
            yield from _changed(class_, vars(class_), members)
        for table, content in self._tables:
            if isinstance(table, dict) and list(table) == list(content):
                yield from _changed(table, table, content)
            elif table != content or isinstance(table, dict):
                yield _Content(table, content, type(table)(table))


def scratch(spec: str = DEFAULT_SPEC) -> Scratch:
    """This process's copy: one for all specs, except that a spec based on another has its own."""
    return _scratch(spec if SPEC_TABLE[spec].base is not None else DEFAULT_SPEC)


@functools.cache
def _scratch(spec: str) -> Scratch:
    return Scratch(spec)


def _tables(names: dict[str, Any]) -> list[Any]:
    """The tables among a module's names, except Python's own."""
    return [
        value
        for name, value in names.items()
        if isinstance(value, dict | list | set) and not name.startswith("__")
    ]


def _is_unchanged(now: Mapping[Any, Any], before: Mapping[Any, Any]) -> bool:
    """Whether all values are the same objects in the same order of names."""
    return len(now) == len(before) and all(map(operator.is_, now.values(), before.values()))


def _changed(holder: Any, now: Mapping[Any, Any], before: Mapping[Any, Any]) -> Iterator[_Change]:
    if not _is_unchanged(now, before):
        for name in dict.fromkeys((*before, *now)):
            old, new = before.get(name, NOTHING), now.get(name, NOTHING)
            if old is not new and name != _COPY_NOTE:
                yield _Change(holder, name, old, new)


def _module(name: str) -> str:
    return name.partition(".")[2]


def _code(old: object) -> CodeType | None:
    """The code that runs whenever ``old`` is used; None if it can be used without running code."""
    if isinstance(old, staticmethod | classmethod):
        old = old.__func__
    elif isinstance(old, property) and old.fset is None:
        old = old.fget
    return old.__code__ if isinstance(old, FunctionType) else None
