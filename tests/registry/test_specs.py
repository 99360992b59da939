"""More than one spec: a run is of one, each has vectors, classes and an oracle of its own.

The kit has few vectors here: ten of ``evsys``, and one of harbor.
"""

from pathlib import Path

import pytest

from conformance import paths
from conformance.oracle import environments, regen
from conformance.oracle.python import Python
from conformance.registry.ops import SPECS
from conformance.suite.vectors import VectorFileError, load_file, refuse_others, section_files
from tests.oracle.in_process import answering, by_input, instead_of_processes


@pytest.fixture
def answered(few, monkeypatch):
    """Regeneration asks what has the answers of the few vectors in place of the oracle, in this process."""
    instead_of_processes(monkeypatch)
    source = answering("evsys-sdk-source", by_input(*few.vectors("compute"), *few.vectors("registry")))
    monkeypatch.setattr(regen, "sources", lambda spec, progress: [source])
    return few


def test_a_run_is_of_one_spec_that_there_is(few, vectors) -> None:
    with pytest.raises(VectorFileError, match=r"^there is no spec 'ev'; choose one of harbor-0\.13\.1, har"):
        section_files("ev")
    with pytest.raises(VectorFileError, match=r"^harness-evals has no vectors: there is no folder /"):
        section_files("harness-evals")
    of_harbor, of_evsys = vectors.load(vectors.entry("one")), load_file(few.file("compute"))
    refuse_others(of_evsys, "evsys")
    with pytest.raises(VectorFileError) as refused:
        refuse_others([*of_evsys, *of_harbor], "evsys")
    told = f"{of_harbor[0].file}: {of_harbor[0].id} belongs to harbor-0.13.1, not to evsys"
    assert str(refused.value) == f"{told}: run it with --spec harbor-0.13.1"


def test_an_installed_kit_has_its_data_within_the_package(tmp_path) -> None:
    package = tmp_path / "conformance"
    (package / "data" / "schemas").mkdir(parents=True)
    assert paths._data_of(package, "schemas") == package / "data" / "schemas"
    assert paths._data_of(package, "vectors") == tmp_path / "vectors"


def test_an_unknown_spec_is_one_sentence_and_help_names_the_specs(cli, tmp_path) -> None:
    for command in ("run", "baseline", "explain", "kit regen", "kit oracle", "doctor"):
        words = ["--runner", "a"] if command in ("run", "baseline") else []
        done = cli(*command.split(), *words, "--spec", "ev")
        sentence = f"harbor-conformance: there is no spec 'ev'; choose one of {', '.join(SPECS)}\n"
        assert (done.returncode, done.stderr, done.stdout) == (2, sentence, ""), command
        assert ",".join(SPECS) in "".join(cli(*command.split(), "-h").stdout.split()), command
    done = cli("check", tmp_path, "--spec", "evsys")
    assert done.returncode == 2
    assert "Invalid value for '--spec': 'evsys' is not 'harbor-0.13.1'." in done.stderr


@pytest.mark.slow
def test_doctor_looks_at_every_spec_and_oracle(answered, cli, hostile_text, tmp_path, monkeypatch) -> None:
    python = Python("CPython", "3.12.1", Path("/a/python3.12"))  # the one that oracles would be built with
    monkeypatch.setattr(environments, "locate", lambda *_, **__: python)
    cache = {"HARBOR_CONFORMANCE_CACHE": str(tmp_path / "cache")}
    answered.file("lock").unlink()
    asked = ("doctor", "--spec", "evsys", "--runner", hostile_text(answered.file("compute")))
    done = cli(*asked, **cache)
    assert done.returncode == 1
    assert f"{answered.vectors()[0]['id']} is not in the lock" in done.stdout
    assert cli("kit", "regen", "--spec", "evsys").returncode == 0
    done = cli(*asked, **cache)
    assert done.returncode == 0, done.stdout
    assert "10 of evsys, each as locked" in done.stdout
    assert "evsys.compute" in done.stdout
    for name, spec in (("harbor-0.13.1", "harbor-0.13.1"), ("harness-evals-0.25.5", "harness-evals")):
        missing = f"{name} is not built yet: run harbor-conformance kit oracle --spec {spec}"
        assert missing in done.stdout


@pytest.mark.slow
def test_regen_without_an_oracle_is_one_sentence(few, cli, monkeypatch) -> None:
    done = cli("kit", "regen", "--spec", "evsys", HARBOR_CONFORMANCE_PYTHON="/nowhere/python")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "HARBOR_CONFORMANCE_PYTHON is /nowhere/python" in done.stderr


def test_pytest_refuses_what_belongs_to_another_spec(few, run_pytest, vectors) -> None:
    path = vectors.several(1)
    result = run_pytest(path, "--runner", "a", "--conformance-spec", "evsys")
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: {path}: harbor-0.13.1/evals_key/v0 belongs to harbor-0.13.1, *"])
    folder = few.root / "evsys"
    result = run_pytest(folder, "--runner", "a")
    assert result.ret == 4
    said = f"ERROR: {folder} holds the vectors of evsys: run it with --conformance-spec evsys"
    result.stderr.fnmatch_lines([said])
