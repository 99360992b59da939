"""Each operator on a snippet; what is left alone; ids that outlive edits."""

import ast
import textwrap

import pytest

from conformance.mistakes.variant import module_names
from conformance.mutants.mutator import Mutant, mutants_of, reference_source
from conformance.mutants.sites import sites


def mutants(source: str, operator: str | None = None) -> list[Mutant]:
    found = mutants_of("made", textwrap.dedent(source))
    return [mutant for mutant in found if operator in (None, mutant.operator)]


def after(source: str, operator: str) -> list[str]:
    return [mutant.after for mutant in mutants(source, operator)]


@pytest.mark.parametrize(
    ("operator", "source", "expected"),
    [
        ("arithmetic", "x = a * b", ["x = a / b", "x = a + b"]),
        ("arithmetic", "x = a % b", ["x = a // b"]),
        ("operand", "x = a + b", ["x = a", "x = b"]),
        ("comparison", "x = a < b", ["x = a <= b", "x = a >= b", "x = a != b"]),
        ("comparison", "x = a is b", ["x = a is not b"]),
        ("and-or", "x = a or b", ["x = a and b", "x = b", "x = a"]),
        ("not", "x = not a", ["x = a"]),
        ("not", "x = -a", ["x = a"]),
        ("condition", "if a(): b()", ["if True:", "if False:", "if not a():"]),
        (
            "condition",
            "x = [a for a in b if a > c]",
            ["x = [a for a in b if True]", "x = [a for a in b if False]"],
        ),
        ("number", "x = 5", ["x = 6", "x = 4", "x = 0"]),
        ("number", "x = 0.0", ["x = 1.0", "x = -0.0"]),
        ("flag", "x = True", ["x = False"]),
        ("none", "x = None", ["x = 0"]),
        ("text", "x = 'word'", ["x = ''", "x = 'word?'"]),
        ("text", "x = '.e'", ["x = ''", "x = '.e?'", "x = 'e'", "x = '.'"]),
        (
            "text",
            "x = y.decode('utf-8', 'replace')",
            [
                "x = y.decode('latin-1', 'replace')",
                "x = y.decode('utf-8-sig', 'replace')",
                "x = y.decode('utf-8', 'ignore')",
                "x = y.decode('utf-8', 'backslashreplace')",
            ],
        ),
        ("bytes", "x = b'1\\n'", ["x = b''", "x = b'\\n'", "x = b'1'"]),
        ("pattern", "x = re.compile('a+')", ["x = re.compile('a')", "x = re.compile('a*')"]),
        ("element", "x = {1: 2, 3: 4}", ["x = {3: 4}", "x = {1: 2}"]),
        ("element", "x = {1}", ["x = set()"]),
        ("element", "x = [(1, 2)]", ["x = []"]),
        ("order", "x = [a, b, c]", ["x = [b, a, c]", "x = [a, c, b]"]),
        ("arguments", "x = f(a, b)", ["x = f(b, a)", "x = f(a)"]),
        ("arguments", "x = d.get(a, 0)", ["x = d.get(0, a)", "x = d.get(a)"]),
        ("keyword", "f(a=1, b=2)", ["f(b=2)", "f(a=1)", "f(a=2, b=1)"]),
        ("function", "x = max(a)", ["x = min(a)"]),
        ("call-dropped", "x = sorted(a)", ["x = a"]),
        ("call-dropped", "x = a.strip()", ["x = a"]),
        ("call-dropped", "x = list(filter(f, a))", ["x = filter(f, a)", "x = list(a)"]),
        ("method", "x = a.strip()", ["x = a.lstrip()", "x = a.rstrip()"]),
        ("slice", "x = a[:n]", ["x = a[:]", "x = a[:n + 1]", "x = a[:n - 1]"]),
        ("loop", "for a in b: pass", ["for a in ():", "for a in list(b)[:1]:", "for a in list(b)[1:]:"]),
        ("assignment", "x += 1", ["x = 1"]),
        ("yield", "def f():\n    yield 1", ["yield None"]),
        ("return", "def f() -> int | None:\n    return x", ["return 0", "return 1", "return None"]),
        ("return", "def f() -> list[int]:\n    return x", ["return []"]),
        ("removal", "def f():\n    x = 1\n    g(x)", ["pass", "pass"]),
        ("loop-control", "for a in b:\n    continue", ["break"]),
        ("raise", "raise ValueError('no')", ["raise TypeError"]),
        ("raise", "raise KeyError", ["raise ValueError"]),
        (
            "except",
            "try:\n    f()\nexcept KeyError:\n    pass",
            ["except Exception:", "except ArithmeticError:", "except ValueError:"],
        ),
        (
            "except",
            "try:\n    f()\nexcept (A, B):\n    pass",
            [
                "except (B,):",
                "except (A,):",
                *(f"except {e}:" for e in ("Exception", "ArithmeticError", "ValueError")),
            ],
        ),
    ],
)
def test_operator(operator: str, source: str, expected: list[str]) -> None:
    assert after(source, operator) == expected


