"""Breaks the kit on purpose, and checks that a test notices.

    python -m tools.sabotages                  all of sabotages.json
    python -m tools.sabotages 'gate-*' shim    those with these ids
    python -m tools.sabotages --tenth 7        every tenth, from the seventh on: others each day

Each sabotage replaces one text, in a copy of the tree. A test that fails without it does not count. The exit
code is 1 if a sabotage goes unnoticed, and 2 if the table itself is wrong.
"""

import argparse
import fnmatch
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = Path(__file__).with_suffix(".json")
TIME_LIMIT = 600.0
"""Seconds for the tests of one sabotage; a hang counts as noticed."""
_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
_QUICK, _NO_TESTS = ("-m", "quick"), 5
"""The option that selects quick tests, and pytest's exit code where none is selected."""


@dataclass(frozen=True)
class Sabotage:
    id: str
    breaks: str
    """The fault that it puts into the kit, in one sentence."""
    file: str
    old: str
    new: str
    noticed_by: list[str]
    """The tests that must notice it, as pytest's arguments."""
    quick: bool = True
    """Whether quick tests must notice it; otherwise any of the named ones may."""

    def fault(self) -> str | None:
        """Why it can't be tried; None if it can."""
        path = ROOT / self.file
        count = path.read_text("utf-8").count(self.old) if path.is_file() else 0
        if count != 1:
            return f"{self.id}: its text occurs {count} times in {self.file}, not once: correct {TABLE.name}"
        missing = [test for test in self.noticed_by if not _exists(*test.partition("::")[::2])]
        return f"{self.id}: there is no {missing[0]}: correct {TABLE.name}" if missing else None


def _exists(file: str, test: str) -> bool:
    path, name = ROOT / file, f"def {test.partition('[')[0]}("
    return path.exists() and (not test or name in path.read_text("utf-8"))


def table() -> list[Sabotage]:
    return [Sabotage(**entry) for entry in json.loads(TABLE.read_text("utf-8"))]


def chosen(known: Sequence[Sabotage], patterns: Sequence[str], tenth: int | None) -> list[Sabotage]:
    """The sabotages that the patterns name, optionally a tenth of them."""
    named = [item for item in known if any(fnmatch.fnmatchcase(item.id, glob) for glob in patterns or ("*",))]
    return named if tenth is None else named[tenth % 10 :: 10]


class Workshop:
    """A copy of the tree, and the tests in it that fail without any sabotage."""

    def __init__(self, root: Path) -> None:
        self.broken: list[str] = []
        self._root = root
        self._stamp = time.time()
        command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        for name in subprocess.check_output(command, text=True).split("\0"):
            if name and (ROOT / name).is_file():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, root / name, follow_symlinks=False)
        code = "import conformance, reference_impl; print(conformance.__file__, reference_impl.__file__)"
        _, printed = self._python("-c", code)
        if not all(word.startswith(f"{root}/") for word in printed.split()):
            sys.exit(f"the copy in {root} is not what Python imports, but: {printed}")

    def test_unbroken(self, known: Sequence[Sabotage]) -> None:
        """Records which tests fail without any sabotage."""
        for quick in (True, False):
            tests = dict.fromkeys(test for item in known if item.quick is quick for test in item.noticed_by)
            if tests:
                code, printed = self._pytest(*tests, *(_QUICK if quick else ()))
                self.broken += _FAILED.findall(printed)
                if code not in (0, 1):
                    sys.exit(f"without any sabotage pytest ends with {code}:\n{printed[-3000:]}")

    def first_failure(self, item: Sabotage) -> str:
        """Applies a sabotage, runs its tests, and reverts it; returns the first test that failed, or ""."""
        path = self._root / item.file
        text = path.read_text("utf-8")
        self._write(path, text.replace(item.old, item.new))
        try:
            deselected = (f"--deselect={name}" for name in self.broken)
            code, printed = self._pytest(*item.noticed_by, *(_QUICK if item.quick else ()), "-x", *deselected)
        finally:
            self._write(path, text)
        if code is None:
            return f"a test that ran into the limit of {TIME_LIMIT:g} s"
        failed = _FAILED.search(printed)
        return "" if code in (0, _NO_TESTS) else failed[1] if failed else f"pytest, which ended with {code}"

    def _write(self, path: Path, text: str) -> None:
        """Writes a file with a new modification time, so that Python does not reuse the old bytecode."""
        path.write_text(text, "utf-8")
        self._stamp += 2
        os.utime(path, (self._stamp, self._stamp))

    def _pytest(self, *words: str) -> tuple[int | None, str]:
        plain = ("-q", "-rfE", "--tb=no", "-p", "no:cacheprovider", f"--basetemp={self._root}.tmp")
        return self._python("-m", "pytest", *plain, *words)

    def _python(self, *words: str) -> tuple[int | None, str]:
        """Runs Python in the copy; returns its exit code (None after the time limit) and its output."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        with subprocess.Popen(
            [sys.executable, *words],
            cwd=self._root,
            env={**environment, "PYTHONPATH": str(self._root), "COLUMNS": "1000"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as process:
            try:
                printed, _ = process.communicate(timeout=TIME_LIMIT)
                return process.returncode, printed
            except BaseException as error:
                os.killpg(process.pid, signal.SIGKILL)
                if not isinstance(error, subprocess.TimeoutExpired):
                    raise
                return None, process.communicate()[0]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.sabotages", description="Sabotages the kit.")
    parser.add_argument("ids", nargs="*", help="only these; * and ? stand for any characters")
    parser.add_argument("--tenth", type=int, metavar="N", help="only every tenth, from N modulo 10 on")
    options = parser.parse_args()
    wanted = chosen(table(), options.ids, options.tenth)
    faults = [fault for entry in wanted if (fault := entry.fault())]
    if faults or not wanted:
        print("\n".join(faults) or "no sabotage has such an id", file=sys.stderr)
        sys.exit(2)
    unnoticed = []
    with tempfile.TemporaryDirectory(prefix="sabotages-") as folder:
        os.chmod(folder, 0o755)  # some tests read the kit as an ordinary user
        workshop = Workshop(Path(folder).resolve() / "kit")
        workshop.test_unbroken(wanted)
        for name in workshop.broken:
            print(f"fails without any sabotage, and so does not count: {name}")
        width = max(len(entry.id) for entry in wanted)
        for item in wanted:
            began, first_failure = time.monotonic(), workshop.first_failure(item)
            unnoticed += [] if first_failure else [item.id]
            seconds = time.monotonic() - began
            print(f"{item.id:{width}}  {seconds:6.1f} s  {first_failure or 'NOT NOTICED'}", flush=True)
    missed = f"; not: {', '.join(unnoticed)}" if unnoticed else ""
    print(f"{len(wanted) - len(unnoticed)} of {len(wanted)} noticed{missed}")
    sys.exit(1 if unnoticed else 0)


if __name__ == "__main__":
    main()
