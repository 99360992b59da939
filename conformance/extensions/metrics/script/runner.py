"""Runs a metric script like harbor, but with limits, and reports problems of a run."""

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
from conformance.extensions.metrics.sandbox.sandbox import Sandbox
from conformance.extensions.metrics.script import runs
from conformance.extensions.metrics.script.environment import ScriptEnvironment
from conformance.extensions.metrics.script.runs import PLAIN, Problem, RunOptions, ScriptRun, Trials
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import MIB, Refused
from reference_impl.metric_script import METRIC_JSON, REWARDS_JSONL, rewards_jsonl

__all__ = ["ScriptRunner"]

NOT_UTF_8 = "It prints text that is not UTF-8: harbor can't read it, and the job dies."
_MOST_OUTPUT, _MOST_KEPT, _MOST_NOTES = 4 * MIB, 1 << 16, 1 << 16
_OTHER_NAMES = ("lines-of-another.jsonl", "result-of-another.json")
_REFUSED = re.compile(rb"(?:PermissionError|Permission denied|EACCES|Read-only file system).*")
_TOO_LARGE = re.compile(rb"File too large|EFBIG")
_ABSENT = re.compile(rb"No such file or directory: '(/[^']+)'")
_NETWORK = re.compile(rb"(Name or service not known|name resolution|Network is unreachable)")


class ScriptRunner:
    """Runs one script in its environment. Raises CannotTryError if it can't be started at all."""

    def __init__(self, script: Path, limits: Limits, python: str | None) -> None:
        self._script, self._limits, self._named = script, limits, python
        self._environment: ScriptEnvironment | None = None
        self._sandboxes: dict[str, Sandbox] = {}
        self.close = weakref.finalize(self, _close_all, self._sandboxes)
        self._path_count = 0
        self._from_script: bool | None = None
        """Whether the script works only in its own folder; None while unknown."""

    def prepare(self) -> ScriptEnvironment:
        """Create the environment, and install the dependencies, on the first call.

        Raises:
            CannotTryError: the script or uv is missing, or the dependencies can't be installed.
        """
        if self._environment is None:
            if not self._script.is_file():
                fault = "is a directory" if self._script.is_dir() else "does not exist"
                raise CannotTryError(f"the script {self._script} {fault}: name a file.")
            try:
                self._environment = ScriptEnvironment(self._script, self._named)
            except (OSError, Refused) as error:
                raise CannotTryError(f"the script {self._script} can't be read: {error}") from None
        return self._environment

    def run(self, trials: Trials, options: RunOptions = PLAIN) -> ScriptRun:
        """Run the script; if the first run fails, try it in its own folder."""
        outcome = self._run_once(trials, options)
        if self._from_script is None and options == PLAIN and outcome.ended.stopped is None:
            self._from_script = outcome.ended.code != 0
            if self._from_script:
                again = self._run_once(trials, options)
                self._from_script = again.ended.code == 0
                sentence = "It works in its own folder, but fails in another working directory: "
                problem = ("working-directory", f"{sentence}{last_line(outcome.ended.stderr)}")
                return again._replace(problems=(problem, *again.problems)) if self._from_script else outcome
        return outcome

    def run_consecutively(self, lists: Sequence[Trials]) -> list[ScriptRun]:
        """Run the script on each list with the same home and temporary folder, as in a job.

        After a run that had to be stopped, no more are started.
        """
        sandbox = self._clean_sandbox(PLAIN)
        home = self._new_path(sandbox)
        return [
            self._run_once(trials, PLAIN, call=(sandbox, f"{home}/call-{number}", home))
            for number, trials in enumerate(lists)
            if sandbox.is_alive
        ]

    def _clean_sandbox(self, options: RunOptions) -> Sandbox:
        """Return a sandbox without traces of earlier runs."""
        environment, host = self.prepare(), options.under.host
        sandbox = self._sandboxes.get(host)
        if sandbox is None or not sandbox.is_clean():
            if sandbox is not None:
                sandbox.__exit__()
            self._sandboxes[host] = sandbox = Sandbox(
                self._limits, environment.python, environment.mounts, host=host
            ).__enter__()
        return sandbox

    def _new_path(self, sandbox: Sandbox) -> str:
        self._path_count += 1
        return f"{sandbox.path}/{self._path_count}"

    def _run_once(
        self, trials: Trials, options: RunOptions, call: tuple[Sandbox, str, str] | None = None
    ) -> ScriptRun:
        """Run it once. A ``call`` in a job has a given sandbox, folder and home, and may leave any files."""
        python = self.prepare().python.path
        sandbox, run_folder, home = call or (
            sandbox := self._clean_sandbox(options),
            run_folder := self._new_path(sandbox),
            run_folder,
        )
        names = (REWARDS_JSONL, METRIC_JSON) if options.under.folder == FIRST.folder else _OTHER_NAMES
        source, target = (f"{run_folder}/{name}" for name in names)
        data = rewards_jsonl(trials)
        files = {source: data.decode()}
        arguments = options.under.call(sandbox, home)
        if self._from_script:
            arguments["cwd"] = str(self._script.parent)
        arguments["folders"].append(run_folder)
        program: tuple[str, ...] = ()
        notes = f"{run_folder}-watched/notes"
        if options.pretended is not None:
            program = (f"{run_folder}-watched/watched.py", notes, json.dumps(dict(options.pretended)))
            files[program[0]] = Path(watched.__file__).read_text("utf-8")
            arguments["folders"].append(f"{run_folder}-watched")
        flags = ("--input-path", "--output-path") if options.long else ("-i", "-o")
        words = [python, *program, str(self._script), flags[0], source, flags[1], target]
        ended = sandbox.call(words, files=files, **arguments)
        problems = [] if ended.decodes else [("prints-non-utf-8", NOT_UTF_8)]
        problems += (failed := list(self._process_problems(ended)))
        output, written = (runs.Output(()), None) if failed else _output(sandbox, ended, target)
        problems += output.problems
        if call is None and not program:
            problems += _file_problems(sandbox, run_folder, data, options, names)
        if ended.left and call is None:
            problems.append(("leaves-behind", f"{ended.left} of its processes outlived it and were killed."))
        noted = None
        with contextlib.suppress(Refused):
            noted = sandbox.read(notes, _MOST_NOTES) if program else None
        lines = (noted or b"").decode("utf-8", "replace").splitlines()
        asked_for = tuple(name for name in lines if name.isprintable() and " " not in name)
        return ScriptRun(trials, ended, tuple(problems), output.value, output.usable, written, asked_for)

    def _process_problems(self, ended: Ended) -> Iterator[Problem]:
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
            ending = f"exited with {code}" if code > 0 else f"was killed by signal {-code}"
            message = last_line(ended.stderr) or "without a message on standard error"
            name = re.escape(self._script.name)
            frames = re.findall(rf'^  File ".*/{name}", line (\d+)', stderr, re.M)
            where = f" ({self._script.name}, line {frames[-1]})" if frames else ""
            yield "exit-code", f"It {ending}: {message}{where}{_hint(ended.stderr) if confined() else ''}"


