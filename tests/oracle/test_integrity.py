"""An oracle whose files were changed is not asked: what was installed is compared with what the kit knows."""

import base64
import hashlib
import json
import os
import py_compile
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from conformance.oracle import environments, integrity, regen
from conformance.oracle.bytecode import matches_source
from conformance.oracle.environments import OracleError
from conformance.oracle.of_specs import RECIPES
from conformance.oracle.python import run

PACKAGES = {"right": "py3-none-any", "built": "cp312-cp312-manylinux_2_17_x86_64"}
CONFIG = "home = {}\ninclude-system-site-packages = {}\n"
BASE = Path(sys.executable).resolve().parent


class Built:
    """A small environment, as uv makes it, and a recipe for it."""

    def __init__(self, root) -> None:
        self.folder = root / "env"
        self.base = Path(sys.executable).resolve()
        self.python = self.folder / "bin" / "python"
        self.site = self.folder / "lib" / "python3.12" / "site-packages"
        self.site.mkdir(parents=True)
        self.python.parent.mkdir()
        self.python.symlink_to(self.base)
        self.config = self.folder / "pyvenv.cfg"
        self.config.write_text(CONFIG.format(BASE, "false"))
        for name, tag in PACKAGES.items():
            self.install(name, tag)
        lock = root / "lock.txt"
        lock.write_text("".join(f"{name}==1.0 \\\n    --hash=sha256:00\n" for name in PACKAGES))
        known = root / "digests.json"
        known.write_text(json.dumps(integrity.digests(self.folder)))
        named = {"name": "right-1.0", "spec": "made", "variant": ""}
        self.recipe = SimpleNamespace(lock=lock, digests=known, **named)

    def install(self, name, tag) -> None:
        info = f"{name}-1.0.dist-info"
        files = {f"{name}/__init__.py": "ANSWER = 42\n", f"{info}/WHEEL": f"Wheel-Version: 1.0\nTag: {tag}\n"}
        for path, text in files.items():
            (self.site / path).parent.mkdir(exist_ok=True)
            (self.site / path).write_text(text)
        rows = [f"{path},{self.hashed(path)},1\n" for path in files]
        (self.site / info / "RECORD").write_text(
            "".join([*rows, f"{info}/RECORD,,\n", f"{info}/INSTALLER,,\n"])
        )
        (self.site / info / "INSTALLER").write_text("uv")

    def hashed(self, path):
        digest = hashlib.sha256((self.site / path).read_bytes()).digest()
        return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    def compile(self, path) -> None:
        py_compile.compile(str(self.site / path), doraise=True)

    def problems(self):
        return integrity.problems(self.folder, self.python, self.base, self.recipe)


@pytest.fixture
def built(tmp_path, monkeypatch):
    """The program that reads bytecode is run in this process, whose bytecode it is."""

    def read(command, *_, given):
        paths = [path for path in given.splitlines() if not matches_source(Path(command[-1]) / path)]
        return subprocess.CompletedProcess(command, 0, "".join(f"{path}\n" for path in paths), "")

    monkeypatch.setattr(integrity, "run", read)
    return Built(tmp_path)


