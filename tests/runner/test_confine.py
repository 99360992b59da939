"""``--confine``: what a runner reaches that somebody else wrote, with it and without."""

import os
import re
import socket
import sys
from pathlib import Path

import pytest

from conformance.confinement import runners
from conformance.confinement.bubblewrap import confined
from conformance.runner.process import RunnerProcess, RunnerStartError

RUNNER = """import json, os, socket, sys
def tried(attack):
    try:
        attack()
        return True
    except OSError:
        return False
got = {{
    "secret": tried(lambda: open({secret!r}).read()),
    "home": tried(lambda: open({home!r} + "/left", "w")),
    "own folder": tried(lambda: open("left", "w")),
    "network": tried(lambda: socket.create_connection(("127.0.0.1", {port}), 5).close()),
    "variable": "A_SECRET" in os.environ,
    "neighbour": tried(lambda: open("beside.txt").read()),
}}
reached = " and ".join(name for name in got if got[name])
for line in sys.stdin:
    hello = {{"protocol": 1, "runner": f"reaches {{reached}}.", "version": "1", "ops": ["pass_at_k"]}}
    print(json.dumps({{"id": json.loads(line)["id"], "ok": hello}}), flush=True)
"""


@pytest.fixture
def runner(tmp_path, tmp_path_factory, monkeypatch):
    """The command of a runner whose name says what it has reached."""
    folder, home = tmp_path, tmp_path_factory.mktemp("home")
    (home / "secret").write_text("secret")
    (folder / "beside.txt").write_text("its own")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("A_SECRET", "x")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        words = {"secret": str(home / "secret"), "home": str(home), "port": listener.getsockname()[1]}
        (folder / "runner.py").write_text(RUNNER.format(**words))
        yield f"{sys.executable} runner.py"


@pytest.mark.slow
@pytest.mark.skipif(not confined(), reason="nothing confines a runner here")
@pytest.mark.parametrize(
    ("options", "reached"),
    [
        ([], "secret and home and own folder and network and variable and neighbour"),
        (["--confine"], "neighbour"),
    ],
    ids=["without", "with"],
)
def test_what_a_runner_reaches(cli, runner, options, reached) -> None:
    done = cli("doctor", "--runner", runner, *options)
    assert f"reaches {reached}. 1: pass_at_k" in " ".join(done.stdout.split())


def test_without_bubblewrap_it_is_refused(cli, runner, monkeypatch) -> None:
    monkeypatch.setattr(runners, "bubblewrap", lambda: None)
    done = cli("run", "--runner", runner, "--confine")
    assert done.returncode == 2
    assert "--confine can't be kept: " in done.stderr


def words(monkeypatch, *command):
    monkeypatch.setattr(runners, "bubblewrap", lambda: "bwrap")
    return " ".join(runners.confined_command(command))


def test_what_bubblewrap_is_given(runner, monkeypatch) -> None:
    """Where it starts in a folder that shows all, it is refused."""
    here = os.getcwd()
    found = words(monkeypatch, sys.executable, "runner.py")
    for needed in (
        *("--unshare-net", "--unshare-user --disable-userns --uid 1000", "--cap-drop ALL", "--clearenv"),
        *(f"--ro-bind {here} {here}", f"--chdir {here}", "--setenv HOME /tmp", "--remount-ro /"),
        f"-- {sys.executable} runner.py",
    ):
        assert needed in found
    for never in (" --bind ", "A_SECRET", "--cap-add", f"--ro-bind {os.environ['HOME']} "):
        assert never not in found
    for folder in ("/", "~"):
        monkeypatch.chdir(os.path.expanduser(folder))
        with pytest.raises(runners.ConfinementError, match="start in a smaller folder"):
            words(monkeypatch, sys.executable)


def test_what_a_fork_says_shows_no_more(runner, monkeypatch) -> None:
    """An environment of a stranger's names a folder of mine as its Python."""
    home = os.environ["HOME"]
    Path("venv/bin").mkdir(parents=True)
    Path("venv/bin/python").write_text(f"#!{home}/secret\n")
    for python in (f"{home}/bin", home):
        Path("venv/pyvenv.cfg").write_text(f"home = {python}")
        assert f"--ro-bind {home} " not in words(monkeypatch, "venv/bin/python")


@pytest.mark.usefixtures("runner")
def test_what_can_not_be_started_is_said_in_the_same_words(monkeypatch) -> None:
    Path("orphan").write_text("#!/nothing/of/that/name\n")
    Path("orphan").chmod(0o755)
    monkeypatch.setattr(runners, "bubblewrap", lambda: "bwrap")
    for program, sentence in (
        ("nothing-of-that-name", "the command 'nothing-of-that-name' does not exist"),
        ("./beside.txt", "the command './beside.txt' may not be executed"),
        ("./orphan", "the interpreter of the command './orphan' does not exist"),
    ):
        with pytest.raises(RunnerStartError, match=f"^{re.escape(sentence)}$"):
            RunnerProcess(runners.confined_command([program]), 1)
