"""``mutants --changed`` tries the modules that have changed since all mutants were tried and recorded."""

import json

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
