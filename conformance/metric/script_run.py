"""Runs a metric script as harbor runs it, within limits, and tells what is wrong with one run."""

import contextlib
import os
import re
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conformance.metric.confinement import MIB, Ended, Limits, can_lock_writes, run_confined
from conformance.metric.findings import CannotTryError
from conformance.metric.scratch import below, environment, listing, scratch_folder, subfolders, work_folder
from conformance.metric.script_cases import ScriptCase, Trials
from conformance.metric.script_output import Output
from conformance.oracle.python import OracleError, find_uv
from conformance.wire.text import shortened
from reference_impl.metric_script import METRIC_JSON, REWARDS_JSONL, rewards_jsonl

__all__ = ["Ran", "ScriptRunner"]

NO_UV = "harbor runs metric scripts with uv, which was not found: run `pip install uv`."
OLD_OUTPUT = '{"old": 0, "text": "what stood in the output file before the script was started"}\n'
NOT_UTF_8 = "What it prints is not UTF-8: harbor fails to read it, and the job dies."
HELD_OPEN = "It has ended, but what it started held its output open for {seconds:g} seconds: harbor waits."
_BLOCK = re.compile(rb"^# /// script\s*$", re.M)
_REFUSED = re.compile(rb"(?:PermissionError|Permission denied|EACCES|Read-only file system).*")
_INSTALL_SECONDS = 900.0
_STOPS = {
    "time": (
        "never-ends",
        "It had not ended after {seconds:g} seconds and was stopped (--timeout N gives it longer).",
    ),
    "printed": ("too-much", "It printed over {printed} MiB and was stopped."),
    "written": ("too-much", "It wrote over {written} MiB, or thousands of files, and was stopped."),
    "processes": ("too-much", "It started over {processes} processes and was stopped."),
    "keeper": ("exit-code", "It killed the process that watches over it, and was stopped."),
}


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of the script."""

    ended: Ended
    output: Output | None
    problems: tuple[tuple[str, str], ...]


class ScriptRunner:
    """One script, and uv to run it with."""

    def __init__(
        self, script: Path, limits: Limits, python: str | None, hint: str, lock_writes: bool
    ) -> None:
        self._script, self._limits, self._python, self._hint = script, limits, python, hint
        self._locks = lock_writes and can_lock_writes()
        self._caller = Path.cwd()
        self._uv: tuple[str, list[Path], dict[str, str]] | None = None
        self._from_script: bool | None = None
        """Whether it works in its own folder only; None while nobody knows."""

    def version(self) -> str:
        """Uv's own words.

        Raises:
            CannotTryError: there is no script or no uv, or what it depends on can't be installed.
        """
        if not self._script.is_file():
            what = "a directory" if self._script.is_dir() else "not there"
            raise CannotTryError(f"the script {self._script} is {what}: name a file.")
        return _said((self._prepared()[0], "--version")).stdout.strip()

    def has_metadata(self) -> bool:
        """Whether the script has a block of inline metadata."""
        return _BLOCK.search(self._script.read_bytes()) is not None

    def _prepared(self) -> tuple[str, list[Path], dict[str, str]]:
        """uv, the folders that it must write to, and its variables; installs what the script depends on."""
        if self._uv is not None:
            return self._uv
        try:
            uv = find_uv()
        except OracleError:
            raise CannotTryError(NO_UV) from None
        variables = {"UV_PYTHON": self._python} if self._python else {}
        # The home is another one while the script runs: uv keeps its real places.
        for name, place in (("UV_CACHE_DIR", "cache"), ("UV_PYTHON_INSTALL_DIR", "python")):
            variables[name] = os.environ.get(name) or _said((uv, place, "dir")).stdout.strip()
        what = ("sync", "--script", str(self._script)) if self.has_metadata() else ("python", "find")
        done = _said((uv, *what), {**os.environ, **variables})
        if done.returncode != 0:
            raise CannotTryError(
                f"uv can't give the script what it needs: {_last_line(done.stderr.encode())}"
            )
        cache = Path(variables["UV_CACHE_DIR"])
        cache.mkdir(parents=True, exist_ok=True)
        self._uv = uv, [cache], variables
        return self._uv

    def run(self, folder: Path, given: ScriptCase, trials: Trials) -> Ran:
        """One run in a new folder; where the script fails, it may work in its own folder.

        Raises:
            CannotTryError: uv could not be started.
        """
        ran = self._run_in(folder, given, trials, self._script.parent if self._from_script else None)
        if self._from_script is None and given.group == "ordinary" and ran.ended.stopped is None:
            if ran.ended.code == 0:
                self._from_script = False
                return ran
            again = self._run_in(folder / "again", given, trials, self._script.parent)
            self._from_script = again.ended.code == 0
            if self._from_script:
                sentence = "It works where it stands, and fails in another working directory: "
                problem = ("working-directory", f"{sentence}{_last_line(ran.ended.stderr)}")
                return Ran(ran.ended, ran.output, (problem,))
        return ran

    def _run_in(self, folder: Path, given: ScriptCase, trials: Trials, cwd: Path | None) -> Ran:
        uv, writable, variables = self._prepared()
        work_folder(folder)
        data = rewards_jsonl(trials)
        source, target = folder / REWARDS_JSONL, folder / METRIC_JSON
        source.write_bytes(data)
        if given.compares == "old":
            target.write_text(OLD_OUTPUT, encoding="utf-8")
        flags = ("--input-path", "--output-path") if given.group == "long" else ("-i", "-o")
        watched = () if self._locks else {self._script.parent, self._caller}
        before = listing(watched)
        ended = run_confined(
            [uv, "run", str(self._script), flags[0], str(source), flags[1], str(target)],
            folder=folder,
            cwd=cwd or subfolders(folder)[0],
            environment={**environment(folder), **variables},
            limits=self._limits,
            writable=writable,
            lock_writes=self._locks,
        )
        output = None
        problems = list(self._of_the_process(ended, folder))
        if not problems:
            with contextlib.suppress(OSError):
                if target.is_file() and target.stat().st_size <= self._limits.file_bytes:
                    output = Output.read(target.read_bytes())
            problems += _no_output(ended) if output is None else output.problems
        if not ended.decodes:
            problems.insert(0, ("prints-non-utf-8", NOT_UTF_8))
        problems += self._of_the_files(folder, source, data)
        if changed := sorted(_changed(before, listing(watched))):
            problems.append(
                ("writes-elsewhere", f"It changed {shortened(changed[0], 200)}, which is no file of its own.")
            )
        if ended.left:
            problems.append(("leaves-behind", f"{ended.left} of its processes outlived it, and were ended."))
        return Ran(ended, output, tuple(problems))

    def _of_the_process(self, ended: Ended, folder: Path) -> Iterator[tuple[str, str]]:
        limits = self._limits
        if ended.failure:
            raise CannotTryError(f"uv could not be started: {ended.failure}")
        if ended.stopped:
            rule, sentence = _STOPS[ended.stopped]
            if ended.code is not None and ended.stopped == "time":
                sentence = HELD_OPEN
            yield rule, sentence.format(
                seconds=limits.seconds, printed=limits.printed // MIB,
                written=limits.folder_bytes // MIB, processes=limits.processes,
            )  # fmt: skip
        elif any(status.st_size >= limits.file_bytes for _, status in below(folder)):
            yield "too-much", f"It wrote a file of over {limits.file_bytes // MIB} MiB and was stopped."
        elif ended.code != 0:
            refused = self._locks and _REFUSED.search(ended.stderr)
            if refused:
                line = shortened(refused[0].decode("utf-8", "replace"), 200)
                yield "writes-elsewhere", f"It failed as it may write to its own folder only: {line}"
            else:
                said = _last_line(ended.stderr) or "it says nothing on standard error"
                if said.startswith("KeyError"):
                    said += self._hint
                yield "exit-code", f"It {_how(ended)}: {said}"

    def _of_the_files(self, folder: Path, source: Path, data: bytes) -> Iterator[tuple[str, str]]:
        try:
            same = stat.S_ISREG(source.lstat().st_mode) and source.read_bytes() == data
        except OSError:
            same = False
        if not same:
            yield "changes-input", "It changed or removed its input file."
        work, _, temporary = subfolders(folder)
        for place, what in ((work, "its working directory"), (temporary, "the folder of temporary files")):
            with contextlib.suppress(OSError):
                left = [name for name in sorted(os.listdir(place)) if not name.startswith("uv-")]
                if left:
                    yield "leaves-behind", f"It left {shortened(left[0], 80)!r} in {what}."
                    return


def _said(
    command: tuple[str, ...], variables: dict[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """What uv answers, outside of any project; it may have to install something."""
    with scratch_folder() as folder:
        try:
            return subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                cwd=folder,
                env=variables,
                timeout=_INSTALL_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CannotTryError(f"uv can't be used: {error}") from None


def _no_output(ended: Ended) -> list[tuple[str, str]]:
    printed = ended.stdout.strip()
    sentence = "It exited with 0 and wrote no output file"
    if printed.startswith(b"{"):
        sentence += (
            f"; it printed {shortened(printed.decode('utf-8', 'replace'), 80)}, which harbor does not look at"
        )
    return [("no-output", f"{sentence}.")]


def _how(ended: Ended) -> str:
    assert ended.code is not None
    return f"exited with {ended.code}" if ended.code >= 0 else f"was killed by signal {-ended.code}"


def _last_line(said: bytes) -> str:
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    return shortened(lines[-1], 200) if lines else ""


def _changed(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> set[str]:
    return {path for path in {*before, *after} if before.get(path) != after.get(path)}
