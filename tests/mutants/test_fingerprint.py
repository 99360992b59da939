"""What makes a report stale: another syntax of a file, and no other docstring, comment or line."""

import subprocess
from pathlib import Path

import pytest

from conformance.mistakes.variant import module_names, module_path
from conformance.mutants import fingerprint as fingerprints
from conformance.mutants import syntax as syntax_module
from conformance.mutants.fingerprint import fingerprint, reference_hash
from conformance.mutants.syntax import syntax
from conformance.oracle.environments import OracleError, find_python
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


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("A module.", "Another docstring."),
        ("How many.", "The docstring of an attribute."),
        ('"""An area."""', ""),
        ("A circle's.", "A circle's.\n\n        At length."),
        ("  # for pi", ""),
        ("\n\n\nclass", "\n\n\n\n\nclass"),
        ("LIMIT = 3", "LIMIT = (\n    0x3\n)"),
        ("f * math.pi", "(f * math.pi)"),
        ('"é"', '"\\u00e9"'),
    ],
)
def test_what_is_for_people_does_not_count(old: str, new: str) -> None:
    assert old in SOURCE
    assert syntax(SOURCE.replace(old, new)) == syntax(SOURCE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("f * math", "f / math"),
        ("r**2", "r**3"),
        ("= 1.0", "= 1"),
        ("LIMIT = 3", "LIMIT = '3'"),
        ("LIMIT = 3", "LIMIT: int = 3"),
        ("import math", "from math import pi as math"),
        (".3f", ".4f"),
        ("!r", "!s"),
        ("{**{}}", "{None: {}}"),
        ("r: float, *,", "r: float,"),
        ("def of", "async def of"),
        ("-> float", "-> int"),
        ("        return", "        return None\n        return"),
    ],
)
def test_what_is_for_python_does(old: str, new: str) -> None:
    assert old in SOURCE
    assert syntax(SOURCE.replace(old, new, 1)) != syntax(SOURCE)


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.10", "3.11", "3.12", "3.13"])
def test_every_python_says_the_same(version: str, tmp_path: Path) -> None:
    try:
        python = find_python(version)
    except OracleError:
        pytest.skip(f"no Python {version}")
    (tmp_path / "source.py").write_text(SOURCE, encoding="utf-8")
    files = [str(tmp_path / "source.py"), syntax_module.__file__, *_reference_files()]
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


def _reference_files() -> list[str]:
    names = module_names(DEFAULT_SPEC)
    return [str(module_path(name)) for name in names]


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of one module of the reference, which the hash then takes."""
    path = tmp_path / "plan.py"
    path.write_bytes(module_path("plan").read_bytes())
    monkeypatch.setattr(
        fingerprints, "module_path", lambda name: path if name == "plan" else module_path(name)
    )
    return path


def test_a_docstring_leaves_the_reference_what_it_is(copied: Path) -> None:
    before = reference_hash()
    copied.write_text('"""Other words."""\n' + copied.read_text(encoding="utf-8").partition('"""\n')[2])
    assert reference_hash() == before
    copied.write_text(copied.read_text(encoding="utf-8") + "\nMORE = 1\n")
    assert reference_hash() != before


def test_the_parts_of_a_fingerprint() -> None:
    found = fingerprint(DEFAULT_SPEC)
    assert list(found) == ["reference", "vectors", "mutator"]
    assert found["reference"] == reference_hash()
    assert len({*found.values()}) == 3
