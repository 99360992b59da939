"""Private copies of the reference implementation whose rules can be replaced; many can exist at once.

A known mistake (``conformance.mistakes``) or a mutant (``conformance.mutants``) is such a copy with a small
change. The packages of other specs are loaded on first use: most copies never need them.
"""

import contextlib
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import itertools
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, ModuleType
from typing import Any, TypeVar, overload

from conformance.mistakes.modules import (
    OPERATIONS,
    REFERENCE,
    SHARED,
    core,
    module_names,
    module_path,
    modules_below,
    overlay_of,
    packages,
)
from conformance.mistakes.places import Place, path_of
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import OPS
from conformance.wire.messages import Ok, Refused, strict_json
from conformance.wire.numbers import any_digits, meant_at
from reference_impl.metric_script import run_script

__all__ = ["NOTHING", "REFERENCE", "Variant", "module_names", "module_path"]


_T = TypeVar("_T")
_SERVING = "runner.serving"
"""The module that answers requests."""
_A_SPELLING = re.compile(r'"-?[0-9][^"]*"(?!:)')
"""Matches a string that spells a number, in JSON text; few answers contain one."""
_SCRIPT = "metric_script"
"""The module that starts processes."""
_numbers = itertools.count(1)
_remembered = functools.lru_cache(maxsize=1024)(run_script)
"""The results of scripts: a process takes ten times as long as everything else, and copies repeat them."""


class _Empty(ModuleType):
    """A package whose ``__init__`` is not run: it would only import every module."""


@functools.cache
def _code(name: str) -> CodeType:
    """A module's code, loaded once for all copies, from Python's own cache if it has the module."""
    code = importlib.machinery.SourceFileLoader(name, str(module_path(name))).get_code(name)
    assert code is not None
    return code


@functools.cache
def _is_package(name: str) -> bool:
    return (REFERENCE / name).is_dir()


NOTHING: Any = object()
"""The value at a name that does not exist."""


class _Modules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds and loads the modules of one copy."""

    def __init__(self, package: str) -> None:
        self._package = package

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of a module of this copy; other finders handle all other names."""
        package, _, name = fullname.partition(".")
        if package != self._package or not module_path(name).is_file():
            return None
        return importlib.util.spec_from_loader(fullname, self, origin=str(module_path(name)))

    def exec_module(self, module: ModuleType) -> None:
        """Executes a module's code in the copy's own namespace."""
        name = module.__name__.partition(".")[2]
        module.__file__ = str(module_path(name))
        exec(_code(name), module.__dict__)  # noqa: S102 - our own source


