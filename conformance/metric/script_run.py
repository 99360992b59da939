"""Runs a metric script as harbor runs it, within limits, and tells what is wrong with one run."""

import contextlib
import json
import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from conformance.metric import in_turn
from conformance.metric.confinement import MIB, Ended, Limits, can_lock_writes, run_confined
from conformance.metric.findings import CannotTryError
from conformance.metric.scratch import below, environment, listing, subfolders, work_folder
from conformance.metric.script_output import Output
from conformance.metric.script_ran import (
    PLAIN,
    How,
    Ran,
    Trials,
    code_of,
    how_ended,
    is_utf_8,
    last_line,
    no_output,
)
from conformance.metric.script_uv import ScriptUv
from conformance.option_names import metric_option
from conformance.wire.text import shortened
from reference_impl.metric_script import METRIC_JSON, REWARDS_JSONL, rewards_jsonl

__all__ = ["ScriptRunner"]

OLD_OUTPUT = '{"old": 0, "text": "what stood in the output file before the script was started"}\n'
NOT_UTF_8 = "What it prints is not UTF-8: harbor fails to read it, and the job dies."
HELD_OPEN = "It has ended, but what it started held its output open for {seconds:g} seconds: harbor waits."
_BLOCK = re.compile(rb"^# /// script\s*$", re.M)
_REFUSED = re.compile(rb"(?:PermissionError|Permission denied|EACCES|Read-only file system).*")
_MOST_OUTPUT = 4 * MIB
_MOST_KEPT = 1 << 16
_TAIL = 8192
_STOPS = {
    "time": (
        "never-ends",
        "It had not ended after {seconds:g} seconds and was stopped ({timeout} N gives it longer).",
    ),
    "printed": ("too-much", "It printed over {printed} MiB and was stopped."),
    "written": ("too-much", "It wrote over {written} MiB, or thousands of files, and was stopped."),
    "processes": ("too-much", "It started over {processes} processes and was stopped."),
    "keeper": ("exit-code", "It killed the process that watches over it, and was stopped."),
}


