"""``mutants --changed`` tries the modules that have changed since all mutants were tried and recorded."""

import json
from pathlib import Path

import pytest

from conformance.mutants import proven

ALL = proven._BESIDE


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    monkeypatch.setattr(proven, "_FILE", tmp_path / "proven.json")
    proven.record("evsys")
    return tmp_path / "proven.json"


def test_nothing_has_changed_since_the_record(recorded, cli) -> None:
    done = cli("kit", "mutants", "--spec", "evsys", "--changed")
    assert (done.returncode, done.stdout.splitlines()[-1][:10]) == (0, "0 mutants:")


@pytest.mark.parametrize("module", ["evsys.registry", "cpython312.summation"])
def test_a_module_that_has_changed_is_tried(module, recorded) -> None:
    record = json.loads(recorded.read_text())
    record["evsys"][module] = "sha256:of another day"
    recorded.write_text(json.dumps(record))
    assert proven.unproven_modules("evsys") == {module}


@pytest.mark.parametrize("spec", ["evsys", "harness-evals"])
def test_all_are_tried_where_there_is_no_record_or_the_mutator_has_changed(spec, recorded) -> None:
    record = json.loads(recorded.read_text())
    record["evsys"][ALL] = "sha256:of another day"
    recorded.write_text(json.dumps(record))
    assert proven.unproven_modules(spec) == set(proven._digests(spec)) - {ALL}


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
