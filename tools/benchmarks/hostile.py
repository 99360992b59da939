"""The cost of hostile runners and job directories for the kit: python -m tools.benchmarks.hostile

Every kind that the tests know is tried as a user would try it, one after the other, each in processes of
its own:

- runners: ``harbor-conformance run --report`` on each behaviour of ``tests/runners/hostile.py``, a few
  also under pytest, pytest with two workers, and ``fuzz``;
- jobs: ``harbor-conformance check --json`` on each kind of ``tools/jobs/hostile.py``, at full size;

For each: the most memory that a process of the kit held (what the hostile side takes is not counted), the
seconds, the exit code, and whether the report is there. If the kit is killed, leaves no report, or shows a
traceback, it has failed regardless of the cost. Arguments choose kinds by name.
"""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import track

from conformance.assessment.benchmarks import Figure
from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import section_files
from tests.runners import hostile
from tools.benchmarks.measuring import ROOT, finish, options, table
from tools.jobs.hostile import KINDS

TESTS = ROOT / "tests"
MIB = 1 << 20
MOST_SECONDS = 60.0
MOST_MIB = 500.0
PATIENCE = 5 * MOST_SECONDS
REPLY_SECONDS = "2"
"""For runners that hang; the user chooses the time-outs:"""
MAX_SECONDS = "30"
LOOK_SECONDS = 0.02
FEW = ("big-replies", "hang", "hang-every-second", "flood-stderr", "huge", "daemon")
"""Behaviours that are tried with all commands that talk to a runner."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One thing to try."""

    group: str
    name: str
    words: tuple[str, ...]
    """The command, as a user would give it."""
    report: Path | None
    """The file that the command has to write; None if it prints its report."""
    hostile: str
    """Processes that were started with a file of this name are the hostile side."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """The arguments of the hostile side."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The result."""

    kind: Kind
    seconds: float
    mib: float
    code: int
    trouble: str


def resident(process: int) -> tuple[int, list[str]] | None:
    """The peak memory of a process so far in bytes, and its first words."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8", errors="replace")
        line = Path(f"/proc/{process}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:
        return None
    for row in status.splitlines():
        if row.startswith("VmHWM:"):
            return int(row.split()[1]) * 1024, line[:3]
    return None


def session(leader: int) -> list[int]:
    """The processes that a process and its children started."""
    parents: dict[int, int] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError, ValueError, IndexError):
            parents[int(name)] = int(Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1])
    found = [leader]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def measure(kind: Kind) -> Cost:
    """Runs the command, and samples the memory of the kit's processes."""
    most: dict[int, int] = {}
    with tempfile.TemporaryFile() as printed:
        began = time.monotonic()
        child = subprocess.Popen(
            kind.words,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
            start_new_session=True,
            env={**os.environ, **kind.environment},
        )
        while child.poll() is None and time.monotonic() - began < PATIENCE:
            for process in session(child.pid):
                held = resident(process)
                if held and not any(word.endswith(kind.hostile) for word in held[1][1:]):
                    most[process] = held[0]
            time.sleep(LOOK_SECONDS)
        seconds = time.monotonic() - began
        endless = child.poll() is None
        with suppress(OSError):
            os.killpg(child.pid, signal.SIGKILL)
        code = child.wait()
        printed.seek(0)
        text = printed.read(8 * MIB).decode("utf-8", "replace")
    trouble = ""
    if endless:
        trouble = "did not end"
    elif code < 0:
        trouble = f"killed by signal {-code}"
    elif "Traceback (most recent call last)" in text and "hello-garbage" not in kind.name:
        trouble = "traceback" if "conformance/" in text.partition("Traceback")[2] else ""
    elif kind.report is None:
        trouble = "" if '"exit_code"' in text else "no report"
    elif not kind.report.exists():
        trouble = "no report"
    return Cost(kind, seconds, max(most.values(), default=0) / MIB, code, trouble)


def program(name: str) -> str:
    """A command next to this Python."""
    return str(Path(sys.executable).with_name(name))


def vector_file(folder: Path, ops: list[str]) -> Path:
    """All vectors of the operations that the hostile runner offers, in one file."""
    files = [json.loads(path.read_text(encoding="utf-8")) for path in section_files(DEFAULT_SPEC)]
    vectors = [vector for file in files for vector in file["vectors"] if vector["op"] in ops]
    path = folder / "vectors.json"
    path.write_text(json.dumps({**files[0], "vectors": vectors}), encoding="utf-8")
    return path


