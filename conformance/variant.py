"""Private copies of the reference implementation whose rules can be replaced, one copy beside another.

A known mistake (``conformance.mistakes``) and a mutant (``conformance.mutants``) are such copies with a small
change each.
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
from conformance.protocol import Ok, Refused, strict_json

__all__ = ["REFERENCE", "Variant", "module_names"]

REFERENCE = Path(reference_impl.__file__).parent
"""The folder of the reference's modules."""

_SHARED = ("_unicode15_data", "unicode15")
"""Large tables and what reads them: the same for every copy, unless a copy replaces them."""
_NOT_MODULES = ("__init__", "_unicode15_generate")
_numbers = itertools.count(1)


@functools.cache
def module_names() -> tuple[str, ...]:
    """The modules of the reference that take part in answering, by name."""
    return tuple(sorted({path.stem for path in REFERENCE.glob("*.py")} - {*_NOT_MODULES}))


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

    Paths such as ``"summation.compensated_sum"`` or ``"job_result.JobResult.text"`` name what is replaced.
    """

    def __init__(self, changed: str | None = None, code: CodeType | None = None) -> None:
        """Loads the copy; with ``changed``, the module of that name is made of ``code``, not of its file."""
        package = f"_reference_{next(_numbers)}"
        root = _Empty(package)
        root.__path__ = [str(REFERENCE)]
        sys.modules[package] = root
        try:
            if changed not in _SHARED:
                for name in _SHARED:
                    sys.modules[f"{package}.{name}"] = importlib.import_module(f"reference_impl.{name}")
            if changed is not None and code is not None:
                self._execute(package, changed, code)
            self._modules = {name: importlib.import_module(f"{package}.{name}") for name in module_names()}
        finally:
            for name in [name for name in sys.modules if name.partition(".")[0] == package]:
                del sys.modules[name]
        self.operations: dict[str, Callable[[Any], Any]] = self._modules["__main__"].OPERATIONS

    @staticmethod
    def _execute(package: str, name: str, code: CodeType) -> None:
        """Puts a changed module in place before others import it; what it imports comes first by itself."""
        module = ModuleType(f"{package}.{name}")
        module.__package__ = package
        module.__file__ = str(REFERENCE / f"{name}.py")
        sys.modules[module.__name__] = module
        exec(code, module.__dict__)  # noqa: S102 - our own source, changed on purpose

    def module(self, name: str) -> ModuleType:
        """The copy's module of that name."""
        return self._modules[name]

    def get(self, path: str) -> Any:
        """What stands at ``path`` now."""
        holder, name = self._holder(path)
        return getattr(holder, name)

    def replace(self, path: str, by: Any) -> None:
        """Puts ``by`` at ``path``, in every module that imported it and every table that holds it.

        Raises:
            AttributeError: there is nothing at ``path``.
        """
        holder, name = self._holder(path)
        old = getattr(holder, name)
        setattr(holder, name, by)
        if not isinstance(holder, ModuleType):
            return
        for module in self._modules.values():
            if module.__dict__.get(name) is old:
                setattr(module, name, by)
            for table in self._tables(module):
                for key, value in table.items():
                    if value is old and callable(old):
                        table[key] = by

    def wrap(self, path: str, around: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Replaces the function at ``path`` by ``around(function)``."""
        self.replace(path, around(self.get(path)))

    def wrap_op(self, op: str, around: Callable[[Callable[[Any], Any]], Callable[[Any], Any]]) -> None:
        """Replaces the answering of a whole operation: protocol ``input`` in, protocol ``ok`` out."""
        self.operations[op] = around(self.operations[op])

    def _holder(self, path: str) -> tuple[Any, str]:
        module, *middle, name = path.split(".")
        holder: Any = self._modules[module]
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