@pytest.mark.parametrize("process", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_an_environment_as_installed(built, monkeypatch, process) -> None:
    if process:
        monkeypatch.setattr(integrity, "run", run)
    built.compile("right/__init__.py")
    assert built.problems() == []
    bytecode(built)
    assert "__pycache__" in "".join(built.problems())


def bytecode(built) -> None:
    source = built.site / "right" / "__init__.py"
    text, status = source.read_text(), source.stat()
    for written in (text.replace("42", "43"), text):
        source.write_text(written)
        os.utime(source, ns=(status.st_atime_ns, status.st_mtime_ns))
        if written != text:
            built.compile("right/__init__.py")


def with_record(built) -> None:
    record, path = built.site / "right-1.0.dist-info" / "RECORD", "right/__init__.py"
    before = built.hashed(path)
    (built.site / path).write_text("ANSWER = 43\n")
    record.write_text(record.read_text().replace(before, built.hashed(path)))


def other_wheel(built) -> None:
    wheel = built.site / "right-1.0.dist-info" / "WHEEL"
    wheel.write_text(wheel.read_text().replace("py3-none-any", "cp312-cp312-unknown"))
    with_record(built)


def interpreter(built) -> None:
    built.python.unlink()
    built.python.write_text("#!/bin/sh\n")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda built: (built.site / "right/__init__.py").write_text("43"), "right/__init__.py is changed"),
        (with_record, "right-1.0.dist-info/RECORD does not match its wheel"),
        (bytecode, "__pycache__/__init__.cpython-"),
        (lambda built: (built.site / "more.pth").write_text("import os\n"), "more.pth is an additional file"),
        (other_wheel, "right-1.0.dist-info/RECORD does not match its wheel"),
        (lambda built: built.config.write_text(CONFIG.format(BASE, "true")), "pyvenv.cfg is changed"),
        (lambda built: built.config.write_text(CONFIG.format("/tmp", "false")), "pyvenv.cfg is changed"),
        (interpreter, "bin/python is not"),
        (lambda built: built.install("third", "py3-none-any"), "third==1.0 is not in the lock"),
        (lambda built: (built.site / "built" / "__init__.py").unlink(), "built/__init__.py is missing"),
        (lambda built: (built.site / "sitecustomize.py").touch(), "sitecustomize.py is an additional file"),
        (lambda built: (built.site.parent / "os.py").touch(), "os.py is an additional file"),
    ],
)
def test_a_change_is_found(built, change, says) -> None:
    change(built)
    found = built.problems()
    assert any(says in problem for problem in found), found
    sentence = integrity.changed_sentence(found, built.recipe)
    assert "right-1.0 is not as it was installed" in sentence
    assert "harbor-conformance kit oracle --spec made --rebuild" in sentence


def test_the_kit_knows_what_it_installs() -> None:
    """Every package of pure Python by its digest; the lock names versions and hashes, and no place."""
    for recipe in RECIPES:
        lock = recipe.lock.read_text(encoding="utf-8")
        pinned = [line for line in lock.splitlines() if line[:1].isalnum()]
        assert f"{recipe.package}=={recipe.version} \\" in pinned
        assert all("==" in line and line.endswith("\\") for line in pinned)
        assert lock.count("--hash=sha256:") >= len(pinned)
        assert "://" not in lock
        assert " /" not in lock
        known, names = integrity.read_digests(recipe), re.sub(r"[_.]", "-", lock.lower())
        assert f"{recipe.package}=={recipe.version}" in known
        assert [one for one in known if re.sub(r"[_.]", "-", one.split("==")[0]) not in names] == []


@pytest.mark.oracle
def test_a_real_oracle_is_as_it_was_locked() -> None:
    """The smallest one; `regen --check` compares them all whenever the gate runs."""
    (recipe,) = (recipe for recipe in RECIPES if recipe.name == "harness-evals-0.25.5")
    assert environments.problems(environments.ensure(print, recipe=recipe)) == []


@pytest.mark.oracle
def test_doctor_and_regen_refuse_a_changed_oracle(cli, monkeypatch) -> None:
    for recipe in RECIPES:
        environments.ensure(print, recipe=recipe)
    monkeypatch.setattr(regen, "COMPARED", set())
    monkeypatch.setattr("conformance.cli.doctor.folder_size", lambda _: 0)  # of all that was ever built
    monkeypatch.setattr(integrity, "problems", lambda *_: ["harbor/models/job/result.py is changed"])
    done = cli("doctor", COLUMNS="400")
    assert done.returncode == 1
    assert "harbor/models/job/result.py is changed" in done.stdout
    with pytest.raises(OracleError, match=r"result\.py is changed.*--rebuild"):
        regen.sources("harbor-0.13.1", print)
    assert cli("kit", "regen", "--check", "--spec", "harness-evals").returncode != 0