class Variant:
    """A private copy of the reference, loaded under its own name, that can be changed freely.

    The parts to replace are named by the reference's own objects (``conformance.mistakes.places``), such as
    ``compensated_sum``, ``JobResult.text`` or ``(json_text, "INDENT")``. A copy answers by the rules of one
    spec. For an overlay spec, a place that the overlay's package redefines means the redefinition:
    ``parse_reward`` is the one that answers.
    """

    def __init__(
        self, changed: str | None = None, code: CodeType | None = None, *, spec: str = DEFAULT_SPEC
    ) -> None:
        """Loads the copy; the module ``changed`` is executed from ``code`` instead of its file."""
        self.spec = spec
        self._overlay = overlay_of(spec)
        self._package = f"_reference_{next(_numbers)}"
        self._modules: dict[str, ModuleType] = {}
        self._put: set[str] = set()
        self._private: list[tuple[dict[str, Any], list[str]]] = []
        self._looked_at = 0
        self.overridden: set[str] = set()
        """Paths whose replacement was replaced again by something that ignores it: the first one is lost."""
        self.replaced: list[tuple[Any, str, Any, Any]] = []
        """The changes of ``replace``: a class or a namespace, a name in it, the old value and the new one."""
        with self._importing():
            if changed not in SHARED:
                for name in SHARED:
                    sys.modules[f"{self._package}.{name}"] = importlib.import_module(f"reference_impl.{name}")
            for name in packages():
                self._postpone(name)
            if changed in core() and code is not None:
                self._execute(changed, code)
            for name in core():
                self._modules[name] = importlib.import_module(f"{self._package}.{name}")
        if changed != _SCRIPT:
            self._modules[_SCRIPT].__dict__["run_script"] = _remembered
        self.operations: dict[str, Callable[[Any], Any]] = self._modules[_SERVING].OPERATIONS
        if self._overlay is not None:
            self._load(self._overlay, changed if changed not in core() else None, code)
            self.operations = self._modules[f"{self._overlay}.{OPERATIONS}"].OPERATIONS
        self._modules[_SERVING].TABLES[spec] = self.operations  # nothing of a copy can be imported later
        if changed is not None and changed not in core():
            self._load(changed.partition(".")[0], changed, code)

    @contextlib.contextmanager
    def _importing(self) -> Iterator[None]:
        """Makes this copy's modules importable, only within the block."""
        for folder in ("", *sorted({name.rpartition(".")[0] for name in core()} - {""})):
            package = _Empty(f"{self._package}.{folder}".rstrip("."))
            package.__path__ = [str(REFERENCE / folder)]
            sys.modules[package.__name__] = package
        sys.modules.update({f"{self._package}.{name}": module for name, module in self._modules.items()})
        finder = _Modules(self._package)
        sys.meta_path.insert(0, finder)
        try:
            yield
        finally:
            sys.meta_path.remove(finder)
            for name in [name for name in sys.modules if name.partition(".")[0] == self._package]:
                del sys.modules[name]

    def _postpone(self, package: str) -> None:
        """Registers operations that load their package on first use."""

        def load_and_answer(op: str, input_: Any) -> Any:
            self._load(package)
            return self.operations[op](input_)

        stand_in = ModuleType(f"{self._package}.{package}.{OPERATIONS}")
        names = importlib.import_module(f"reference_impl.{package}.{OPERATIONS}").OPERATIONS
        stand_in.__dict__["OPERATIONS"] = {op: functools.partial(load_and_answer, op) for op in names}
        sys.modules[stand_in.__name__] = stand_in

    def _load(self, package: str, changed: str | None = None, code: CodeType | None = None) -> None:
        """Loads the modules of a package, one of them changed, unless they are loaded already."""
        if f"{package}.{OPERATIONS}" in self._modules:
            return
        with self._importing():
            parent = _Empty(f"{self._package}.{package}")
            parent.__path__ = [str(REFERENCE / package)]
            sys.modules[parent.__name__] = parent
            if changed is not None and code is not None:
                self._execute(changed, code)
            for name in modules_below(REFERENCE / package):
                self._modules[name] = importlib.import_module(f"{self._package}.{name}")
        if package != self._overlay:
            self.operations.update(self._modules[f"{package}.{OPERATIONS}"].OPERATIONS)

    def _execute(self, name: str, code: CodeType) -> None:
        """Executes a changed module before others import it; its own imports come first automatically."""
        module = ModuleType(f"{self._package}.{name}")
        module.__package__ = module.__name__.rpartition(".")[0]
        module.__file__ = str(module_path(name))
        sys.modules[module.__name__] = module
        exec(code, module.__dict__)  # noqa: S102 - our own source, changed on purpose

    def module(self, name: str) -> ModuleType:
        """The copy's module with that name, such as ``summation`` or ``evsys.metrics``."""
        if (package := name.partition(".")[0]) in packages():
            self._load(package)
        return self._modules[name]

    def modules(self) -> list[ModuleType]:
        """All modules of the copy, for every spec."""
        for package in packages():
            self._load(package)
        return list(self._modules.values())

    @overload
    def its(self, pristine: tuple[Any, Any]) -> Any: ...

    @overload
    def its(self, pristine: _T) -> _T: ...

    def its(self, pristine: Any) -> Any:
        """This copy's own version of a class, function or module of the reference, in its current state.

        Copies have their own classes: an entry must raise, create and test for the copy's.
        """
        path = path_of(pristine)
        if isinstance(pristine, ModuleType):
            return self.module(path)
        holder, name = self._holder(path)
        return getattr(holder, name)

    def module_of(self, pristine: Any) -> ModuleType:
        """This copy's version of the module that defines a class or function of the reference."""
        return self.module(path_of(sys.modules[pristine.__module__]))

    def get(self, place: Place) -> Any:
        """The current function at ``place``, for wrapping."""
        path = path_of(place)
        self._put.discard(path)
        holder, name = self._holder(path)
        return getattr(holder, name)

    def replace(self, place: Place, by: Any) -> None:
        """Puts ``by`` at ``place``, in every module that imported it and every table that contains it.

        A part of a module that all copies share is replaced only in the modules that imported it.

        Raises:
            PlaceError: the reference has no such place.
        """
        path = path_of(place)
        holder, name = self._holder(path)
        if path in self._put:
            self.overridden.add(path)
        self._put.add(path)
        old = getattr(holder, name)
        if not isinstance(holder, ModuleType):
            self.replaced.append((holder, name, vars(holder).get(name, NOTHING), by))
            setattr(holder, name, by)
            return
        for names, tables in self._private_names():
            if names.get(name) is old:
                self._put_at(names, name, by)
            for table in map(names.get, tables) if callable(old) else ():
                if isinstance(table, dict):
                    for key in [key for key, value in table.items() if value is old]:
                        self._put_at(table, key, by)

    def _put_at(self, names: dict[str, Any], name: str, by: Any) -> None:
        self.replaced.append((names, name, names[name], by))
        names[name] = by

    def _private_names(self) -> list[tuple[dict[str, Any], list[str]]]:
        """The namespaces of this copy's own modules, and the names of their tables of functions."""
        if self._looked_at != len(self._modules):  # one was loaded since
            self._looked_at = len(self._modules)
            own = [
                vars(module)
                for module in self._modules.values()
                if (module.__package__ or "").partition(".")[0] == self._package
            ]
            self._private = [(names, list(_tables(names))) for names in own]
        return self._private

    def replace_use(self, place: Place, by: Any) -> None:
        """Puts ``by`` at ``place`` only: changes one module's use of a rule that others keep.

        Raises:
            PlaceError: the reference has no such place.
        """
        holder, name = self._holder(path_of(place))
        setattr(holder, name, by)

    def wrap(self, place: Place, around: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Replaces the function at ``place`` by ``around(function)``."""
        self.replace(place, around(self.get(place)))

    def wrap_op(self, op: str, around: Callable[[Callable[[Any], Any]], Callable[[Any], Any]]) -> None:
        """Replaces a whole operation: a function from protocol ``input`` to protocol ``ok``."""
        for package in packages():
            if op in importlib.import_module(f"reference_impl.{package}.{OPERATIONS}").OPERATIONS:
                self._load(package)
        self.operations[op] = around(self.operations[op])

    def _holder(self, path: str) -> tuple[Any, str]:
        module, *middle, name = path.split(".")
        if _is_package(module):
            module = f"{module}.{middle.pop(0)}"
        holder: Any = self._redefined(module, middle[0] if middle else name) or self.module(module)
        for part in middle:
            holder = getattr(holder, part)
        getattr(holder, name)
        return holder, name

    def _redefined(self, module: str, name: str) -> ModuleType | None:
        """The overlay's module of the same name, if it defines this name itself."""
        overlaid = self._modules.get(f"{self._overlay}.{module}")
        held = vars(overlaid).get(name) if overlaid is not None else None
        if overlaid is None or held is None or held is vars(self.module(module)).get(name):
            return None
        return overlaid

    def answer(self, op: str, input_: Any) -> Ok | Refused:
        """The copy's answer to an input, in the form of a runner's parsed reply."""
        with any_digits():
            try:
                text = self._modules[_SERVING]._to_json(self.operations[op](input_))
                value = strict_json(text.encode("ascii"))
                return Ok(meant_at(value, OPS[op].ok_numbers) if _A_SPELLING.search(text) else value)
            except Exception as error:
                return Refused(type(error).__name__, getattr(error, "reason_code", None))


def _tables(names: dict[str, Any]) -> Iterator[str]:
    """The names of a module's tables of functions."""
    for name, value in names.items():
        if isinstance(value, dict) and not name.startswith("__") and any(map(callable, value.values())):
            yield name
