"""Sabotages the kit: which test notices each sabotage, and in how many seconds?

    python -m tools.sabotages                  all of sabotages.json
    python -m tools.sabotages 'gate-*' shim    those with these ids
    python -m tools.sabotages --tenth 7        every tenth, from the seventh on: another one every day
    python -m tools.sabotages --quick          by any quick test, not only by those that are named

Each is a patch of one place, applied to a copy of the tree. A test that fails without the patch does not
count. The exit code is 1 if a sabotage goes unnoticed, and 2 if the table itself is wrong.
"""

import argparse
import contextlib
import fnmatch
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parent.parent
TABLE = Path(__file__).with_suffix(".json")
TIME_LIMIT = 600.0
"""Seconds for the tests of one sabotage; a hang counts as noticed."""
_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
_QUICK, _NO_TESTS = ("-m", "quick"), 5
"""The option that selects quick tests, and pytest's exit code where none is selected."""


@dataclass(frozen=True)
class Sabotage:
    """One entry of the table."""

    id: str
    breaks: str
    """How the kit is broken then, in one sentence."""
    file: str
    old: str
    new: str
    noticed_by: list[str]
    """The tests that must notice it, as pytest's arguments."""
    quick: bool = True
    """Whether quick tests must notice it; otherwise any of the named ones may."""

    def fault(self, root: Path = ROOT) -> str | None:
        """Why it can't be tried; None if it can."""
        path = root / self.file
        count = path.read_text("utf-8").count(self.old) if path.is_file() else 0
        if count != 1:
            return f"{self.id}: its text occurs {count} times in {self.file}, not once: correct {TABLE.name}"
        gone = [one for one in self.noticed_by if not (root / one.partition("::")[0]).exists()]
        return f"{self.id}: there is no {gone[0]}: correct {TABLE.name}" if gone else None


@dataclass(frozen=True)
class Result:
    """The result of one sabotage."""

    id: str
    noticed_by: str
    """The first test that failed; empty if none did."""
    seconds: float


def table() -> list[Sabotage]:
    """The whole table."""
    return [Sabotage(**entry) for entry in json.loads(TABLE.read_text("utf-8"))]


def chosen(every: Sequence[Sabotage], patterns: Sequence[str], tenth: int | None) -> list[Sabotage]:
    """The sabotages that the patterns name, optionally a tenth of them."""
    found = [
        one for one in every if not patterns or any(fnmatch.fnmatchcase(one.id, each) for each in patterns)
    ]
    return found if tenth is None else found[tenth % 10 :: 10]


