"""Creates malicious job directories, by name, for tests and benchmarks.

`KINDS[name](folder)` makes the folder. `COSTLY` are those of them that take more than a moment, or more
than some MiB of disk, to make or to judge.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tools.jobs.kept import JOBS, write

__all__ = ["COSTLY", "KINDS", "job", "nested", "write_value"]

Maker = Callable[[Path], None]
Place = tuple[str | int, ...]

T0, T1 = "t0__0000000", "t1__0000001"
MIB = 2**20
MARK = "the value goes here"
CLI = "from conformance.cli.main import main; main()"
RECORD_FILE = f"{T0}/result.json"


def job(folder: Path, situation: str = "pass-and-fail") -> Path:
    return write(JOBS[situation], folder)


def write_value(file: Path, keys: Place, text: str) -> None:
    """Puts JSON text at a path in a JSON file, in harbor's layout."""
    value = json.loads(file.read_text())
    inner = value
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = MARK
    file.write_text(json.dumps(value, indent=4).replace(f'"{MARK}"', text), encoding="utf-8")


def nested(levels: int, opening: str = "[", end: str = "1") -> str:
    closing = "]" if opening == "[" else "}"
    return (opening if opening == "[" else '{"a":') * levels + end + closing * levels


# Kinds that are a change to one file of a small job


def _changed(name: str, change: Callable[[Path], Any], situation: str = "pass-and-fail") -> Maker:
    return lambda folder: change(job(folder, situation) / name)


def _file(name: str, content: bytes) -> Maker:
    return _changed(name, lambda path: path.write_bytes(content))


def _with_value(name: str, keys: Place, text: str) -> Maker:
    """Replaces a value in a JSON file."""
    return _changed(name, lambda path: write_value(path, keys, text))


def _replace_file(name: str, create: Callable[[Path], None], situation: str = "pass-and-fail") -> Maker:
    """Replaces a file or directory with what ``create`` makes."""

    def replace(path: Path) -> None:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        create(path)

    return _changed(name, replace, situation)


def _link(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        parent = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)  # the path may be too long for a socket
        try:
            listener.bind(f"/proc/self/fd/{parent}/{path.name}")
        finally:
            os.close(parent)


def _sparse(path: Path) -> None:
    with open(path, "wb") as file:
        file.truncate(2**40)


def _unreadable(path: Path) -> None:
    path.write_text("{}")
    path.chmod(0)


def _replace_text(path: Path, old: str, new: str, count: int = -1) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, count), encoding="utf-8")


def _replaced(name: str, old: str, new: str, situation: str = "pass-and-fail") -> Maker:
    return _changed(name, lambda path: _replace_text(path, old, new), situation)


def _repeat_member(name: str, member: str) -> Maker:
    """Repeats a member of the top-level object at its end."""

    def repeat(path: Path) -> None:
        text = path.read_text()
        repeated = f',"{member}": {json.dumps(json.loads(text)[member])}}}'
        path.write_text(text.rstrip().removesuffix("}") + repeated, encoding="utf-8")

    return _changed(name, repeat)


_REWARD_JSON, _REWARD_TEXT = f"{T0}/verifier/reward.json", f"{T0}/verifier/reward.txt"
_FILES = {
    "reward": _REWARD_TEXT,
    "record": RECORD_FILE,
    **{name: f"{name}.json" for name in ("result", "config", "lock")},
    "log": "job.log",
}
_EVALS = ("stats", "evals", "nop__d")
NESTS: dict[str, tuple[str, Place]] = {
    "config": ("config.json", ("environment", "kwargs")),
    "config-metrics": ("config.json", ("metrics",)),
    "config-datasets": ("config.json", ("datasets",)),
    "record-config": (RECORD_FILE, ("config", "environment", "kwargs")),
    "record-agent": (RECORD_FILE, ("config", "agent", "kwargs")),
    "record-metadata": (RECORD_FILE, ("agent_result", "metadata")),
    "record-rewards": (RECORD_FILE, ("verifier_result", "rewards")),
    "record-unknown": (RECORD_FILE, ("unknown",)),
    "record-name": (RECORD_FILE, ("trial_name",)),
    "result-metric": ("result.json", (*_EVALS, "metrics")),
    "result-unknown": ("result.json", ("unknown",)),
    "result-stats": ("result.json", (*_EVALS, "reward_stats")),
    "result-time": ("result.json", ("started_at",)),
    "lock": ("lock.json", ("trials",)),
}
"""The places for nested values."""


def nests(folder: Path, file: str, keys: Place, levels: int, opening: str) -> None:
    write_value(job(folder) / file, keys, nested(levels, opening))


def _script_metric(folder: Path, levels: int) -> None:
    write_value(job(folder, "script") / "result.json", (*_EVALS, "metrics", 1), nested(levels, "{"))


def _write_one(path: Path) -> None:
    path.write_text("1")


