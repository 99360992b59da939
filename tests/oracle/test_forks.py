"""Forks where they are: what a path may be, what is refused, and that nothing is written there."""

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.oracle import forks
from conformance.oracle.building import python_in
from conformance.oracle.forks import attach
from conformance.oracle.python import OracleError

pytestmark = pytest.mark.slow

PYPROJECT = '[project]\nname = "harbor"\nversion = "0.99.1"\ndependencies = []\n'


def site_of(environment):
    found = next(environment.glob("lib/python3*/site-packages"), None)
    return found or environment / "Lib" / "site-packages"


def put(site, *packages, named=True):
    for package in packages:
        (site / package).mkdir(parents=True)
        (site / package / "__init__.py").touch()
    if named:
        (site / "harbor-0.99.1.dist-info").mkdir(parents=True)
        (site / "harbor-0.99.1.dist-info" / "METADATA").write_text("Name: harbor\nVersion: 0.99.1\n")
    return site


@pytest.fixture
def environment(tmp_path):
    """Makes a virtual environment with made-up packages."""
    if sys.version_info < (3, 11):
        pytest.skip("harbor, and so a fork, needs Python 3.11 or newer")

    def make(*packages, named=True, at=tmp_path / "venv"):
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", at], check=True, timeout=300)
        put(site_of(at), *packages, named=named)
        return at

    return make


def everything_below(folder):
    return sorted((path, path.lstat().st_mtime_ns) for path in folder.rglob("*"))


def test_an_environment_or_its_python(environment) -> None:
    folder = environment("harbor", "pydantic")
    before = everything_below(folder)
    for path in (folder, python_in(folder)):
        fork = attach(path)
        assert (fork.python, fork.variables) == (python_in(folder), {})
    of_packages = attach(site_of(folder))  # runs on the Python that it is of
    assert (of_packages.python, of_packages.first) == (python_in(folder), site_of(folder))
    assert everything_below(folder) == before


def test_an_environment_that_is_not_whole(environment, tmp_path) -> None:
    for packages, named, sentence in (
        ((), False, "has no harbor: install your fork in it, or give its checkout"),
        (("harbor",), True, "lacks what harbor needs"),
        (("harbor", "pydantic"), False, "lacks harbor's metadata"),
    ):
        with pytest.raises(OracleError, match=sentence):
            attach(environment(*packages, named=named, at=tmp_path / str(len(packages))))


def checkout_in(folder, place="src"):
    """A checkout of a fork, which keeps its package there."""
    put(folder / place, "harbor", named=False)
    (folder / "pyproject.toml").write_text(PYPROJECT)
    return folder


@pytest.mark.parametrize("place", ["src", "."])
def test_a_checkout_with_its_own_environment(environment, tmp_path, place) -> None:
    checkout = checkout_in(tmp_path / "checkout", place)
    own = environment("pydantic", at=checkout / ".venv")  # an older harbor in it would come second
    fork = attach(checkout)
    assert fork.python == python_in(own)
    assert fork.variables == {"PYTHONPATH": str((checkout / place).absolute())}
    assert {attach(path) == fork for path in (checkout / place, checkout / place / "harbor")} == {True}


def test_a_checkout_gets_what_it_needs(tmp_path, monkeypatch) -> None:
    checkout, built = checkout_in(tmp_path / "checkout"), tmp_path / "built"
    monkeypatch.setattr(forks, "_needs_of", lambda folder, _: built if folder == checkout else None)
    fork = attach(checkout)
    assert (fork.python, fork.first) == (python_in(built), checkout / "src")


def test_a_folder_must_hold_what_harbor_needs(tmp_path, monkeypatch) -> None:
    found = forks.Python("CPython", "3.12.0", Path(sys.executable))
    monkeypatch.setattr(forks, "locate", lambda *_, **__: found)
    whole: Path = put(tmp_path / "whole", "harbor", "pydantic")
    lacking = {True: ("nothing", "1.0"), False: ("needs", "1.0")}
    monkeypatch.setattr(forks, "_missing", lambda _, site: lacking[site == whole])
    assert attach(whole) == forks.Attached(Path(sys.executable), whole, "1.0")
    with pytest.raises(OracleError, match=r"holds harbor, but not all that harbor needs .*give its"):
        attach(put(tmp_path / "alone", "harbor"))


def test_what_is_no_fork_is_a_sentence(tmp_path) -> None:
    for name in ("empty", "other", "bare/src/harbor"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "bare" / "src" / "harbor" / "__init__.py").touch()
    (tmp_path / "file").write_text("text")
    (tmp_path / "other" / "pyproject.toml").write_text(PYPROJECT.replace("harbor", "other"))
    none = "is not a harbor that can be attached: give a virtual environment"
    absent = "There is no .*: give a fork's virtual environment or its checkout"
    sentences = {"absent": absent, "empty": none, "other": none, "file": "does not run as a Python"}
    sentences["bare"] = "has src/harbor, but no pyproject.toml with harbor's dependencies"
    for name, sentence in sentences.items():
        with pytest.raises(OracleError, match=sentence) as caught:
            attach(tmp_path / name)
        assert "\n" not in str(caught.value)