def test_a_table_is_sampled() -> None:
    table = " ".join(f"{code:x}-{code + 5:x}" for code in range(0x100, 0x800, 0x10))
    changed = after(f"T = '{table}\\n'", "table")
    assert len(changed) == 20
    assert "T = ' 110-115" in changed[0]
    assert "T = '100-106 110-115" in changed[1]


@pytest.mark.parametrize(
    "source",
    [
        '"""Prose with 1 number."""',
        'class A:\n    """Prose."""\n    a: int\n    """More."""',
        "def f(a: 1 | 2 = x) -> 'text': ...",
        "__all__ = ['a', 'b']",
        "Json = None | int | list['Json']",
        "from a import b",
        "@dataclass(frozen=True)\nclass A: ...",
        "VERSION = '1.0'",
        "def main():\n    print(1)",
        "if __name__ == '__main__':\n    main(1)",
        "class ThisError(Exception):\n    def __init__(self, a):\n        super().__init__('text', a + 1)",
    ],
)
def test_left_alone(source: str) -> None:
    assert mutants(source) == []


def test_what_an_error_is_raised_with_is_left_alone() -> None:
    assert after("raise ValueError(f'more than {1 + 2}', 3)", "text") == []
    assert {mutant.operator for mutant in mutants("raise ValueError('a' + str(1), 2)")} == {"raise"}


def test_docstrings_of_the_reference_stay() -> None:
    for name in module_names():
        tree = ast.parse(reference_source(name))
        prose = {
            id(node.body[0])
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node)
        }
        assert prose
        assert not prose & {id(site.node) for site in sites(tree)}


SOURCE = """
def first(a):
    return a + 1

def second(b):
    return b < 2
"""


def test_ids_outlive_edits_elsewhere() -> None:
    before = {mutant.id: (mutant.before, mutant.after) for mutant in mutants(SOURCE)}
    edited = SOURCE.replace("def first(a):", "def zeroth(c):\n    return c * 3 > 4\n\n\ndef first(a):")
    now = {mutant.id: (mutant.before, mutant.after) for mutant in mutants(edited)}
    assert before.items() < now.items()
    assert "made:second:comparison:1" in before


def test_ids_say_where() -> None:
    found = mutants("class A:\n    def f(self):\n        return 1 + 2\n\nT = {'k': 3}", "number")
    assert [mutant.id for mutant in found][-1] == "made:T:number:3"
    assert found[0].id == "made:A.f:number:1"


def test_every_mutant_of_the_reference_is_a_program_of_its_own() -> None:
    assert mutants_of("runner.serving", reference_source("runner.serving")) == []  # no vector asks the loop
    for name in module_names():
        if name == "runner.serving":
            continue
        source = reference_source(name)
        found = mutants_of(name, source)
        plain = compile(ast.parse(source), "x", "exec")
        assert len({mutant.id for mutant in found}) == len(found) > 5
        for mutant in found[:: max(1, len(found) // 15)]:
            assert mutant.before != mutant.after
            assert mutant.code() != plain
        assert ast.dump(found[0].tree) == ast.dump(ast.parse(source))  # each change is taken back


def test_a_long_line_is_cut_around_the_change() -> None:
    (first, *_) = mutants("x = f('" + "a" * 200 + "', 1, '" + "b" * 200 + "')", "number")
    assert first.before.startswith("...aaa")
    assert first.before.endswith("bbb...")
    assert "', 1, '" in first.before
    assert "', 2, '" in first.after
