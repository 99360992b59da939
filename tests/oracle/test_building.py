"""The oracle: finding its Python, and building it once. Pythons, uv and harbor are made up."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from conformance.oracle import building, environments, of_specs, python
from conformance.oracle.building import python_in
from conformance.oracle.environments import OracleError
from conformance.specs.harbor import HARBOR
from conformance.specs.harness_evals import HARNESS_EVALS

ADAPTER = HARBOR.adapter


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def fake_python(path, version, implementation="CPython"):
    return script(path, f"printf '%s\\n' {implementation} {version} {path}")


def nowhere(monkeypatch, tmp_path) -> None:
    """No Python but this one, and no uv."""
    monkeypatch.delenv("HARBOR_CONFORMANCE_PYTHON", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setitem(sys.modules, "uv", None)


@pytest.mark.slow
def test_what_does_not_run_is_passed_over_unless_it_is_named(monkeypatch, tmp_path) -> None:
    nowhere(monkeypatch, tmp_path)
    script(tmp_path / "path" / "python3.99", "exit 127")
    fake_python(tmp_path / "path" / "python3.98", "3.9.8")
    fake_python(tmp_path / "pyenv/versions/3.99.9/bin/python3.99", "3.99.9", "PyPy")
    good = fake_python(tmp_path / "pyenv/versions/3.99.1/bin/python3.99", "3.99.1")
    assert python.locate("3.99").path == good
    with pytest.raises(OracleError, match=r"No CPython 3\.98 .* HARBOR_CONFORMANCE_PYTHON"):
        python.locate("3.98")
    for text, says in {
        "printf 'CPython\\n3.11.7\\n/x\\n'": "is CPython 3.11.7",
        "printf 'PyPy\\n3.12.7\\n/x\\n'": "is PyPy 3.12.7",
        "exit 1": "does not run as a Python",
    }.items():
        monkeypatch.setenv("HARBOR_CONFORMANCE_PYTHON", str(script(tmp_path / "python", text)))
        with pytest.raises(OracleError, match=f"{says}.*unset it"):
            python.locate()


@pytest.mark.slow
def test_uv_downloads_a_python_as_a_last_resort(monkeypatch, tmp_path) -> None:
    nowhere(monkeypatch, tmp_path)
    got = tmp_path / "managed" / "python"
    fake_python(tmp_path / "later", "3.99.2")
    install = f'if [ "$2" = install ]; then mkdir -p {got.parent}; cp {tmp_path}/later {got}; fi'
    uv = script(tmp_path / "uv", f"{install}\n[ -e {got} ] && echo {got}")
    monkeypatch.setattr(python, "find_uv", lambda: str(uv))
    monkeypatch.setenv("PATH", os.defpath)
    said = []
    with pytest.raises(OracleError):
        python.locate("3.99", download=False)
    assert python.locate("3.99", progress=said.append).version == "3.99.2"
    assert said == ["no CPython 3.99 here: uv downloads one"]


class Kit:
    """A cache, a Python 3.12 and a uv that are asked in this process; the oracle replays canned answers."""

    def __init__(self, root, monkeypatch) -> None:
        self.cache, self.uv, self.plain = root / "cache", root / "uv", root / "python3.12"
        self.calls = []
        self.said = []
        self.on = {}
        self.plain.touch()
        monkeypatch.setenv("HARBOR_CONFORMANCE_CACHE", str(self.cache))
        monkeypatch.setenv("HARBOR_CONFORMANCE_PYTHON", str(self.plain))
        for module in (environments, building):
            monkeypatch.setattr(module, "find_uv", lambda: str(self.uv))
        instead = SimpleNamespace(run=self.run, TimeoutExpired=subprocess.TimeoutExpired)
        monkeypatch.setattr(python, "subprocess", instead)
        self.fails = ""
        self.answer()

    def answer(self, version="0.13.1") -> None:
        self.answers = json.dumps({"id": 0, "ok": {"version": version}}) + "\n"

    def run(self, command, **_):
        known = {"env": self.answers, str(self.plain): f"CPython\n3.12.99\n{self.plain}\n", str(self.uv): ""}
        said, fails = known[command[0]], ""
        if command[0] == str(self.uv):
            self.calls.append(list(command[1:]))
            if command[1] == "venv":
                python_in(Path(command[-1])).parent.mkdir(parents=True)
                python_in(Path(command[-1])).touch()
            else:
                fails = self.fails
        return subprocess.CompletedProcess(command, bool(fails), said, fails)

    def progress(self, message) -> None:
        self.said.append(message)
        for word, action in list(self.on.items()):
            if word in message:
                del self.on[word]
                action()

    def ensure(self, rebuild=False, recipe=HARBOR):
        return environments.ensure(self.progress, rebuild, recipe)

    def in_cache(self):
        return sorted(os.listdir(self.cache)) if self.cache.exists() else []


@pytest.fixture
def kit(tmp_path, monkeypatch):
    return Kit(tmp_path, monkeypatch)


def test_an_oracle_is_built_once_unless_that_is_asked_or_its_python_has_gone(kit) -> None:
    assert environments.built() is None
    built = kit.ensure()
    said = list(kit.said)
    assert kit.ensure() == built == environments.built()
    (venv, *_), (pip, *options) = kit.calls
    assert (venv, pip, kit.said) == ("venv", "pip", said)
    assert {"sync", "--require-hashes", "--no-build", "--no-cache", str(HARBOR.lock)} <= {*options}
    assert built.version == "0.13.1"
    assert built.command[-1] == str(ADAPTER)
    assert str(built.python) in built.command
    assert kit.in_cache() == [built.folder.name]
    (built.folder / "litter").touch()
    assert kit.ensure(rebuild=True) == built
    assert (kit.in_cache(), (built.folder / "litter").exists()) == ([built.folder.name], False)
    built.python.unlink()
    assert environments.built() is None
    assert kit.ensure().python.exists()


def test_each_spec_has_its_oracle(kit, monkeypatch) -> None:
    monkeypatch.setattr(of_specs, "find_uv", lambda: str(kit.uv))
    plain, path = str(kit.plain), os.environ["PATH"]
    harbor = kit.ensure()
    assert of_specs.oracle_command("harbor-0.13.1") == harbor.command
    script = of_specs.oracle_command("harbor-metric")
    assert script[-1].endswith("uv_script.py")
    assert {str(harbor.python), f"PATH={path}:{kit.uv.parent}", f"UV_PYTHON={plain}"} <= set(script)
    derived = of_specs.oracle_command("evsys")
    assert derived[-1].endswith("evsys.py")
    assert plain in derived
    assert kit.in_cache() == [harbor.folder.name]  # there is no package to install
    kit.answer(HARNESS_EVALS.version)
    assert of_specs.oracle_command("harness-evals") == kit.ensure(recipe=HARNESS_EVALS).command


@pytest.mark.parametrize("moment", ["installing", "checking"])
def test_an_interrupted_build_leaves_nothing(kit, moment) -> None:
    kit.on[moment] = lambda: signal.default_int_handler(2, None)
    with pytest.raises(KeyboardInterrupt):
        kit.ensure()
    assert (kit.in_cache(), environments.built()) == ([], None)
    assert kit.ensure().python.exists()


def test_what_a_build_left_is_removed_after_a_day(kit) -> None:
    for name in ("x.partial-1", "x.partial-2.old", "x.partial-3"):
        (kit.cache / name).mkdir(parents=True)
    for name in ("x.partial-1", "x.partial-2.old"):
        os.utime(kit.cache / name, (0, 0))
    built = kit.ensure()
    assert kit.in_cache() == sorted([built.folder.name, "x.partial-3"])


def test_the_slower_of_two_builders_takes_the_others_oracle(kit, monkeypatch) -> None:
    def overtake() -> None:
        with monkeypatch.context() as other_process:
            other_process.setattr(os, "getpid", os.getppid)
            (kit.ensure().folder / "faster").touch()

    kit.on["checking"] = overtake
    built = kit.ensure()
    assert (built.folder / "faster").exists()
    assert kit.in_cache() == [built.folder.name]


def test_without_uv_a_sentence_says_so(kit, monkeypatch, tmp_path) -> None:
    for module in (environments, building):
        monkeypatch.setattr(module, "find_uv", python.find_uv)
    monkeypatch.setitem(sys.modules, "uv", None)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    for ask in (kit.ensure, environments.built):
        with pytest.raises(OracleError, match="pip install uv"):
            ask()


@pytest.mark.parametrize(
    ("fails", "answers", "says"),
    [
        ("cause: dns error: no such host", {}, "check the network"),
        ("error: Hash mismatch for x", {}, r"\(error: Hash mismatch for x\)\."),
        ("", {"version": "0.14.0"}, "harbor 0.14.0, not harbor-0.13.1"),
        ("a file", {}, "HARBOR_CONFORMANCE_CACHE"),
    ],
)
def test_what_fails_is_not_kept(kit, fails, answers, says) -> None:
    kit.fails = fails
    kit.answer(**answers)
    if fails == "a file":
        kit.cache.write_text("where the folder would be")
    with pytest.raises(OracleError, match=says) as caught:
        kit.ensure()
    assert "\n" not in str(caught.value)
    assert fails == "a file" or kit.in_cache() == []
