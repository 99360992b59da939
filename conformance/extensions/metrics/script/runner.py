"""Runs a metric script like harbor, with limits, and reports problems of a run."""

import contextlib
import json
import os
import re
import signal
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path

from conformance.confinement.bubblewrap import confined
from conformance.extensions.metrics.checker import CannotTryError
from conformance.extensions.metrics.sandbox import watched
from conformance.extensions.metrics.sandbox.environments import FIRST
from conformance.extensions.metrics.sandbox.limits import Ended, Limits, last_line
from conformance.extensions.metrics.sandbox.room import Room
from conformance.extensions.metrics.script import runs
from conformance.extensions.metrics.script.environment import ScriptEnvironment
from conformance.extensions.metrics.script.runs import PLAIN, How, Problem, ScriptRun, Trials
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import MIB, Refused
from reference_impl.metric_script import METRIC_JSON, REWARDS_JSONL, rewards_jsonl

__all__ = ["ScriptRunner"]

NOT_UTF_8 = "What it prints is not UTF-8: harbor fails to read it, and the job dies."
_MOST_OUTPUT, _MOST_KEPT, _MOST_NOTES = 4 * MIB, 1 << 16, 1 << 16
_OTHER_NAMES = ("lines-of-another.jsonl", "result-of-another.json")
_REFUSED = re.compile(rb"(?:PermissionError|Permission denied|EACCES|Read-only file system).*")
_TOO_LARGE = re.compile(rb"File too large|EFBIG")
_ABSENT = re.compile(rb"No such file or directory: '(/[^']+)'")
_NETWORK = re.compile(rb"(Name or service not known|name resolution|Network is unreachable)")


class ScriptRunner:
    """One script and its environment. Raises CannotTryError if it can't be started at all."""

    def __init__(self, script: Path, limits: Limits, python: str | None) -> None:
        self._script, self._limits, self._named = script, limits, python
        self._made: ScriptEnvironment | None = None
        self._rooms: dict[str, Room] = {}
        self.close = weakref.finalize(self, _leave, self._rooms)
        self._places = 0
        self._from_script: bool | None = None
        """Whether it works only in its own folder; None while unknown."""

    def prepare(self) -> ScriptEnvironment:
        """Creates its environment and installs its dependencies.

        Raises:
            CannotTryError: there is no script or no uv, or its dependencies can't be installed.
        """
        if self._made is None:
            if not self._script.is_file():
                what = "a directory" if self._script.is_dir() else "not there"
                raise CannotTryError(f"the script {self._script} is {what}: name a file.")
            try:
                self._made = ScriptEnvironment(self._script, self._named)
            except (OSError, Refused) as error:
                raise CannotTryError(f"the script {self._script} can't be read: {error}") from None
        return self._made

    def run(self, trials: Trials, how: How = PLAIN) -> ScriptRun:
        """Runs the script; if it fails, tries it in its own folder."""
        outcome = self._once(trials, how)
        if self._from_script is None and how == PLAIN and outcome.ended.stopped is None:
            self._from_script = outcome.ended.code != 0
            if self._from_script:
                again = self._once(trials, how)
                self._from_script = again.ended.code == 0
                sentence = "It works in its own folder, and fails in another working directory: "
                problem = ("working-directory", f"{sentence}{last_line(outcome.ended.stderr)}")
                return again._replace(problems=(problem, *again.problems)) if self._from_script else outcome
        return outcome

    def run_in_turn(self, lists: Sequence[Trials]) -> list[ScriptRun]:
        """Consecutive runs with the same home and temporary folder, as in a job.

        Runs after one that had to be stopped are omitted.
        """
        room = self._room(PLAIN)
        home = self._place(room)
        return [
            self._once(trials, PLAIN, call=(room, f"{home}/call-{number}", home))
            for number, trials in enumerate(lists)
            if room.is_alive
        ]

    def _room(self, how: How) -> Room:
        """A room without traces of earlier runs."""
        made, host = self.prepare(), how.under.host
        room = self._rooms.get(host)
        if room is None or not room.is_clean():
            if room is not None:
                room.__exit__()
            self._rooms[host] = room = Room(self._limits, made.python, made.mounts, host=host).__enter__()
        return room

    def _place(self, room: Room) -> str:
        self._places += 1
        return f"{room.path}/{self._places}"

    def _once(self, trials: Trials, how: How, call: tuple[Room, str, str] | None = None) -> ScriptRun:
        """One run. As a job's ``call``, in a given room, folder and home, it may leave any files."""
        python = self.prepare().python.path
        room, place, home = call or (room := self._room(how), place := self._place(room), place)
        names = (REWARDS_JSONL, METRIC_JSON) if how.under.folder == FIRST.folder else _OTHER_NAMES
        source, target = (f"{place}/{name}" for name in names)
        data = rewards_jsonl(trials)
        files = {source: data.decode()}
        asked = how.under.call(room, home)
        if self._from_script:
            asked["cwd"] = str(self._script.parent)
        asked["folders"].append(place)
        program: tuple[str, ...] = ()
        notes = f"{place}-watched/notes"
        if how.pretended is not None:
            program = (f"{place}-watched/watched.py", notes, json.dumps(dict(how.pretended)))
            files[program[0]] = Path(watched.__file__).read_text("utf-8")
            asked["folders"].append(f"{place}-watched")
        flags = ("--input-path", "--output-path") if how.long else ("-i", "-o")
        words = [python, *program, str(self._script), flags[0], source, flags[1], target]
        ended = room.call(words, files=files, **asked)
        problems = [] if ended.decodes else [("prints-non-utf-8", NOT_UTF_8)]
        problems += (failed := list(self._of_the_process(ended)))
        output, written = (runs.Output(()), None) if failed else _output(room, ended, target)
        problems += output.problems
        if call is None and not program:
            problems += _of_the_files(room, place, data, how, names)
        if ended.left and call is None:
            problems.append(("leaves-behind", f"{ended.left} of its processes outlived it, and were ended."))
        noted = None
        with contextlib.suppress(Refused):
            noted = room.read(notes, _MOST_NOTES) if program else None
        lines = (noted or b"").decode("utf-8", "replace").splitlines()
        asked_for = tuple(name for name in lines if name.isprintable() and " " not in name)
        return ScriptRun(trials, ended, tuple(problems), output.value, output.usable, written, asked_for)

    def _of_the_process(self, ended: Ended) -> Iterator[Problem]:
        if ended.failure:
            raise CannotTryError(f"the script could not be started: {ended.failure}")
        if ended.stopped:
            rule, sentence = ended.why_stopped(self._limits)
            yield "exit-code" if rule == "ends-process" else rule, sentence
        elif ended.code and (_TOO_LARGE.search(ended.stderr) or ended.code == -signal.SIGXFSZ):
            most = self._limits.file_bytes // MIB
            yield "too-much", f"It wrote a file of over {most} MiB and was stopped."
        elif ended.code and confined() and (refused := _REFUSED.search(ended.stderr)):
            line = last_line(refused[0])
            yield "writes-elsewhere", f"It failed because it may write only to its own folder: {line}"
        elif ended.code != 0:
            code, stderr = ended.code or 0, ended.stderr.decode("utf-8", "replace")
            how = f"exited with {code}" if code > 0 else f"was killed by signal {-code}"
            message = last_line(ended.stderr) or "it says nothing on standard error"
            name = re.escape(self._script.name)
            frames = re.findall(rf'^  File ".*/{name}", line (\d+)', stderr, re.M)
            where = f" ({self._script.name}, line {frames[-1]})" if frames else ""
            yield "exit-code", f"It {how}: {message}{where}{_hint(ended.stderr) if confined() else ''}"