class ScriptRunner:
    """One script, and uv to run it with."""

    def __init__(self, script: Path, limits: Limits, python: str | None, lock_writes: bool) -> None:
        self._script, self._limits, self._python = script, limits, python
        self._locks = lock_writes and can_lock_writes()
        self.sees_all_in_turn = self._locks
        """Whether runs in turn show all that a run by itself shows, but for processes that are left."""
        self._caller = Path.cwd()
        self._uv: ScriptUv | None = None
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
        return self._prepared().version

    def has_metadata(self) -> bool:
        """Whether the script has a block of inline metadata."""
        return _BLOCK.search(self._script.read_bytes()) is not None

    def _prepared(self) -> ScriptUv:
        """uv; installs what the script depends on."""
        if self._uv is None:
            self._uv = ScriptUv(self._script, self._python, has_metadata=self.has_metadata())
        return self._uv

    def run(self, folder: Path, trials: Trials, how: How = PLAIN) -> Ran:
        """One run in a new folder; where the script fails, it may work in its own folder.

        Raises:
            CannotTryError: uv could not be started.
        """
        ran = self._run_in(folder, trials, how, self._script.parent if self._from_script else None)
        if self._from_script is None and how == PLAIN and ran.ended.stopped is None:
            if ran.ended.code == 0:
                self._from_script = False
                return ran
            again = self._run_in(folder / "again", trials, how, self._script.parent)
            self._from_script = again.ended.code == 0
            if self._from_script:
                sentence = "It works where it stands, and fails in another working directory: "
                problem = ("working-directory", f"{sentence}{last_line(ran.ended.stderr)}")
                return replace(again, problems=(problem, *again.problems))
        return ran

    def run_in_turn(
        self, folder: Path, calls: Sequence[tuple[Trials, Mapping[str, str]]], *, shared: bool
    ) -> list[Ran]:
        """Runs one after the other, which costs less than as many runs by themselves.

        Each is given trials and variables. With ``shared`` all have one home and one place for temporary
        files, as in a job. The runs after one that had to be stopped are left out.

        Raises:
            CannotTryError: uv could not be started.
        """
        uv = self._prepared()
        writable, fresh, variables = uv.for_run()
        work_folder(folder)
        asked = []
        for number, (trials, more) in enumerate(calls):
            place = folder / f"call-{number}"
            work_folder(place)
            home = folder if shared else place
            (place / REWARDS_JSONL).write_bytes(rewards_jsonl(trials))
            arguments = ["-i", str(place / REWARDS_JSONL), "-o", str(place / METRIC_JSON)]
            asked.append(
                {
                    "arguments": arguments,
                    "environment": {**environment(home), **variables, **more},
                    "folder": str(self._script.parent if self._from_script else subfolders(home)[0]),
                    "stdout": str(place / "stdout"),
                    "stderr": str(place / "stderr"),
                }
            )
        job = {"command": uv.command(), "calls": asked}
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        lines: list[bytes] = []
        ended = run_confined(
            [sys.executable, "-I", "-S", in_turn.__file__, str(folder / "job.json")],
            folder=folder,
            cwd=subfolders(folder)[0],
            environment={**environment(folder), **variables},
            limits=self._limits,
            writable=writable,
            fresh=fresh,
            levels=2,
            lock_writes=self._locks,
            on_line=lines.append,
        )
        ran = []
        for number, (trials, _) in enumerate(calls):
            place = folder / f"call-{number}"
            one = ended
            if number < len(lines):
                code, said = code_of(lines[number]), b""
                with contextlib.suppress(OSError), (place / "stderr").open("rb") as file:
                    file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
                    said = file.read(_TAIL)
                one = Ended(code=code, stderr=said)
            elif not ended.stopped and ended.code == 0:
                one = Ended(code=1, stderr=b"it writes into the kit's own channel")
            problems = list(self._of_the_process(one, folder))
            output, written = self._of_the_output(one, place / METRIC_JSON, problems)
            if not (is_utf_8(place / "stdout") and is_utf_8(place / "stderr")):
                problems.insert(0, ("prints-non-utf-8", NOT_UTF_8))
            if not shared:
                problems += self._of_the_files(place, place / REWARDS_JSONL, rewards_jsonl(trials))
            ran.append(Ran(trials, one, output, tuple(problems), written))
            if one is ended:
                break
        return ran

    def _run_in(self, folder: Path, trials: Trials, how: How, cwd: Path | None) -> Ran:
        uv = self._prepared()
        work_folder(folder)
        writable, fresh, variables = uv.for_run()
        data = rewards_jsonl(trials)
        source, target = folder / REWARDS_JSONL, folder / METRIC_JSON
        source.write_bytes(data)
        if how.old:
            target.write_text(OLD_OUTPUT, encoding="utf-8")
        flags = ("--input-path", "--output-path") if how.long else ("-i", "-o")
        changed: dict[str, str | None] = {**environment(folder), **variables, **dict(how.environment)}
        watched = () if self._locks else {self._script.parent, self._caller}
        before = listing(watched)
        ended = run_confined(
            uv.command(flags[0], str(source), flags[1], str(target)),
            folder=folder,
            cwd=cwd or subfolders(folder)[0],
            environment={name: value for name, value in changed.items() if value is not None},
            limits=self._limits,
            writable=writable,
            fresh=fresh,
            lock_writes=self._locks,
        )
        problems = list(self._of_the_process(ended, folder))
        output, written = self._of_the_output(ended, target, problems)
        if not ended.decodes:
            problems.insert(0, ("prints-non-utf-8", NOT_UTF_8))
        problems += self._of_the_files(folder, source, data)
        if changes := sorted(_changed(before, listing(watched))):
            problems.append(
                ("writes-elsewhere", f"It changed {shortened(changes[0], 200)}, which is no file of its own.")
            )
        if ended.left:
            problems.append(("leaves-behind", f"{ended.left} of its processes outlived it, and were ended."))
        return Ran(trials, ended, output, tuple(problems), written)

    def _of_the_output(
        self, ended: Ended, target: Path, problems: list[tuple[str, str]]
    ) -> tuple[Output | None, bytes | None]:
        """What a run wrote, where nothing was wrong before; adds what is wrong with it."""
        if problems:
            return None, None
        data: bytes | None = None
        with contextlib.suppress(OSError):
            if target.is_file():
                if (size := target.stat().st_size) > _MOST_OUTPUT:
                    problems.append(("too-much", f"Its output has {size // MIB} MiB, which nobody reads."))
                    return None, None
                data = target.read_bytes()
        if data is None:
            problems += no_output(ended)
            return None, None
        output = Output.read(data)
        problems += output.problems
        if len(data) > _MOST_KEPT:
            return Output(None, output.problems, usable=False), None
        return output, data

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
                timeout=metric_option("timeout"),
            )  # fmt: skip
        elif any(status.st_size >= limits.file_bytes for _, status in below(folder)):
            yield "too-much", f"It wrote a file of over {limits.file_bytes // MIB} MiB and was stopped."
        elif ended.code != 0:
            refused = self._locks and _REFUSED.search(ended.stderr)
            if refused:
                line = shortened(refused[0].decode("utf-8", "replace"), 200)
                yield "writes-elsewhere", f"It failed as it may write to its own folder only: {line}"
            else:
                said = last_line(ended.stderr) or "it says nothing on standard error"
                yield "exit-code", f"It {how_ended(ended)}: {said}"

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


def _changed(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> set[str]:
    return {path for path in {*before, *after} if before.get(path) != after.get(path)}