def _output(sandbox: Sandbox, ended: Ended, path: str) -> tuple[runs.Output, bytes | None]:
    """Return a run's output, and its bytes if it is small."""
    try:
        data = sandbox.read(path, _MOST_OUTPUT)
    except Refused as error:
        too_much = "too-much", f"Its output has {error.found}, which exceeds the limit."
        not_read = "no-output", f"Its output can't be read: it is {error.found}."
        return runs.Output((too_much if error.kind == "too-large" else not_read,)), None
    if data is None:
        printed_text = shortened(ended.stdout.strip().decode("utf-8", "replace"), 80)
        printed = f"; it printed {printed_text}, which harbor ignores" if printed_text.startswith("{") else ""
        return runs.Output((("no-output", f"It exited with 0 and wrote no output file{printed}."),)), None
    output = runs.read_output(data)
    return (runs.Output(output.problems), None) if len(data) > _MOST_KEPT else (output, data)


def _file_problems(
    sandbox: Sandbox, run_folder: str, data: bytes, options: RunOptions, names: Sequence[str]
) -> Iterator[Problem]:
    """Yield changes to a run's input, and the first file that it left behind."""
    try:
        same = sandbox.read(f"{run_folder}/{names[0]}", len(data)) == data
    except Refused:
        same = False
    if not same:
        yield "changes-input", "It changed or removed its input file."
    own = {path.partition("/")[0] for path in (options.under.folder, options.under.home)}
    for folder, description, expected in (
        (f"{run_folder}/{options.under.folder}", "its working directory", ()),
        (f"{run_folder}/tmp", "the folder for temporary files", ()),
        (run_folder, "the folder of its output", (*names, "tmp", *own)),
    ):
        listed = sandbox.names(folder)
        left = [name for name in listed or () if name not in expected]
        if listed is None or left:
            state = f"{shortened(left[0], 80)!r} in {description}" if left else f"{description} unreadable"
            yield "leaves-behind", f"It left {state}."
            return
    if strange := sandbox.unexpected_files():
        yield "leaves-behind", f"It left {shortened(strange[0], 80)!r}."


def _close_all(sandboxes: dict[str, Sandbox]) -> None:
    for sandbox in sandboxes.values():
        sandbox.__exit__()
    sandboxes.clear()


def _hint(stderr: bytes) -> str:
    """Return a hint if the script may need something that the sandbox lacks."""
    if _NETWORK.search(stderr):
        return " (the sandbox has no network)"
    match = _ABSENT.search(stderr)
    if match and os.path.isdir(os.path.dirname(match[1])):
        return " (the sandbox has only its own folder, its Python and the system's libraries)"
    return ""