class Workshop:
    """Copies of the tree, one for each job, and the processes that test them."""

    def __init__(self, folder: Path, jobs: int, quick: bool) -> None:
        self.broken: list[str] = []
        """The tests that fail without any sabotage."""
        self._quick = quick
        self._stopped = False
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._free: SimpleQueue[Path] = SimpleQueue()
        self._stamp = time.time()
        command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.check_output(command, text=True).split("\0")
        for number in range(jobs):
            for name in names:
                if name and (ROOT / name).is_file():
                    target = folder / str(number) / name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(ROOT / name, target, follow_symlinks=False)
            self._free.put(folder / str(number))

    def refuse_other_kit(self) -> None:
        """Makes sure that a copy is tested, not the installed checkout."""
        code = "import conformance, reference_impl; print(conformance.__file__, reference_impl.__file__)"
        root = self._free.get()
        _, printed = self._python(root, "-c", code)
        self._free.put(root)
        if not all(word.startswith(f"{root}/") for word in printed.split()):
            sys.exit(f"the copy in {root} is not what Python imports, but: {printed}")

    def test_unbroken(self, every: Sequence[Sabotage]) -> None:
        """Records which tests fail without any sabotage."""
        root = self._free.get()
        for quick in (True, False):
            named = [self._tests(one) for one in every if one.quick is quick]
            words = list(dict.fromkeys(word for one in named for word in one if word not in _QUICK))
            if named:
                code, printed = self._pytest(root, [*words, *(_QUICK if quick or self._quick else ())])
                self.broken += _FAILED.findall(printed)
                if code not in (0, 1):
                    sys.exit(f"without any sabotage pytest ends with {code}:\n{printed[-3000:]}")
        self._free.put(root)

    def _tests(self, one: Sabotage) -> list[str]:
        """The arguments that select a sabotage's tests."""
        return [*([] if self._quick else one.noticed_by), *(_QUICK if self._quick or one.quick else ())]

    def try_out(self, one: Sabotage) -> Result:
        """Applies a sabotage, runs its tests, and reverts it."""
        root = self._free.get()
        path, began = root / one.file, time.monotonic()
        text = path.read_text("utf-8")
        words = [*self._tests(one), "-x", *(f"--deselect={name}" for name in self.broken)]
        try:
            self._write(path, text.replace(one.old, one.new))
            code, printed = self._pytest(root, words)
        finally:
            self._write(path, text)
            self._free.put(root)
        failed = _FAILED.search(printed)
        if code is None:
            noticed = f"a test that ran into the limit of {TIME_LIMIT:g} s"
        elif code in (0, _NO_TESTS):
            noticed = ""
        else:
            noticed = failed[1] if failed else f"pytest, which ended with {code}"
        return Result(one.id, noticed, time.monotonic() - began)

    def stop(self) -> None:
        """Kills running processes."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)

    def _write(self, path: Path, text: str) -> None:
        """Writes a file with a new modification time, so that Python does not reuse the old bytecode."""
        path.write_text(text, "utf-8")
        with self._lock:
            self._stamp += 2
        os.utime(path, (self._stamp, self._stamp))

    def _pytest(self, root: Path, words: Sequence[str]) -> tuple[int | None, str]:
        plain = ("-q", "-rfE", "--tb=no", "-p", "no:cacheprovider", f"--basetemp={root}.tmp")
        return self._python(root, "-m", "pytest", *plain, *words)

    def _python(self, root: Path, *words: str) -> tuple[int | None, str]:
        """Runs Python in a copy; returns its exit code (None after the time limit) and its output."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        with self._lock:
            if self._stopped:
                raise KeyboardInterrupt
            process = subprocess.Popen(
                [sys.executable, *words],
                cwd=root,
                env={**environment, "PYTHONPATH": str(root), "COLUMNS": "1000"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
            )
            self._running.add(process)
        try:
            printed, _ = process.communicate(timeout=TIME_LIMIT)
            return process.returncode, printed
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, process.communicate()[0]
        finally:
            with self._lock:
                self._running.discard(process)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.sabotages", description="Sabotages the kit.")
    parser.add_argument("ids", nargs="*", help="only these; * and ? stand for any characters")
    parser.add_argument("--tenth", type=int, metavar="N", help="only every tenth, from N modulo 10 on")
    parser.add_argument("--quick", action="store_true", help="run all quick tests, not those that are named")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="the number of parallel jobs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results here, too")
    options = parser.parse_args()
    every = chosen(table(), options.ids, options.tenth)
    faults = [fault for one in every if (fault := one.fault())]
    if faults or not every:
        print("\n".join(faults) or "no sabotage has such an id", file=sys.stderr)
        sys.exit(2)
    with tempfile.TemporaryDirectory(prefix="sabotages-") as folder:
        os.chmod(folder, 0o755)  # some tests read the kit as an ordinary user
        workshop = Workshop(Path(folder).resolve(), options.jobs, options.quick)
        pool = ThreadPoolExecutor(options.jobs)
        futures: list[Future[Result]] = []
        results: list[Result] = []
        width = max(len(one.id) for one in every)
        try:
            workshop.refuse_other_kit()
            workshop.test_unbroken(every)
            for name in workshop.broken:
                print(f"fails without any sabotage, and so does not count: {name}")
            futures += [pool.submit(workshop.try_out, one) for one in every]
            for future in futures:
                results.append(one := future.result())
                noticed = one.noticed_by or "NOT NOTICED"
                print(f"{one.id:{width}}  {one.seconds:6.1f} s  {noticed}", flush=True)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            sys.exit(130)
        finally:
            workshop.stop()
            pool.shutdown(cancel_futures=True)
    unnoticed = [one.id for one in results if not one.noticed_by]
    if options.json is not None:
        options.json.write_text(json.dumps([asdict(one) for one in results], indent=2) + "\n", "utf-8")
    others = f"; not: {', '.join(unnoticed)}" if unnoticed else ""
    print(f"{len(results) - len(unnoticed)} of {len(results)} noticed{others}")
    sys.exit(1 if unnoticed else 0)


if __name__ == "__main__":
    main()