def _output(room: Room, ended: Ended, path: str) -> tuple[runs.Output, bytes | None]:
    """A run's output, and its bytes if there are few."""
    try:
        data = room.read(path, _MOST_OUTPUT)
    except Refused as error:
        too_much = "too-much", f"Its output has {error.found}, which is more than is read."
        not_read = "no-output", f"Its output is not read: {error.found}."
        return runs.Output((too_much if error.kind == "too-large" else not_read,)), None
    if data is None:
        printed_text = shortened(ended.stdout.strip().decode("utf-8", "replace"), 80)
        printed = f"; it printed {printed_text}, which harbor ignores" if printed_text.startswith("{") else ""
        return runs.Output((("no-output", f"It exited with 0 and wrote no output file{printed}."),)), None
    output = runs.read_output(data)
    return (runs.Output(output.problems), None) if len(data) > _MOST_KEPT else (output, data)


def _of_the_files(room: Room, place: str, data: bytes, how: How, names: Sequence[str]) -> Iterator[Problem]:
    """Changes to a run's input, and the first file that it left."""
    try:
        same = room.read(f"{place}/{names[0]}", len(data)) == data
    except Refused:
        same = False
    if not same:
        yield "changes-input", "It changed or removed its input file."
    own = {path.partition("/")[0] for path in (how.under.folder, how.under.home)}
    for folder, what, expected in (
        (f"{place}/{how.under.folder}", "its working directory", ()),
        (f"{place}/tmp", "the folder of temporary files", ()),
        (place, "the folder of its output", (*names, "tmp", *own)),
    ):
        found = room.names(folder)
        left = [name for name in found or () if name not in expected]
        if found is None or left:
            so = f"with {shortened(left[0], 80)!r} in it" if left else "so that it can't be listed"
            yield "leaves-behind", f"It left {what} {so}."
            return
    if strange := room.unexpected_files():
        yield "leaves-behind", f"It left {shortened(strange[0], 80)!r}."


def _leave(rooms: dict[str, Room]) -> None:
    for room in rooms.values():
        room.__exit__()
    rooms.clear()


def _hint(stderr: bytes) -> str:
    """A hint if the sandbox may be the cause, since the script needs something that is not there."""
    if _NETWORK.search(stderr):
        return " (there is no network where it runs)"
    found = _ABSENT.search(stderr)
    if found and os.path.isdir(os.path.dirname(found[1])):
        return " (only its own folder, its Python and the system's libraries are there where it runs)"
    return ""
