"""Each operator on a snippet; what is left alone; ids that outlive edits."""

import ast
import json
from pathlib import Path

from conformance.mistakes.mutators.mutants import mutants_of, reference_source
from conformance.mistakes.mutators.sites import sites
from conformance.mistakes.variant import module_names

# By operator and snippet, what the mutants are; and snippets that have none.
DATA = json.loads(Path(__file__).with_name("operators.json").read_text("utf-8"))


def mutants(source, operator=None):
    found = mutants_of("made", source)
    return [mutant for mutant in found if operator in (None, mutant.operator)]


def after(source, operator):
    return [mutant.after for mutant in mutants(source, operator)]


def test_each_operator() -> None:
    wrong = [row for row in DATA["operators"] if after(row[1], row[0]) != row[2]]
    assert not wrong
    assert not [source for source in DATA["left_alone"] if mutants(source)]
    # A table is sampled.
    table = " ".join(f"{code:x}-{code + 5:x}" for code in range(0x100, 0x800, 0x10))
    changed = after(f"T = '{table}\\n'", "table")
    assert len(changed) == 20
    assert "T = ' 110-115" in changed[0]
    assert "T = '100-106 110-115" in changed[1]
    # What an error is raised with is left alone, and a long line is cut around the change.
    assert after("raise ValueError(f'more than {1 + 2}', 3)", "text") == []
    assert {mutant.operator for mutant in mutants("raise ValueError('a' + str(1), 2)")} == {"raise"}
    (first, *_) = mutants("x = f('" + "a" * 200 + "', 1, '" + "b" * 200 + "')", "number")
    assert first.before.startswith("...aaa")
    assert first.before.endswith("bbb...")
    assert "', 1, '" in first.before
    assert "', 2, '" in first.after


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


def test_ids_outlive_edits_elsewhere_and_say_where() -> None:
    source = "def first(a):\n    return a + 1\n\ndef second(b):\n    return b < 2\n"
    before = {mutant.id: (mutant.before, mutant.after) for mutant in mutants(source)}
    edited = source.replace("def first(a):", "def zeroth(c):\n    return c * 3 > 4\n\n\ndef first(a):")
    now = {mutant.id: (mutant.before, mutant.after) for mutant in mutants(edited)}
    assert before.items() < now.items()
    assert "made:second:comparison:1" in before
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