_SMALL: dict[str, Maker] = {
    **{
        f"nested-{levels}-{'objects' if opening == '{' else 'arrays'}-{name}": partial(
            nests, file=file, keys=keys, levels=levels, opening=opening
        )
        for name, (file, keys) in NESTS.items()
        for levels, opening in ((240, "["), (700, "{"), (5000, "["))
    },
    "nested-240-script-metric": partial(_script_metric, levels=240),
    "nested-700-script-metric": partial(_script_metric, levels=700),
    "nested-500-reward": _file(_REWARD_JSON, nested(500).encode()),
    "nested-700-reward": _file(_REWARD_JSON, nested(700).encode()),
    "nested-200000-reward": _file(_REWARD_JSON, b"[" * 200_000),
    "nested-200000-record": _file(RECORD_FILE, b"[" * 200_000),
    "nested-200000-result": _file("result.json", b'{"a":' * 200_000),
    "nested-200000-config": _file("config.json", b"[" * 200_000),
    **{
        f"link-{name}": _replace_file(file, _link(target))
        for name, file, target in (
            ("trial", T0, "/etc"),
            ("record", RECORD_FILE, "/etc/passwd"),
            ("verifier", f"{T0}/verifier", "/etc"),
            ("reward", _REWARD_TEXT, "/dev/zero"),
            ("nowhere", _REWARD_TEXT, "/nowhere"),
            ("result", "result.json", "/dev/zero"),
            ("config", "config.json", "/etc/passwd"),
            ("lock", "lock.json", "/dev/zero"),
            ("log", "job.log", "/dev/zero"),
            ("circle", "circle", "circle"),
            ("up", "up", ".."),
        )
    },
    "link-steps": _replace_file("m__0000000/steps", _link("/etc"), "steps-mean"),
    **{f"fifo-{name}": _replace_file(file, os.mkfifo) for name, file in _FILES.items()},
    "fifo-trial": _replace_file("t7__0000007", os.mkfifo),
    "socket-reward": _replace_file(_REWARD_TEXT, _socket),
    "socket-trial": _replace_file("t7__0000007", _socket),
    **{
        f"directory-{name}": _replace_file(_FILES[name], Path.mkdir)
        for name in ("result", "record", "reward")
    },
    "file-verifier": _replace_file(f"{T0}/verifier", _write_one),
    "file-steps": _replace_file("m__0000000/steps", _write_one, "steps-mean"),
    "unreadable-record": _replace_file(RECORD_FILE, _unreadable),
    "unreadable-result": _replace_file("result.json", _unreadable),
    **{f"sparse-{name}": _replace_file(file, _sparse) for name, file in _FILES.items() if name != "reward"},
    "sparse-reward": _replace_file(_REWARD_JSON, _sparse),
    "empty-result": _file("result.json", b""),
    "empty-record": _file(RECORD_FILE, b""),
    "not-utf-8": _file("result.json", b'{"a": "\xff"}'),
    "byte-order-mark": _file("result.json", b"\xef\xbb\xbf{}"),
    "nul-bytes": _file(RECORD_FILE, b"\0" * 1000),
    "two-documents": _file("result.json", b"{}{}"),
    "scalar-result": _file("result.json", b"12"),
    "array-record": _file(RECORD_FILE, b"[1]"),
    "null-config": _file("config.json", b"null"),
    "surrogate-result": _with_value("result.json", ("id",), '"\\ud800"'),
    "surrogate-record": _with_value(RECORD_FILE, ("task_name",), '"\\udfff"'),
    "surrogate-reward-key": _file(_REWARD_JSON, b'{"\\ud800": 1}'),
    "duplicate-result": _repeat_member("result.json", "stats"),
    "duplicate-record": _repeat_member(RECORD_FILE, "verifier_result"),
    "duplicate-config": _repeat_member("config.json", "metrics"),
    "huge-int-count": _with_value("result.json", ("n_total_trials",), "9" * 4300),
    "huger-int-count": _with_value("result.json", ("n_total_trials",), "9" * 100_000),
    "huge-int-reward": _file(_REWARD_JSON, b'{"reward":' + b"9" * 4300 + b"}"),
    "huge-int-tokens": _with_value(RECORD_FILE, ("agent_result", "n_input_tokens"), "9" * 4300),
    "huge-exponent": _with_value(RECORD_FILE, ("verifier_result", "rewards", "reward"), "1e999999999"),
    "not-a-number": _with_value("result.json", (*_EVALS, "metrics"), '[{"mean": NaN}]'),
    "infinity-record": _with_value(RECORD_FILE, ("agent_result", "cost_usd"), "Infinity"),
    "wrong-types": _with_value("result.json", ("stats",), "[]"),
    "step-outside": _replaced(
        "m__0000000/result.json", '"step_name": "s1"', '"step_name": "../../../outside"', "steps-mean"
    ),
    "step-name-nul": _replaced(
        "m__0000000/result.json", '"step_name": "s1"', '"step_name": "a\\u0000"', "steps-mean"
    ),
    "step-name-long": _replaced(
        "m__0000000/result.json", '"step_name": "s1"', f'"step_name": "{"a" * 100_000}"', "steps-mean"
    ),
    "trial-outside": _replaced("result.json", T0, "../outside"),
    "trial-name-other": _replaced(RECORD_FILE, f'"trial_name": "{T0}"', f'"trial_name": "{T1}"'),
    "date-impossible": _replaced("result.json", "2000-01-01T00:00:00", "2026-02-30T25:61:00"),
    "date-impossible-record": _replaced(RECORD_FILE, "2000-01-01T00:00:00Z", "2026-02-30T25:61:00Z"),
    "control-codes": _with_value(
        RECORD_FILE, ("exception_info",), '{"exception_type": "\\u001b]0;title\\u0007"}'
    ),
    "control-code-names": _replace_file("esc\x1b[31m\nnew\u202eline", _link("/")),
    "long-key": _file(RECORD_FILE, b'{"' + b"k" * 200_000 + b'": 1}'),
    "ci-commands": _with_value(RECORD_FILE, ("task_name",), '"::error::owned\\n##[error]owned"'),
}

