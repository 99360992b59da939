"""Checks attacking metrics, one after the other, in a process that the attacks may end.

A program that tests start as root and as an ordinary user. It prints a line of JSON for each attack: what was
found, how long it took, and what has changed outside.
"""

import json
import os
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest import mock

import yaml

import conformance
from conformance.extensions.metrics.checker import CannotTryError, Options
from conformance.extensions.metrics.sandbox.limits import Ended, Limits
from conformance.extensions.metrics.sandbox.sandbox import Sandbox
from conformance.extensions.metrics.script import checker
from conformance.extensions.metrics.script.checker import ScriptChecker
from tests.extensions.metrics.bodies import ARGUMENTS

ATTACKS: dict[str, dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("attacks.yaml").read_text("utf-8")
)
KIT = Path(conformance.__file__).parent
SCRIPT = f"""{ARGUMENTS}import contextlib, ctypes, shutil, signal, socket, subprocess, threading, time
"""
SCRIPT += """libc = ctypes.CDLL(None, use_errno=True)
column = ("x86_64", "aarch64").index(os.uname().machine)
NUMBERS = {name: numbers[column] for name, numbers in {
    "pivot_root": (155, 41), "clone": (56, 220), "reboot": (169, 142), "swapon": (167, 224),
    "acct": (163, 89), "init_module": (175, 105),
    "bpf": (321, 280), "kexec_load": (246, 104), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "keyctl": (250, 219), "add_key": (248, 217),
    "inotify_init1": (294, 26), "fanotify_init": (300, 262),
}.items()}
out = []
def failed(answer):
    if answer < 0:
        raise OSError(ctypes.get_errno(), "failed")
def tried(what, attack):
    with contextlib.suppress(Exception):
        attack()
        out.append(what)
def tried_to_replace(path, attack):
    with contextlib.suppress(OSError):
        path.unlink() if not path.is_dir() else path.rmdir()
        attack()
BODY
args.output_path.write_text('{"mean": 0.5}')
if out:
    sys.exit("got out: " + ", ".join(out))
"""


def script(attack: dict[str, Any], words: dict[str, str]) -> str:
    text = attack.get("text", "")
    if header := attack.get("header"):
        lines = [f"{name} = {toml(value)}" for name, value in header.items() if name != "tool.uv"]
        settings = [f"{name} = {toml(value)}" for name, value in header.get("tool.uv", {}).items()]
        lines += ["[tool.uv]", *settings] if settings else []
        text = "".join(f"# {line}\n" for line in ["/// script", *lines, "///"])
    text += SCRIPT.replace("BODY", attack.get("body", "pass"))
    return replaced(text, words)


def toml(value: Any) -> str:
    return "{a = 1}" if isinstance(value, dict) else json.dumps(value)


def replaced(text: str, words: dict[str, str]) -> str:
    for name, word in words.items():
        text = text.replace(f"@{name}@", word)
    return text


def outside(victim: Path) -> list[object]:
    """What an attack may not change."""
    found: list[object] = []
    own = Path(checker.__file__)
    for path in (victim, *sorted(victim.parent.iterdir()), own, Path("/dev/null")):
        status = os.lstat(path)
        found.append((str(path), status.st_mode, status.st_uid, status.st_nlink, os.listxattr(path)))
        if path.name not in ("null", "tmp"):
            found.append((status.st_size, status.st_mtime))
    found.append(victim.read_text())
    return found


class Clock:
    """How long runs take, until nothing of them is left: one check has several."""

    def __init__(self) -> None:
        self.longest, self.began, self._call = 0.0, time.monotonic(), Sandbox.call

    def call(self, *words: Any, **named: Any) -> Ended:
        began = time.monotonic()
        ended = self._call(*words, **named)
        self.longest = max(self.longest, time.monotonic() - began)
        return ended

    def is_late(self, seconds: float) -> bool:
        """Whether a run overran its limit by 5 seconds, or all of them what the checker allows."""
        whole = (checker._SEARCH + checker._CASE) * seconds + 3 * checker._MORE
        return self.longest > seconds + 5 or time.monotonic() - self.began > whole


def attacked(name: str, words: dict[str, str], folder: Path) -> dict[str, Any]:
    attack = ATTACKS[name]
    folder.mkdir(parents=True)
    words = {**words, "folder": str(folder)}
    victim = Path(words["victim"])
    for where, files in ((folder, attack.get("beside", {})), (folder.parent, attack.get("above", {}))):
        for path, text in files.items():
            (where / path).parent.mkdir(parents=True, exist_ok=True)
            (where / path).write_text(replaced(text, words))
            (where / path).chmod(0o755)
    (folder / "metric.py").write_text(script(attack, words), encoding="utf-8")
    if "before" in attack:
        exec(
            attack["before"],
            {"os": os, "socket": socket, "folder": folder, "victim": victim, "above": victim.parents[1]},
        )
    before = outside(victim)
    limits = Limits(**{"seconds": 20, **attack.get("limits", {})})
    said: dict[str, Any] = {"name": name, "found": [], "cannot": None}
    clock = Clock()
    try:
        # what it needs is named: an attack need not be run until that is found
        python = None if "unnamed" in attack else sys.executable
        needs: dict[str, Any] = {"keys": ("reward",), "trials": 3, "values": (1.0, 0.0, 0.5)}
        made = ScriptChecker(str(folder / "metric.py"), Options(limits=limits, python=python, **needs))
        made.header()
        with mock.patch.object(Sandbox, "call", lambda *words, **named: clock.call(*words, **named)):
            found = made.check(made.cases[0]).findings
        said["found"] = [[finding.rule.name, finding.sentence] for finding in found]
        del made
    except CannotTryError as error:
        said["cannot"] = str(error)
    said["late"], said["longest"] = clock.is_late(limits.seconds), clock.longest
    said["harm"] = [pair for pair in zip(before, outside(victim), strict=False) if pair[0] != pair[1]]
    said["left"] = [path.name for path in Path(tempfile.gettempdir()).iterdir()]
    return said


def main() -> None:
    asked = json.loads(sys.argv[1])
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(socket.AF_UNIX) as abstract:
        port = listener.getsockname()[1]
        abstract.bind(f"\0metric-{port}")
        abstract.listen()
        words = {**asked["words"], "port": str(port), "kit": str(KIT)}
        print(json.dumps({"user": os.getuid()}), flush=True)
        for name in asked["names"]:
            said = attacked(name, words, Path(asked["folder"], "attacks", name, "scripts"))
            print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
