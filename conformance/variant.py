"""Private copies of the reference implementation whose rules can be replaced, one copy beside another.

A known mistake (``conformance.mistakes``) and a mutant (``conformance.mutants``) are such copies with a small
change each. The packages of the further specs are loaded when something in them is first asked for: most
copies never need them.
"""

import contextlib
import functools
import importlib
import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import reference_impl
from conformance.paths import DEFAULT_SPEC
from conformance.protocol import Ok, Refused, strict_json
from reference_impl.metric_script import run_script

__all__ = ["REFERENCE", "Variant", "module_names", "module_path"]

REFERENCE = Path(reference_impl.__file__).parent
"""The folder of the reference's modules."""

_SHARED = ("_unicode15_data", "unicode15")
"""Large tables and what reads them: the same for every copy, unless a copy replaces them."""
_NOT_MODULES = ("__init__", "_unicode15_generate")
_SCRIPTS = ("metric_operations", "metric_script")
"""The modules of the spec harbor-metric."""
_PACKAGES = {"evsys": "EVSYS_OPERATIONS", "harness_evals": "HARNESS_OPERATIONS"}
"""The packages of further specs, and the table of operations in each one's module ``operations``."""
_numbers = itertools.count(1)
_remembered = functools.lru_cache(maxsize=1024)(run_script)
"""What scripts did: a process takes ten times as long as all else, and copies ask for the same ones."""


@functools.cache
def module_names(spec: str = DEFAULT_SPEC) -> tuple[str, ...]:
    """The modules that the reference has for a spec, by name; the other specs' build on harbor-0.13.1's."""
    if spec == "harbor-metric":
        return _SCRIPTS
    if (package := spec.replace("-", "_")) in _PACKAGES:
        return tuple(f"{package}.{name}" for name in _package_modules(package))
    return tuple(sorted({path.stem for path in REFERENCE.glob("*.py")} - {*_NOT_MODULES, *_SCRIPTS}))


def module_path(name: str) -> Path:
    """The file of a module of the reference, such as ``summation`` or ``evsys.metrics``."""
    return REFERENCE.joinpath(*name.split(".")).with_suffix(".py")


@functools.cache
def _package_modules(name: str) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in (REFERENCE / name).glob("*.py") if path.stem != "__init__"))


@contextlib.contextmanager
def _ints_of_any_size() -> Iterator[None]:
    """Lifts Python's limit on digits, as the reference's program does: its rules count digits themselves."""
    if not hasattr(sys, "set_int_max_str_digits"):  # not in 3.10.0 to 3.10.6
        yield
        return
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(limit)


class _Empty(ModuleType):
    """A package whose ``__init__`` is not run: it would only import every module."""


