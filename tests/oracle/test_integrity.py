"""An oracle whose files were changed is not asked: they are compared with what was installed."""

import os
import sys
from types import SimpleNamespace

import pytest

from conformance.oracle import environments, integrity, regen
from conformance.oracle.environments import OracleError
from conformance.oracle.of_specs import RECIPES

SITE = "lib/python3.12/site-packages"


@pytest.fixture
def built(tmp_path):
    package = tmp_path / SITE / "right"
    (package / "__pycache__").mkdir(parents=True)
    (package / "__init__.py").write_text("ANSWER = 42\n")
    (package / "__pycache__" / "__init__.cpython-312.pyc").write_bytes(b"42")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    (tmp_path / "lib64").symlink_to("lib")
    (tmp_path / "pyvenv.cfg").write_text("home = /usr/bin\n")
    integrity.write_digests(tmp_path)
    return tmp_path


def test_an_environment_as_installed_and_without_its_list(built) -> None:
    assert integrity.problems(built) == []
    os.unlink(built / "files.json")
    with pytest.raises(OracleError, match="list of files"):
        integrity.problems(built)


def relink(built, name, target) -> None:
    (built / name).unlink()
    (built / name).symlink_to(target)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda built: (built / SITE / "right/__init__.py").write_text("43"), "right/__init__.py is changed"),
        (lambda built: (built / SITE / "right/__init__.py").unlink(), "right/__init__.py is missing"),
        (lambda built: (built / SITE / "more.pth").touch(), "more.pth is an additional file"),
        (lambda built: (built / "lib/python3.12/os.py").touch(), "os.py is an additional file"),
        (lambda built: next(built.glob("lib/**/*.pyc")).write_bytes(b"43"), "cpython-312.pyc is changed"),
        (lambda built: (built / "pyvenv.cfg").write_text("home = /tmp\n"), "pyvenv.cfg is changed"),
        (lambda built: relink(built, "bin/python", "/bin/sh"), "bin/python is changed"),
        (lambda built: relink(built, "lib64", "/tmp"), "lib64 is changed"),
        (lambda built: (built / SITE / "other").symlink_to("/tmp"), "other is an additional file"),
    ],
)
def test_a_change_is_found(built, change, says) -> None:
    change(built)
    (found,) = integrity.problems(built)
    assert found.endswith(says)
    recipe = SimpleNamespace(name="right-1.0", spec="made", variant="")
    with pytest.raises(OracleError, match=r"right-1\.0 is not as it was installed.* --spec made --rebuild"):
        integrity.refuse_changed(built, recipe)


def test_locks_name_versions_and_hashes_and_no_place() -> None:
    for recipe in RECIPES:
        lock = recipe.lock.read_text(encoding="utf-8")
        pinned = [line for line in lock.splitlines() if line[:1].isalnum()]
        assert f"{recipe.package}=={recipe.version} \\" in pinned
        assert all("==" in line and line.endswith("\\") for line in pinned)
        assert lock.count("--hash=sha256:") >= len(pinned)
        assert "://" not in lock
        assert " /" not in lock


@pytest.mark.oracle
def test_doctor_and_regen_refuse_a_changed_oracle(cli, monkeypatch) -> None:
    for recipe in RECIPES:
        environments.ensure(print, recipe=recipe)
    monkeypatch.setattr(regen, "COMPARED", set())
    monkeypatch.setattr("conformance.cli.doctor.folder_size", lambda _: 0)  # of all that was ever built
    monkeypatch.setattr(integrity, "problems", lambda _: ["harbor/models/job/result.py is changed"])
    done = cli("doctor", COLUMNS="400")
    assert done.returncode == 1
    assert "harbor/models/job/result.py is changed" in done.stdout
    with pytest.raises(OracleError, match=r"result\.py is changed.*--rebuild"):
        regen.sources("harbor-0.13.1", print)
    assert cli("kit", "regen", "--check", "--spec", "harness-evals").returncode != 0