# Kinds that are large


def wide_record(folder: Path, size: int, piece: str) -> None:
    items = ",".join([piece] * (size // (len(piece.encode()) + 1)))
    _replaced(RECORD_FILE, '"metadata": null', f'"metadata": {{"a": [{items}]}}')(folder)


def wide(folder: Path, file: str, size: int, piece: str) -> None:
    items = ",".join([piece] * (size // (len(piece.encode()) + 1)))
    _replace_text(job(folder) / file, "{", f'{{"more": [{items}],', 1)


def _spaces(folder: Path, file: str, size: int) -> None:
    _replace_text(job(folder) / file, "{", "{" + "\n" * size, 1)


def listed(folder: Path, count: int, kind: str) -> None:
    keys, member = {
        "groups": (("stats", "evals"), '"g%d": {}'),
        "names": ((*_EVALS, "reward_stats", "reward", "1.0"), '"n%d"'),
    }[kind]
    members = ", ".join([member % number for number in range(count)])
    write_value(job(folder) / "result.json", keys, f"[{members}]" if kind == "names" else f"{{{members}}}")


def many_trials(folder: Path, count: int, text: str) -> None:
    job(folder)
    for number in range(count):
        (folder / f"t0__{number:06}x").mkdir()
        (folder / f"t0__{number:06}x" / "result.json").write_text(text)


def many_steps(folder: Path, count: int) -> None:
    names = ("agent_result", "exception_info", "agent_execution")
    times = {"started_at": None, "finished_at": None}
    step = {"step_name": "s", **dict.fromkeys(names), "verifier_result": {"rewards": None}, "verifier": times}
    write_value(job(folder) / RECORD_FILE, ("step_results",), json.dumps([step] * count))
    write_value(folder / RECORD_FILE, ("verifier_result",), "null")


def many_keys(folder: Path, count: int, file: str) -> None:
    rewards = json.dumps({f"k{number}": 1 for number in range(count)})
    write_value(job(folder) / file, ("verifier_result", "rewards"), rewards)


COSTLY: dict[str, Maker] = {
    "large-record-objects": partial(wide_record, size=60 * MIB, piece='{"a":1}'),
    "large-config-ints": partial(wide, file="config.json", size=60 * MIB, piece="1"),
    "spaces-result": partial(_spaces, file="result.json", size=60 * MIB),
}
"""The kinds that take much time, memory or disk space."""

KINDS: dict[str, Maker] = {**_SMALL, **COSTLY}
"""All kinds by name."""


def measured(folder: Path, seconds: float, *more: str) -> dict[str, Any]:
    """The cost of `check` on a folder: seconds, processor seconds, MiB, exit code, and its output."""
    command = [sys.executable, "-c", CLI, "check", "--json", *more, str(folder)]
    begun = time.monotonic()
    script = (
        "import json, resource, subprocess, sys\n"
        "try:\n"
        "    done = subprocess.run(sys.argv[2:], capture_output=True, timeout=float(sys.argv[1]))\n"
        "    output = [done.returncode, done.stdout.decode(), done.stderr[-2000:].decode()]\n"
        "except subprocess.TimeoutExpired: output = [None, '', '']\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "json.dump([used.ru_maxrss / 1024, used.ru_utime + used.ru_stime, *output], sys.stdout)\n"
    )
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.RLIM_INFINITY))
    words = [sys.executable, "-c", script, str(seconds), *command]
    peak, cpu, code, out, err = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    seconds = time.monotonic() - begun
    return {"seconds": seconds, "cpu": cpu, "mib": peak, "code": code, "out": out, "err": err}
