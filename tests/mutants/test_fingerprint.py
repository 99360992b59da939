"""What makes a proof stale: another syntax of a file, and no other docstring, comment or line."""

import json
from pathlib import Path

from conformance.mutants import proven

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
            same = proven._syntax(SOURCE.replace(old, new, count)) == proven._syntax(SOURCE)
            assert same == (whom == "for people"), (old, new)


def test_the_mutator_is_another_where_its_code_is(tmp_path, monkeypatch) -> None:
    """A docstring changes nothing."""
    before, text = [*proven._deciding()], Path(proven.variant.__file__).read_text("utf-8")
    path = tmp_path / "variant.py"
    monkeypatch.setattr(proven.variant, "__file__", str(path))
    for changed, same in ((text.replace('"""', '"""More. ', 1), True), (text + "\nMORE = 1\n", False)):
        path.write_text(changed, encoding="utf-8")
        assert ([*proven._deciding()] == before) is same