def runners(folder: Path) -> Iterator[Kind]:
    """Every behaviour of the hostile runner."""
    path = vector_file(folder, [op for op in hostile.OPS if not op.startswith("evsys")])
    commands = {
        "run": (program("harbor-conformance"), "run", "--vectors", str(path)),
        "pytest": (program("pytest"), "-q", "-p", "no:cacheprovider"),
        "pytest -n 2": (program("pytest"), "-q", "-p", "no:cacheprovider", "-n", "2"),
        "fuzz": (program("harbor-conformance"), "fuzz", "--time", "20", "--out", str(folder / "found.json")),
    }
    for behaviour in sorted({*hostile.AT_REQUEST, *hostile.AT_HELLO, *hostile.IN_MAIN}):
        command = shlex.join([sys.executable, str(TESTS / "runners" / "hostile.py"), str(path), behaviour])
        for name, words in commands.items():
            if name != "run" and behaviour not in FEW:
                continue
            report = folder / f"{name}-{behaviour}.json"
            flag = {"run": "--report", "fuzz": "--json"}.get(name, "--conformance-report")
            asked = (*words, "--runner", command, "--runner-timeout", REPLY_SECONDS)
            asked += ("--max-time", MAX_SECONDS, flag, str(report))
            asked += (str(path),) if name.startswith("pytest") else ()
            yield Kind("runner", f"{name}: {behaviour}", asked, report, "hostile.py")


def jobs(folder: Path, chosen: list[str]) -> Iterator[Kind]:
    """Every kind of hostile job directory, made when its turn comes."""
    for name, make in KINDS.items():
        if chosen and not any(part in f"job: {name}" for part in chosen):
            continue
        place = folder / "job"
        place.mkdir()
        try:
            make(place)
            words = (program("harbor-conformance"), "check", str(place), "--json")
            yield Kind("job", name, words, None, "no hostile process")
        finally:
            shutil.rmtree(place, ignore_errors=True)


def every(folder: Path, chosen: list[str]) -> Iterator[Kind]:
    """All kinds that the arguments choose."""
    for kind in runners(folder):
        if not chosen or any(part in f"{kind.group}: {kind.name}" for part in chosen):
            yield kind
    yield from jobs(folder, chosen)


def main() -> None:
    """Measures, and prints the table and the two figures next to their targets."""
    names = {"nargs": "*", "metavar": "KIND", "help": "parts of the names of what to try"}
    chosen = options(__doc__, 1, {"kinds": names})
    with tempfile.TemporaryDirectory(prefix="hostile-") as name:
        folder = Path(name)
        costs: list[Cost] = []
        trying = Console(stderr=True)
        with suppress(KeyboardInterrupt):  # report the measurements so far
            for kind in track(every(folder, chosen.kinds), "trying", console=trying, transient=True):
                costs.append(measure(kind))
    if not costs:
        sys.exit("nothing has such a name")
    shown = table(
        "what hostile runners, jobs and metrics cost", "kind", "name", "MiB", "seconds", "exit", "trouble"
    )
    for cost in sorted(costs, key=lambda cost: (cost.kind.group, cost.kind.name)):
        row = (cost.kind.group, cost.kind.name, f"{cost.mib:.0f}", f"{cost.seconds:.1f}", str(cost.code))
        shown.add_row(*row, cost.trouble)
    figures = [
        Figure(f"hostile {group}s, {what}", most, unit, aim)
        for group in sorted({cost.kind.group for cost in costs})
        for what, most, unit, aim in (
            ("the most memory", max(c.mib for c in costs if c.kind.group == group), "MiB", MOST_MIB),
            ("the longest", max(c.seconds for c in costs if c.kind.group == group), "s", MOST_SECONDS),
        )
    ]
    failed = sum(bool(cost.trouble) for cost in costs)
    figures.append(Figure(f"of {len(costs)} kinds, those that broke the kit", failed, "kinds", 0))
    more = [
        {"group": c.kind.group, "name": c.kind.name, "mib": c.mib, "seconds": c.seconds, "exit": c.code,
         "trouble": c.trouble}
        for c in costs
    ]  # fmt: skip
    finish(chosen, "hostile", figures, more, shown)


if __name__ == "__main__":
    main()
