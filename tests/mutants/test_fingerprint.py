"""What makes a proof stale: another syntax of a file, and no other docstring, comment or line."""

import json
import subprocess
from pathlib import Path

import pytest

from conformance.mistakes.variant import module_names, module_path
from conformance.mutants import proven
from conformance.mutants import syntax as syntax_module
from conformance.mutants.syntax import syntax
from conformance.oracle.python import OracleError, locate
from conformance.paths import DEFAULT_SPEC

SOURCE = '''"""A module."""

import math  # for pi

LIMIT = 3
"""How many."""


class Area:
    """An area."""

    def of(self, r: float, *, f: float = 1.0) -> float:
        """A circle's."""
        return f * math.pi * r**2 if f"{r:.3f}" "a" f"{f!r}" != "" else {**{}}["é"]
'''


def test_what_is_for_python_counts_and_what_is_for_people_does_not() -> None:
    edits = json.loads(Path(__file__).with_name("fingerprint.json").read_text("utf-8"))
    for whom, count in (("for people", -1), ("for Python", 1)):
        for old, new in edits[whom]:
            assert old in SOURCE
            same = syntax(SOURCE.replace(old, new, count)) == syntax(SOURCE)
            assert same == (whom == "for people"), (old, new)


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.10", "3.11", "3.12", "3.13"])
def test_every_python_says_the_same(version, tmp_path) -> None:
    try:
        python = locate(version).path
    except OracleError:
        pytest.skip(f"no Python {version}")
    (tmp_path / "source.py").write_text(SOURCE, encoding="utf-8")
    reference = [str(module_path(name)) for name in module_names(DEFAULT_SPEC)]
    files = [str(tmp_path / "source.py"), syntax_module.__file__, *reference]
    program = (
        "import runpy, sys\n"
        "syntax = runpy.run_path(sys.argv[1])['syntax']\n"
        "print(*(syntax(open(path, 'rb').read()) for path in sys.argv[2:]), sep='\\n')\n"
    )
    done = subprocess.run(
        [python, "-I", "-c", program, syntax_module.__file__, *files],
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=True,
    )
    assert done.stdout.splitlines() == [syntax(Path(path).read_bytes()) for path in files]


def test_the_mutator_is_another_where_its_code_is(tmp_path, monkeypatch) -> None:
    """A docstring changes nothing."""
    before, text = [*proven._deciding()], Path(proven.variant.__file__).read_text("utf-8")
    path = tmp_path / "variant.py"
    monkeypatch.setattr(proven.variant, "__file__", str(path))
    for changed, same in ((text.replace('"""', '"""More. ', 1), True), (text + "\nMORE = 1\n", False)):
        path.write_text(changed, encoding="utf-8")
        assert ([*proven._deciding()] == before) is same
