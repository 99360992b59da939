"""Metrics that loop, flood, fork or write elsewhere: ended, told in one sentence, cleared away."""

import sys
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.confinement import bubblewrap
from conformance.confinement.bubblewrap import confined
from conformance.extensions.metrics.checker import CannotTryError, Options
from conformance.extensions.metrics.sandbox import sandbox
from conformance.extensions.metrics.sandbox.limits import Limits
from conformance.extensions.metrics.script import runner as script_run
from conformance.extensions.metrics.script.checker import ScriptChecker
from tests.extensions.metrics.bodies import broken, checked, class_in, each_of
from tools.jobs.kept import write

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("clean")]

LIMITS = Limits(seconds=60)
needs_bubblewrap = pytest.mark.skipif(not confined(), reason="nothing confines a metric here")


@pytest.fixture
def unconfined(monkeypatch) -> None:
    """A machine without bubblewrap."""
    for module in (bubblewrap, sandbox):
        monkeypatch.setattr(module, "bubblewrap", lambda: None)
    for one in (bubblewrap, script_run):
        monkeypatch.setattr(one, "confined", lambda: False)


def findings(path, limits=LIMITS):
    """Of its first case, with what it needs named.

    To find that takes many more runs and shows no more.
    """
    needs = {"keys": ("reward",), "trials": 3, "values": (1.0, 0.0, 0.5)}
    made = ScriptChecker(str(path), Options(limits=limits, python=sys.executable, **needs))
    made.header()
    found = made.check(made.cases[0]).findings
    for finding in found:
        assert "\n" not in finding.sentence
    return found


@each_of("refused")
@needs_bubblewrap
def test_what_is_refused_is_named(script, row) -> None:
    (finding,) = findings(script(row["body"]))
    assert finding.rule.name == row["rule"]
    assert row["says"] in finding.sentence
    assert not Path("/var/tmp/metric-elsewhere").exists()


@each_of("unconfined")
def test_limits_hold_where_nothing_confines_it(script, unconfined, row) -> None:
    found = findings(script(row["body"]), replace(LIMITS, **row.get("limits", {})))
    assert [finding.rule.name for finding in found] == [row["rule"]]


def test_where_nothing_confines_it_the_kit_says_so(script, unconfined, cli) -> None:
    done = cli("metric", script("pass"), "--python", sys.executable, "--case", "one-key")
    assert done.returncode == 0
    assert "note: nothing confines the metric, because " in done.stdout
    done = cli("metric", script("pass"), "--require-confinement")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nothing confines the metric" in done.stderr


@needs_bubblewrap
@pytest.mark.parametrize("package", ["wheel", "source"])
def test_a_package_runs_nothing_outside(script, tmp_path, monkeypatch, package) -> None:
    """What a wheel has for Python's start runs within the walls. What has none is not installed."""
    victim, folder = tmp_path / "victim", tmp_path / "packages"
    evil = f"open({str(victim)!r}, 'w')"
    folder.mkdir()
    metadata = "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n"
    if package == "wheel":
        info = "evil-1.0.dist-info"
        files = {
            "evil.py": f"ANSWER = 1\ntry: {evil}\nexcept OSError: pass\n",
            "evil.pth": f"import os; {evil}\n",
            "sitecustomize.py": evil,
            "evil-1.0.data/scripts/rm": f"#!/bin/sh\ntouch {victim}\n",
            f"{info}/METADATA": metadata,
            f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        }
        files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in (*files, f"{info}/RECORD"))
        with zipfile.ZipFile(folder / "evil-1.0-py3-none-any.whl", "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
    else:
        built = "requires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n"
        project = {"backend.py": evil, "PKG-INFO": metadata, "pyproject.toml": f"[build-system]\n{built}"}
        source = write(project, tmp_path / "evil-1.0")
        with tarfile.open(folder / "evil-1.0.tar.gz", "w:gz") as archive:
            archive.add(source, source.name)
    for name, value in (("OFFLINE", "1"), ("FIND_LINKS", folder), ("CACHE_DIR", tmp_path / "cache")):
        monkeypatch.setenv(f"UV_{name}", str(value))
    path = script("import evil")
    path.write_text("# /// script\n# dependencies = ['evil']\n# ///\n" + path.read_text())
    if package == "wheel":
        assert findings(path) == []
    else:
        with pytest.raises(CannotTryError, match="only wheels are installed"):
            findings(path)
    assert not victim.exists()


def test_after_a_stop_no_other_case_is_run(script) -> None:
    checker = checked(str(script("while True: pass")), None, seconds=1)
    assert [result.not_run is None for result in checker.results[:3]] == [True, False, False]
    assert checker.exit_code() == 1


@each_of("hostile")
def test_a_hostile_class(tmp_path, row) -> None:
    code = f"{row['line']}\nreturn float(len(task_rewards))"
    target = class_in(tmp_path, "evsys", above="import os, sys, time", code=code)
    checker = checked(target, "evsys", seconds=row.get("seconds", 60))
    assert broken(checker).keys() - {"rewards-unread"} == {row["rule"]}


UNLOADABLE = """
import os
def forge(line):
    for n in range(3, 20):
        try:
            os.write(n, line)
        except OSError:
            pass
{}
class Metric: pass
"""


@each_of("unloadable")
def test_a_class_that_can_not_be_loaded(tmp_path, row) -> None:
    (tmp_path / "hostile.py").write_text(UNLOADABLE.format(row["text"]), encoding="utf-8")
    with pytest.raises(CannotTryError, match=row["says"]):
        checked(f"{tmp_path / 'hostile.py'}:Metric", "evsys", seconds=row.get("seconds", 60))