class Variant:
    """One private copy of the reference, loaded under a name of its own and changed at will.

    Paths such as ``"summation.compensated_sum"``, ``"job_result.JobResult.text"`` or
    ``"evsys.metrics.MeanReward"`` name what is replaced.
    """

    def __init__(self, changed: str | None = None, code: CodeType | None = None) -> None:
        """Loads the copy; with ``changed``, the module of that name is made of ``code``, not of its file."""
        self._package = f"_reference_{next(_numbers)}"
        self._modules: dict[str, ModuleType] = {}
        self._put: set[str] = set()
        self.overridden: set[str] = set()
        """Paths replaced by what did not look at what had been put there before: the first is lost."""
        with self._importing():
            if changed not in _SHARED:
                for name in _SHARED:
                    sys.modules[f"{self._package}.{name}"] = importlib.import_module(f"reference_impl.{name}")
            for name in _PACKAGES:
                self._postpone(name)
            if changed is not None and code is not None and "." not in changed:
                self._execute(changed, code)
            for name in (*module_names(), *_SCRIPTS):
                self._modules[name] = importlib.import_module(f"{self._package}.{name}")
        if changed != "metric_script":
            self._modules["metric_script"].__dict__["run_script"] = _remembered
        self.operations: dict[str, Callable[[Any], Any]] = self._modules["__main__"].OPERATIONS
        if changed is not None and "." in changed:
            self._load(changed.partition(".")[0], changed, code)

    @contextlib.contextmanager
    def _importing(self) -> Iterator[None]:
        """Lets modules of this copy be imported: only meanwhile Python knows those there are."""
        root = _Empty(self._package)
        root.__path__ = [str(REFERENCE)]
        sys.modules[self._package] = root
        sys.modules.update({f"{self._package}.{name}": module for name, module in self._modules.items()})
        try:
            yield
        finally:
            for name in [name for name in sys.modules if name.partition(".")[0] == self._package]:
                del sys.modules[name]

    def _postpone(self, package: str) -> None:
        """Puts operations in place that load their package when one of them is first asked."""
        table = _PACKAGES[package]

        def load_and_answer(op: str, given: Any) -> Any:
            self._load(package)
            return self.operations[op](given)

        stand_in = ModuleType(f"{self._package}.{package}.operations")
        names = getattr(importlib.import_module(f"reference_impl.{package}.operations"), table)
        setattr(stand_in, table, {op: functools.partial(load_and_answer, op) for op in names})
        sys.modules[stand_in.__name__] = stand_in

    def _load(self, package: str, changed: str | None = None, code: CodeType | None = None) -> None:
        """Loads the modules of a package, one of them changed, if they are not there yet."""
        if f"{package}.operations" in self._modules:
            return
        with self._importing():
            parent = _Empty(f"{self._package}.{package}")
            parent.__path__ = [str(REFERENCE / package)]
            sys.modules[parent.__name__] = parent
            if changed is not None and code is not None:
                self._execute(changed, code)
            for name in _package_modules(package):
                path = f"{package}.{name}"
                self._modules[path] = importlib.import_module(f"{self._package}.{path}")
        self.operations.update(getattr(self._modules[f"{package}.operations"], _PACKAGES[package]))

    def _execute(self, name: str, code: CodeType) -> None:
        """Puts a changed module in place before others import it; what it imports comes first by itself."""
        module = ModuleType(f"{self._package}.{name}")
        module.__package__ = module.__name__.rpartition(".")[0]
        module.__file__ = str(module_path(name))
        sys.modules[module.__name__] = module
        exec(code, module.__dict__)  # noqa: S102 - our own source, changed on purpose

    def module(self, name: str) -> ModuleType:
        """The copy's module of that name, such as ``summation`` or ``evsys.metrics``."""
        if (package := name.partition(".")[0]) in _PACKAGES:
            self._load(package)
        return self._modules[name]

    def modules(self) -> list[ModuleType]:
        """All modules of the copy, those of every spec."""
        for package in _PACKAGES:
            self._load(package)
        return list(self._modules.values())

    def get(self, path: str) -> Any:
        """What stands at ``path`` now, to be made part of what is put there."""
        self._put.discard(path)
        holder, name = self._holder(path)
        return getattr(holder, name)

    def replace(self, path: str, by: Any) -> None:
        """Puts ``by`` at ``path``, in every module that imported it and every table that holds it.

        What stands in a module that all copies share is replaced in the modules that imported it.

        Raises:
            AttributeError: there is nothing at ``path``.
        """
        holder, name = self._holder(path)
        if path in self._put:
            self.overridden.add(path)
        self._put.add(path)
        old = getattr(holder, name)
        if not isinstance(holder, ModuleType):
            setattr(holder, name, by)
            return
        for module in self._private_modules():
            if module.__dict__.get(name) is old:
                setattr(module, name, by)
            for table in self._tables(module):
                for key, value in table.items():
                    if value is old and callable(old):
                        table[key] = by

    def _private_modules(self) -> list[ModuleType]:
        """The modules that are this copy's own."""
        return [
            module
            for module in self._modules.values()
            if (module.__package__ or "").partition(".")[0] == self._package
        ]

    def replace_use(self, path: str, by: Any) -> None:
        """Puts ``by`` at ``path`` alone: what one module makes of a rule that others keep.

        Raises:
            AttributeError: there is nothing at ``path``.
        """
        holder, name = self._holder(path)
        setattr(holder, name, by)

    def wrap(self, path: str, around: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Replaces the function at ``path`` by ``around(function)``."""
        self.replace(path, around(self.get(path)))

    def wrap_op(self, op: str, around: Callable[[Callable[[Any], Any]], Callable[[Any], Any]]) -> None:
        """Replaces the answering of a whole operation: protocol ``input`` in, protocol ``ok`` out."""
        for package, table in _PACKAGES.items():
            if op in getattr(importlib.import_module(f"reference_impl.{package}.operations"), table):
                self._load(package)
        self.operations[op] = around(self.operations[op])

    def _holder(self, path: str) -> tuple[Any, str]:
        module, *middle, name = path.split(".")
        if module in _PACKAGES:
            module = f"{module}.{middle.pop(0)}"
        holder: Any = self.module(module)
        for part in middle:
            holder = getattr(holder, part)
        getattr(holder, name)
        return holder, name

    @staticmethod
    def _tables(module: ModuleType) -> Iterator[dict[str, Any]]:
        for name, value in list(module.__dict__.items()):
            if isinstance(value, dict) and not name.startswith("__"):
                yield value

    def answer(self, op: str, given: Any) -> Ok | Refused:
        """What this copy answers to ``input``, as a runner's reply would be read."""
        with _ints_of_any_size():
            try:
                return Ok(
                    strict_json(
                        self._modules["__main__"]._to_json(self.operations[op](given)).encode("ascii")
                    )
                )
            except Exception as error:
                return Refused(type(error).__name__, getattr(error, "reason_code", None))
