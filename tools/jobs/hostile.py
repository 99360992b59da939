"""Creates malicious job directories, by name, for tests and benchmarks.

`KINDS[name](folder)` makes the folder. `COSTLY` are those of them that take more than a moment, or more
than some MiB of disk, to make or to judge. `GOOD` are large, harmless jobs that have to be judged.
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
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tools.jobs.kept import JOBS, write
from tools.jobs.model import Job, Trial

__all__ = ["COSTLY", "GOOD", "KINDS", "job", "nested", "put"]

Maker = Callable[[Path], None]
Place = tuple[str | int, ...]

T0, T1 = "t0__0000000", "t1__0000001"
MIB = 2**20
MARK = "the value goes here"
CLI = "from conformance.cli.main import main; main()"
RECORD_FILE = f"{T0}/result.json"
RECORD: dict[str, Any] = json.loads(JOBS["pass-and-fail"][RECORD_FILE])


def job(folder: Path, situation: str = "pass-and-fail") -> Path:
    """One of harbor's own small jobs."""
    return write(JOBS[situation], folder)


def put(file: Path, place: Place, text: str) -> None:
    """Puts JSON text at a path in a JSON file, in harbor's layout."""
    value = json.loads(file.read_text())
    inner = value
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = MARK
    file.write_text(json.dumps(value, indent=4).replace(f'"{MARK}"', text), encoding="utf-8")


def nested(levels: int, opening: str = "[", end: str = "1") -> str:
    """Nested arrays or objects."""
    closing = "]" if opening == "[" else "}"
    return (opening if opening == "[" else '{"a":') * levels + end + closing * levels


# Kinds that are a change to a small job


def _file(name: str, content: bytes) -> Maker:
    def make(folder: Path) -> None:
        job(folder)
        (folder / name).write_bytes(content)

    return make


def _at(name: str, place: Place, text: str, situation: str = "pass-and-fail") -> Maker:
    def make(folder: Path) -> None:
        put(job(folder, situation) / name, place, text)

    return make


def _replace_file(name: str, become: Callable[[Path], None], situation: str = "pass-and-fail") -> Maker:
    """Replaces a file or directory by something else."""

    def make(folder: Path) -> None:
        place = job(folder, situation) / name
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
        become(place)

    return make


def _link(target: str) -> Callable[[Path], None]:
    return lambda place: place.symlink_to(target)


def _socket(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.open(place.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            listener.bind(f"/proc/self/fd/{here}/{place.name}")
        finally:
            os.close(here)


def _sparse(size: int) -> Callable[[Path], None]:
    def make(place: Path) -> None:
        with open(place, "wb") as file:
            file.truncate(size)

    return make


def _unreadable(place: Path) -> None:
    place.write_text("{}")
    place.chmod(0)


def _replaced(name: str, old: str, new: str, situation: str = "pass-and-fail") -> Maker:
    def make(folder: Path) -> None:
        file = job(folder, situation) / name
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))

    return make


def _repeat_member(name: str, member: str) -> Maker:
    """Repeats a member of the top-level object at its end."""

    def make(folder: Path) -> None:
        file = job(folder) / name
        value = json.loads(file.read_text())
        again = f',"{member}": {json.dumps(value[member])}}}'
        file.write_text(file.read_text().rstrip().removesuffix("}") + again)

    return make


