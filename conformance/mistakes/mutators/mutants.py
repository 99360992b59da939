"""Generates a module's mutants, each with an id that survives edits elsewhere in the file."""

import ast
import re
import warnings
from collections import Counter
from dataclasses import dataclass
from types import CodeType

from conformance.mistakes.modules import module_path
from conformance.mistakes.mutators import statements, texts
from conformance.mistakes.mutators.operators import operators
from conformance.mistakes.mutators.sites import Site, sites

__all__ = ["Mutant", "mutants_of", "reference_source"]

OPERATOR_MODULES = (statements, texts)
"""Importing these modules registers their operators, after those of ``operators``."""

_LONGEST = 100
"""The most characters shown of a line; longer ones are cut around the change."""

_NAMES = re.compile(r"\(([\w*]+(?:, [\w*]+)+)\)(?= in | = )")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One small change to one module."""

    module: str
    function: str
    """The function, ``Class.method`` or module-level name that contains it."""
    operator: str
    ordinal: int
    """The number of the operator's change to the function, from 1."""
    before: str
    """The original line, around the change."""
    after: str
    """The mutant's line, around the change."""
    site: Site
    node: ast.AST
    tree: ast.Module

    @property
    def id(self) -> str:
        """``module:function:operator:ordinal``."""
        return f"{self.module}:{self.function}:{self.operator}:{self.ordinal}"

    def code(self) -> CodeType:
        """The changed module, compiled.

        Raises:
            SyntaxError: the change is not a valid program.
        """
        self.site.put(self.node)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # warnings such as for "is" with a literal
                return compile(self.tree, f"<{self.id}>", "exec")
        finally:
            self.site.put(self.site.node)


def reference_source(module: str) -> str:
    """The source of one of the reference's modules."""
    return module_path(module).read_text(encoding="utf-8")


def mutants_of(module: str, source: str) -> list[Mutant]:
    """The mutants of a module, in source order; they depend only on the source."""
    tree = ast.parse(source)
    counts: Counter[tuple[str, str]] = Counter()
    mutants: list[Mutant] = []
    changes: set[tuple[str, str, str]] = set()
    for site in sites(tree):
        for operator, node in operators(site):
            ast.fix_missing_locations(node)
            before, after = _lines(site, node)
            line = f"{getattr(site.statement, 'lineno', 0)}"
            if before == after or (line, before, after) in changes:
                continue  # two changes that give the same program
            changes.add((line, before, after))
            key = (site.function, operator)
            counts[key] += 1
            mutants.append(Mutant(module, *key, counts[key], *_shortened(before, after), site, node, tree))
    return mutants


def _lines(site: Site, node: ast.AST) -> tuple[str, str]:
    """The statement around a change, before and after."""
    if site.node is site.statement:
        return _line(site.node), _line(node)
    before = _line(site.statement)
    site.put(node)
    try:
        return before, _line(site.statement)
    finally:
        site.put(site.node)


def _line(node: ast.AST) -> str:
    """A statement on one line; only the header of a compound statement.

    Quotes are normalised, and unpacked names have no parentheses, since the spelling of f-strings and tuples
    depends on the Python version.
    """
    return _NAMES.sub(r"\1", _unparsed(node)).replace('"', "'")


def _unparsed(node: ast.AST) -> str:
    match node:
        case ast.FunctionDef(name=name, args=args):
            return f"def {name}({ast.unparse(args)}):"
        case ast.ExceptHandler(type=type_):
            return f"except {ast.unparse(type_)}:" if type_ is not None else "except:"
        case ast.If(test=test):
            return f"if {ast.unparse(test)}:"
        case ast.While(test=test):
            return f"while {ast.unparse(test)}:"
        case ast.For(target=target, iter=iterated):
            return f"for {ast.unparse(target)} in {ast.unparse(iterated)}:"
    return " ".join(ast.unparse(node).split("\n"))


def _shortened(before: str, after: str) -> tuple[str, str]:
    """Cuts long lines on both sides of their difference."""
    if max(len(before), len(after)) <= _LONGEST:
        return before, after
    start = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    shortest = min(len(before), len(after)) - start
    end = next((i for i in range(shortest) if before[-1 - i] != after[-1 - i]), shortest)
    return _window(before, start, end), _window(after, start, end)


def _window(line: str, start: int, end: int) -> str:
    first, last = max(0, start - 40), min(len(line), len(line) - end + 40)
    middle = line[first:last]
    if len(middle) > 2 * _LONGEST:
        middle = f"{middle[:_LONGEST]} ... {middle[-_LONGEST:]}"
    return ("..." if first else "") + middle + ("..." if last < len(line) else "")