_REWARD_JSON, _REWARD_TEXT = f"{T0}/verifier/reward.json", f"{T0}/verifier/reward.txt"
_FILES = {
    "reward": _REWARD_TEXT,
    "record": RECORD_FILE,
    **{what: f"{what}.json" for what in ("result", "config", "lock")},
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


def nests(folder: Path, file: str, place: Place, levels: int, opening: str) -> None:
    put(job(folder) / file, place, nested(levels, opening))


def _script_metric(folder: Path, levels: int) -> None:
    put(job(folder, "script") / "result.json", (*_EVALS, "metrics", 1), nested(levels, "{"))


def _write(text: str) -> Callable[[Path], None]:
    return lambda place: do_nothing(place.write_text(text))


def do_nothing(_: object) -> None:
    """Nothing."""


_SMALL: dict[str, Maker] = {
    **{
        f"nested-{levels}-{'objects' if opening == '{' else 'arrays'}-{name}": partial(
            nests, file=file, place=place, levels=levels, opening=opening
        )
        for name, (file, place) in NESTS.items()
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
        f"link-{what}": _replace_file(file, _link(target))
        for what, file, target in (
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
    **{f"fifo-{what}": _replace_file(file, os.mkfifo) for what, file in _FILES.items()},
    "fifo-trial": _replace_file("t7__0000007", os.mkfifo),
    "socket-reward": _replace_file(_REWARD_TEXT, _socket),
    "socket-trial": _replace_file("t7__0000007", _socket),
    **{
        f"directory-{what}": _replace_file(_FILES[what], Path.mkdir)
        for what in ("result", "record", "reward")
    },
    "file-verifier": _replace_file(f"{T0}/verifier", _write("1")),
    "file-steps": _replace_file("m__0000000/steps", _write("1"), "steps-mean"),
    "unreadable-record": _replace_file(RECORD_FILE, _unreadable),
    "unreadable-result": _replace_file("result.json", _unreadable),
    **{
        f"sparse-{what}": _replace_file(file, _sparse(2**40))
        for what, file in _FILES.items()
        if what != "reward"
    },
    "sparse-reward": _replace_file(_REWARD_JSON, _sparse(2**40)),
    "empty-result": _file("result.json", b""),
    "empty-record": _file(RECORD_FILE, b""),
    "not-utf-8": _file("result.json", b'{"a": "\xff"}'),
    "byte-order-mark": _file("result.json", b"\xef\xbb\xbf{}"),
    "nul-bytes": _file(RECORD_FILE, b"\0" * 1000),
    "two-documents": _file("result.json", b"{}{}"),
    "scalar-result": _file("result.json", b"12"),
    "array-record": _file(RECORD_FILE, b"[1]"),
    "null-config": _file("config.json", b"null"),
    "surrogate-result": _at("result.json", ("id",), '"\\ud800"'),
    "surrogate-record": _at(RECORD_FILE, ("task_name",), '"\\udfff"'),
    "surrogate-reward-key": _file(_REWARD_JSON, b'{"\\ud800": 1}'),
    "duplicate-result": _repeat_member("result.json", "stats"),
    "duplicate-record": _repeat_member(RECORD_FILE, "verifier_result"),
    "duplicate-config": _repeat_member("config.json", "metrics"),
    "huge-int-count": _at("result.json", ("n_total_trials",), "9" * 4300),
    "huger-int-count": _at("result.json", ("n_total_trials",), "9" * 100_000),
    "huge-int-reward": _file(_REWARD_JSON, b'{"reward":' + b"9" * 4300 + b"}"),
    "huge-int-tokens": _at(RECORD_FILE, ("agent_result", "n_input_tokens"), "9" * 4300),
    "huge-exponent": _at(RECORD_FILE, ("verifier_result", "rewards", "reward"), "1e999999999"),
    "not-a-number": _at("result.json", (*_EVALS, "metrics"), '[{"mean": NaN}]'),
    "infinity-record": _at(RECORD_FILE, ("agent_result", "cost_usd"), "Infinity"),
    "wrong-types": _at("result.json", ("stats",), "[]"),
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
    "control-codes": _at(RECORD_FILE, ("exception_info",), '{"exception_type": "\\u001b]0;title\\u0007"}'),
    "control-code-names": _replace_file("esc\x1b[31m\nnew\u202eline", _link("/")),
    "long-key": _file(RECORD_FILE, b'{"' + b"k" * 200_000 + b'": 1}'),
    "ci-commands": _at(RECORD_FILE, ("task_name",), '"::error::owned\\n##[error]owned"'),
}

# Kinds that are large


def wide_record(folder: Path, size: int, piece: str, place: str = "metadata", count: int = 1) -> None:
    """Records with this many bytes of small values."""
    job(folder)
    items = ",".join([piece] * (size // (len(piece.encode()) + 1)))
    text = json.dumps(RECORD, indent=4)
    if place == "metadata":
        text = text.replace('"metadata": null', f'"metadata": {{"a": [{items}]}}')
    elif place == "config":
        text = text.replace('"trials_dir":', f'"more": [{items}], "trials_dir":')
    else:
        text = text.replace('"step_results": null', f'"step_results": [{items}]')
    (folder / RECORD_FILE).write_text(text, encoding="utf-8")
    for number in range(1, count):
        name = f"t0__{number:06}x"
        (folder / name).mkdir()
        (folder / name / "result.json").write_text(text.replace(T0, name), encoding="utf-8")


def wide(folder: Path, file: str, size: int, piece: str) -> None:
    """A file of the job with an array of this many bytes."""
    job(folder)
    items = ",".join([piece] * (size // (len(piece.encode()) + 1)))
    old = (folder / file).read_text()
    (folder / file).write_text(old.replace("{", f'{{"more": [{items}],', 1), encoding="utf-8")


def _spaces(folder: Path, file: str, size: int) -> None:
    old = (job(folder) / file).read_text()
    (folder / file).write_text(old.replace("{", "{" + "\n" * size, 1))


def listed(folder: Path, count: int, what: str) -> None:
    """This many nonexistent reward keys, spellings of rewards, groups, or names of trials."""
    place, one = {
        "keys": ((*_EVALS, "reward_stats"), f'"k%d": {{"1.0": ["{T0}"]}}'),
        "spellings": ((*_EVALS, "reward_stats", "reward"), f'"%d.5": ["{T0}"]'),
        "groups": (("stats", "evals"), '"g%d": {}'),
        "names": ((*_EVALS, "reward_stats", "reward", "1.0"), '"n%d"'),
    }[what]
    members = ", ".join([one % number for number in range(count)])
    put(job(folder) / "result.json", place, f"[{members}]" if what == "names" else f"{{{members}}}")


def _counted(folder: Path, count: int) -> None:
    """Claims that this many trials have completed."""
    put(job(folder) / "result.json", ("stats", "n_completed_trials"), str(count))


def correct_job(folder: Path, rewards: Iterator[dict[str, float]], metadata: str = "null") -> Path:
    """A large, correct job with reward files: a trial for each of these rewards."""
    made = [Trial(f"t0__{at:06}", "t0", of, began=at, ended=at + 1) for at, of in enumerate(rewards)]
    large = Job("", (0, 13, 1), made, model=None, source="d").count()
    large.write(folder)
    for trial in made:
        (folder / trial.name / "verifier").mkdir()
        (folder / trial.name / "verifier/reward.json").write_text(json.dumps(trial.rewards))
        if metadata != "null":
            tokens = {"n_input_tokens": None, "n_cache_tokens": None, "n_output_tokens": None}
            result = {**tokens, "cost_usd": None, "rollout_details": None, "metadata": MARK}
            large.records[trial.name]["agent_result"] = result
            text = json.dumps(large.records[trial.name], indent=4).replace(f'"{MARK}"', metadata)
            (folder / trial.name / "result.json").write_text(text)
    return folder


def _matrix(folder: Path, count: int, keys: int, changed: bool = False) -> None:
    """Trials with many rewards each, all correct unless `changed`, which alters the metrics' last bits."""
    values = {f"k{key}": 0.1 * (key % 7) for key in range(keys)}
    result = correct_job(folder, (dict(values) for _ in range(count))) / "result.json"
    if changed:
        text = result.read_text()
        at = text.index('"metrics"')
        end = text.index("]", at)
        member = text[at:end].replace("0.1,", "0.10000000000000002,").replace("0.3", "0.30000000000000016")
        result.write_text(text[:at] + member + text[end:])


def many_trials(folder: Path, count: int, text: str | None = None) -> None:
    job(folder)
    record = (folder / RECORD_FILE).read_text() if text is None else text
    for number in range(count):
        name = f"t0__{number:06}x"
        (folder / name).mkdir()
        (folder / name / "result.json").write_text(record.replace(T0, name))


def many_steps(folder: Path, count: int, rewards: str = "null") -> None:
    step = _NULL_STEP.replace('"verifier_result":null', f'"verifier_result":{{"rewards":{rewards}}}').replace(
        '"verifier":null', '"verifier":{"started_at":null,"finished_at":null}'
    )
    put(job(folder) / RECORD_FILE, ("step_results",), f"[{', '.join([step] * count)}]")
    put(folder / RECORD_FILE, ("verifier_result",), "null")


def _many_entries(folder: Path, count: int) -> None:
    job(folder)
    for number in range(count):
        os.close(os.open(folder / f"junk{number}", os.O_CREAT | os.O_WRONLY, 0o644))


def _many_links(folder: Path, count: int) -> None:
    job(folder)
    for number in range(count):
        (folder / f"link{number}").symlink_to("/")


def many_keys(folder: Path, count: int, file: str = _REWARD_JSON) -> None:
    job(folder)
    rewards = ", ".join(f'"k{number}": 1' for number in range(count))
    if file == _REWARD_JSON:
        (folder / file).write_text(f"{{{rewards}}}")
    else:
        put(folder / file, ("verifier_result", "rewards"), f"{{{rewards}}}")


def _script_wide(folder: Path, count: int, levels: int) -> None:
    """A script's metric with many numbers, nested so deeply that the indentation takes much space."""
    text = nested(levels, "[", ", ".join(["1"] * count))
    put(job(folder, "script") / "result.json", (*_EVALS, "metrics", 1), f'{{"a": {text}}}')


def _sparse_records(folder: Path, count: int, size: int) -> None:
    job(folder)
    for number in range(count):
        (folder / f"t{number}__s").mkdir()
        _sparse(size)(folder / f"t{number}__s" / "result.json")


def _deep_folders(folder: Path, levels: int) -> None:
    job(folder)
    here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY | os.O_DIRECTORY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


_NULL_STEP = '{"step_name":"s","agent_result":null,"verifier_result":null,"exception_info":null,"agent_execution":null,"verifier":null}'  # noqa: E501

_PIECES = {
    "ints": "1",
    "floats": "0.5",
    "strings": '"ab"',
    "objects": '{"a":1}',
    "arrays": "[]",
    "laid-out": "\n" + " " * 20 + "1234",
    "astral": '"' + "\U0001f600" * 2000 + '"',
    "escapes": '"' + '\\"\\\\' * 2000 + '"',
}
COSTLY: dict[str, Maker] = {
    **{
        f"large-record-{what}": partial(wide_record, size=60 * MIB, piece=piece)
        for what, piece in _PIECES.items()
    },
    "large-record-config": partial(wide_record, size=60 * MIB, piece="1", place="config"),
    "large-record-steps": partial(wide_record, size=60 * MIB, piece=_NULL_STEP, place="steps"),
    "large-records": partial(wide_record, size=60 * MIB, piece="\n" + " " * 20 + "1234", count=12),
    "large-config-ints": partial(wide, file="config.json", size=60 * MIB, piece="1"),
    "large-config-objects": partial(wide, file="config.json", size=60 * MIB, piece='{"a":1}'),
    "large-lock": partial(wide, file="lock.json", size=60 * MIB, piece='{"a":1}'),
    **{
        f"large-result-{what}": partial(wide, file="result.json", size=60 * MIB, piece=_PIECES[what])
        for what in ("ints", "objects", "astral")
    },
    "huge-result": partial(wide, file="result.json", size=450 * MIB, piece='"abcdefghijklmnop"'),
    "huge-config": partial(wide, file="config.json", size=450 * MIB, piece='"abcdefghijklmnop"'),
    "medium-records": partial(wide_record, size=4 * MIB, piece='{"a":1}', count=200),
    "medium-records-ints": partial(wide_record, size=4 * MIB, piece="1", count=200),
    "spaces-result": partial(_spaces, file="result.json", size=60 * MIB),
    "spaces-record": partial(_spaces, file=RECORD_FILE, size=60 * MIB),
    "spaces-config": partial(_spaces, file="config.json", size=60 * MIB),
    "reward-stats-keys": partial(listed, count=1_000_000, what="keys"),
    "evals-groups": partial(listed, count=1_000_000, what="groups"),
    "listed-names": partial(listed, count=1_500_000, what="names"),
    "listed-spellings": partial(listed, count=1_000_000, what="spellings"),
    "completed-trials": partial(_counted, count=10**9),
    "trials-times-keys": partial(_matrix, count=200, keys=2000),
    "trials-times-keys-wrong": partial(_matrix, count=200, keys=2000, changed=True),
    "trials-times-more-keys": partial(_matrix, count=200, keys=9000),
    "trials-times-keys-twice": partial(_matrix, count=2000, keys=500, changed=True),
    "many-trials-not-listed": partial(many_trials, count=30_000),
    "many-trials-broken": partial(many_trials, count=30_000, text='{"trial_name": 1}'),
    "many-trials-nonsense": partial(many_trials, count=30_000, text="nonsense"),
    "many-trials-odd": partial(
        many_trials, count=10_000, text=json.dumps(RECORD).replace('"version": "1.0.0"', '"version": 1')
    ),
    "many-steps": partial(many_steps, count=50_000),
    "many-steps-keys": partial(
        many_steps, count=3000, rewards="{" + ", ".join(f'"k{n}": 1' for n in range(200)) + "}"
    ),
    "many-entries": partial(_many_entries, count=100_000),
    "many-links": partial(_many_links, count=100_000),
    "many-reward-keys": partial(many_keys, count=70_000),
    "many-recorded-keys": partial(many_keys, count=1_000_000, file=RECORD_FILE),
    "script-metric-wide": partial(_script_wide, count=500_000, levels=200),
    "sparse-records": partial(_sparse_records, count=400, size=63 * MIB),
    "deep-folders": partial(_deep_folders, levels=5000),
    "long-keys": partial(wide, file="result.json", size=40 * MIB, piece='{"' + "k" * MIB + '":1}'),
}
"""The kinds that take much time, memory or disk space."""

KINDS: dict[str, Maker] = {**_SMALL, **COSTLY}
"""All kinds by name."""


def _large(folder: Path, count: int, metadata: str = "null") -> None:
    correct_job(folder, ({"reward": float(number % 2)} for number in range(count)), metadata)


_TOKENS = ",\n".join([" " * 20 + "1234567"] * 80_000)
GOOD: dict[str, Maker] = {
    "trials-10000": partial(_large, count=10_000),
    "trials-of-2-mib": partial(
        _large, count=100, metadata=f'{{\n{" " * 16}"tokens": [\n{_TOKENS}\n{" " * 16}]\n{" " * 12}}}'
    ),
    "trials-100-keys-100": partial(_matrix, count=100, keys=100),
}
"""Large, correct jobs: they must be audited without a finding."""


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
    taken = {"seconds": time.monotonic() - begun, "cpu": cpu, "mib": peak}
    return {**taken, "code": code, "out": out, "err": err}
