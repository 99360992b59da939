"""Plays a described job back through the real harbor, without containers or network.

A description says what happens in each trial: what the agent reports or raises, which reward files the tests
write, what fails and when. `play` writes it as task directories, runs harbor's own `Job` on them in a
temporary directory, and returns what harbor wrote. Everything in between (trials, verifier, retries,
resuming, statistics, metrics, text) is harbor's own code; only the container and the agent are stand-ins.

``schemas/playback.schema.json`` has the members of a description and their defaults; metrics may also be
``{"type": "uv-script", "script": text}``.
"""

from __future__ import annotations

import asyncio
import base64
import builtins
import contextlib
import importlib
import io
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Otherwise importing harbor and the end of each job access the network.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("HARBOR_TELEMETRY", "0")

from harbor.agents.base import BaseAgent
from harbor.agents.installed.base import NonZeroAgentExitCodeError
from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities
from harbor.job import Job
from harbor.models.job.config import DatasetConfig, JobConfig, RetryConfig
from harbor.models.metric.config import MetricConfig
from harbor.models.trial.config import AgentConfig, EnvironmentConfig, TaskConfig, TrialConfig, VerifierConfig
from harbor.trial.hooks import TrialEvent, TrialHookEvent

__all__ = ["OutOfReachError", "PlaybackAgent", "PlaybackEnvironment", "Played", "account", "play"]

ROOT = "/playback"
JOB_NAME = "job"
VERIFIER_DIR = "/logs/verifier/"
TOKENS = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")
MEETING_SECONDS = 5.0
LIMITS = {"agent": "timeout_sec", "verifier": "timeout_sec", "environment": "build_timeout_sec"}
NON_FINITE = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
NIL = "00000000-0000-0000-0000-000000000000"
MOMENT = "2000-01-01T00:00:00"
JOB_ID = re.compile(r'^    "id": "[^"]*"', re.MULTILINE)
JOB_TIME = re.compile(r'^    "(started_at|updated_at|finished_at)": "[^"]*?(Z?)"', re.MULTILINE)
ANY_ID = re.compile(r'"(id|job_id)": "[0-9a-f-]{36}"')
ANY_TIME = re.compile(r'"(\w+_at)": "\d{4}-\d\d-\d\dT[^"]*?(Z?)"')
LIMIT = re.compile(r" timed out after ([0-9.]+) seconds")
TRACEBACK = re.compile(r'"exception_traceback": "(?:[^"\\]|\\.)*"')

Json = dict[str, Any]
MISFITS = frozenset({"AttributeError", "TypeError", "NotImplementedError", "NameError", "KeyError"})
"""Exceptions raised when a stand-in does not fit the code that uses it."""


class OutOfReachError(Exception):
    """This harbor needs something that the stand-ins lack; the message is one sentence."""


@dataclass(frozen=True)
class Played:
    """The files and events of a played job."""

    result: str | None
    """`result.json`, with ids and times replaced; None if there is none."""
    trials: dict[str, str]
    """Each trial's `result.json`, by trial name; paths, tracebacks, identities and times replaced."""
    errors: list[str]
    """The types of the exception that ended the job and of those in its group; empty if it succeeded."""
    message: str
    """Its message."""
    stories: dict[str, list[str]] = field(default_factory=dict)
    """The stand-ins' calls in each trial, in order: start, setup, agent, tests, stop."""
    waits: list[float] = field(default_factory=list)
    """Seconds that trials waited before a retry; nothing really waits."""
    ended: list[str] = field(default_factory=list)
    """The names of the trials in the order in which they ended."""
    at_once: int | None = None
    """The largest number of concurrent agents, if some were to meet."""


def play(description: Json, keep: Path | None = None) -> Played:
    """Run a described job. With `keep`, the job's directory is copied there, normalised.

    Raises:
        OutOfReachError: this harbor can't be played with these stand-ins.
    """
    with tempfile.TemporaryDirectory(prefix="playback-") as folder, quietly():
        stage = Stage(description, Path(os.path.realpath(folder)))
        try:
            error = asyncio.run(stage.run())
        finally:
            stage.strike()
        played = stage.read(error)
        stage.reached(played, error)
        if keep is not None:
            stage.copy(keep)
    return played


def account(description: Json, played: Played) -> Json:
    """A played job's outcome without anything that depends on timing, for comparing two harbors.

    Omits the live `result.json` of a job that an exception ended. For concurrent trials it omits the order in
    which they ended and, if the job is stopped, their stories.
    """
    sequential = description.get("n_concurrent", 1) == 1
    stories = played.stories if sequential or not description.get("stop") else {}
    return {
        "result.json": None if played.result is None or played.errors else {"text": played.result},
        "finished": played.result is not None and '\n    "finished_at": null' not in played.result,
        "errors": played.errors,
        "trials": {
            name: {**recorded(played.trials.get(name)), "story": stories.get(name, [])}
            for name in sorted({*played.trials, *played.stories})
        },
        "ended": played.ended if sequential else None,
        "waits": played.waits if sequential else sorted(played.waits),
        "at_once": played.at_once,
    }


def recorded(text: str | None) -> Json:
    """A trial's ending, from its record; nulls if there is none."""
    sys.set_int_max_str_digits(0)
    try:
        record = {} if text is None else json.loads(text)
    finally:
        sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)
    ends = [ending(part) for part in (record, *(record.get("step_results") or ()))]
    return {**ends[0], "steps": None if record.get("step_results") is None else ends[1:]}


def ending(record: Json) -> Json:
    """The ending of a trial or a step: its exception's type, the exceeded time limit, its rewards."""
    info = record.get("exception_info") or {}
    limit = LIMIT.search(info.get("exception_message", ""))
    rewards = (record.get("verifier_result") or {}).get("rewards")
    return {
        "exception": info.get("exception_type"),
        "limit": None if limit is None else float(limit[1]),
        "rewards": rewards and dict(sorted(rewards.items())),  # the order of steps' files is arbitrary
    }


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Keeps harbor's progress display off the terminal, and this program's arguments out of its lock file."""
    argv, sys.argv = sys.argv, ["harbor"]
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        sys.argv = argv


# What is played


def throw(name: str | None) -> None:
    """Raise the exception of that name, if one is given."""
    if name is not None:
        raise exception(name)


def exception(name: str) -> BaseException:
    """An instance of a built-in, of an imported class, or of an Exception class created for the name."""
    kind: Any = NonZeroAgentExitCodeError if name == NonZeroAgentExitCodeError.__name__ else None
    module, _, last = name.rpartition(".")
    if module:
        kind = getattr(importlib.import_module(module), last)
    kind = kind or getattr(builtins, name, None) or type(name, (Exception,), {})
    if not issubclass(kind, Exception | asyncio.CancelledError):
        raise ValueError(f"{name} would end this program")
    instance: BaseException = kind("played back")
    return instance


def content(value: Json) -> bytes:
    """A file's bytes."""
    return value["text"].encode() if "text" in value else base64.b64decode(value["base64"])


class Meeting:
    """Agents that wait for each other."""

    def __init__(self) -> None:
        self.now, self.most = 0, 0
        self.others = asyncio.Event()

    async def meet(self, count: int) -> None:
        """Wait for this many agents, or until time is up; let others arrive before leaving."""
        self.now += 1
        self.most = max(self.most, self.now)
        if self.now >= count:
            self.others.set()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.others.wait(), MEETING_SECONDS)
        await asyncio.sleep(0.02)
        self.most = max(self.most, self.now)
        self.now -= 1
        if not self.now:
            self.others.clear()


@dataclass
class Script:
    """The script of one trial: a play per try, and the current position."""

    tries: list[Json]
    story: list[str]
    meeting: Meeting
    play: Json = field(default_factory=dict)
    begun: int = 0
    step: int = -1

    def begin(self) -> None:
        """Begin a try, when its environment is built."""
        self.play = self.tries[min(self.begun, len(self.tries) - 1)]
        self.begun += 1
        self.step = -1

    @property
    def scene(self) -> Json:
        """The current step of a multi-step task, or the whole play."""
        if "steps" not in self.play:
            return self.play
        scene: Json = self.play["steps"][self.step]
        return scene


SCRIPTS: dict[str, Script] = {}
"""Each trial's script, by the trial's directory, since harbor creates stand-ins by import path."""


class PlaybackEnvironment(BaseEnvironment):  # type: ignore[misc]
    """A container in which only the events of the trial's script happen."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.script = SCRIPTS[str(self.trial_paths.trial_dir)]
        self.verifiers = "__verifier__" in str(kwargs.get("session_id"))
        if not self.verifiers:
            self.script.begin()

    @staticmethod
    def type() -> str:
        """Harbor's name for this environment."""
        return "playback"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        """The trial's directories are mounted in the container, so nothing is copied."""
        return EnvironmentCapabilities(mounted=True)

    def is_path_mounted(self, *args: Any, **kwargs: Any) -> bool:
        """True: every directory is mounted."""
        return True

    def _validate_definition(self, *args: Any, **kwargs: Any) -> None:
        pass

    async def start(self, *args: Any, **kwargs: Any) -> None:
        """Start, or fail."""
        self.script.story.append("verifier start" if self.verifiers else "start")
        throw(self.script.play.get("verifier_environment" if self.verifiers else "environment"))

    async def stop(self, *args: Any, **kwargs: Any) -> None:
        """Stop, or fail."""
        self.script.story.append("verifier stop" if self.verifiers else "stop")
        throw(None if self.verifiers else self.script.play.get("stop"))

    async def upload_file(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: there is no container to copy to."""

    async def upload_dir(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: there is no container to copy to."""

    async def download_file(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: there is no container to copy from."""

    async def download_dir(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: there is no container to copy from."""

    def _removed(self, command: str) -> None:
        """Remove the verifier's files that a command names: since 0.25 harbor removes stale rewards."""
        for path in shlex.split(command)[2:]:
            if path.startswith(VERIFIER_DIR):
                (self.trial_paths.verifier_dir / path[len(VERIFIER_DIR) :]).unlink(missing_ok=True)

    async def exec(self, command: str, *args: Any, **kwargs: Any) -> ExecResult:
        """Harbor's own commands: each step begins with `pwd`, then come setup.sh and the tests."""
        if command == "pwd":
            self.script.step += 1
        elif command.startswith("rm -f "):
            self._removed(command)
        elif command.endswith("/setup.sh"):
            self.script.story.append("setup")
            throw(self.script.scene.get("setup"))
        elif "/logs/verifier/test-stdout.txt" in command:
            self.script.story.append("tests")
            for name, value in self.script.scene.get("files", {}).items():
                (self.trial_paths.verifier_dir / name).write_bytes(content(value))
            throw(self.script.scene.get("verifier"))
        return ExecResult(return_code=0, stdout="/")


class Named:
    """The method `name`: an agent's own name, or any name on the class, where later releases call it too."""

    def __get__(self, agent: Any, _: Any = None) -> Callable[[], str]:
        """The function that returns the name."""
        return lambda: "playback" if agent is None else str(agent._name)


class PlaybackAgent(BaseAgent):  # type: ignore[misc]
    """An agent with any name that reports and raises what the trial's script says."""

    def __init__(self, logs_dir: Path, agent: str, **kwargs: Any) -> None:
        self._name = agent
        self.script = SCRIPTS[str(logs_dir.parent)]
        super().__init__(logs_dir, **kwargs)

    name = Named()
    """The name that the description gives it."""

    def version(self) -> str:
        """Any version."""
        return "1.0.0"

    async def setup(self, *args: Any, **kwargs: Any) -> None:
        """Set up, or fail."""
        self.script.story.append("setup")
        throw(self.script.play.get("setup"))

    async def run(
        self, instruction: Any, environment: BaseEnvironment, context: Any, *args: Any, **kwargs: Any
    ) -> None:
        """Report, then return or fail."""
        self.script.story.append("agent")
        await asyncio.sleep(self.script.play.get("delay", 0))
        if "meet" in self.script.play:
            await self.script.meeting.meet(self.script.play["meet"])
        reported = self.script.scene.get("agent", {})
        for name in TOKENS:
            if name in reported:
                setattr(context, name, reported[name])
        for name, value in self.script.scene.get("left", {}).items():
            (self.logs_dir.parent / "verifier" / name).write_bytes(content(value))
        throw(reported.get("raises"))


# The stage


class Stage:
    """A description written to a directory, and the runs of harbor's job on it."""

    def __init__(self, description: Json, root: Path) -> None:
        self.description = description
        self.root = root
        self.job_dir = root / JOB_NAME
        self.plays: dict[str, list[list[Json]]] = {}
        self.listings: dict[str, list[str]] = defaultdict(list)
        self.names: list[str] = []
        self.stories: dict[str, list[str]] = {}
        self.waits: list[float] = []
        self.ended: list[str] = []
        self.meeting = Meeting()
        self.config = self._config()

    # Laying out

    def _config(self) -> JobConfig:
        described = self.description
        module = f"{__name__}:"
        return JobConfig(
            job_name=JOB_NAME,
            jobs_dir=self._listed(self.root),
            quiet=True,
            n_attempts=described.get("n_attempts", 1),
            n_concurrent_trials=described.get("n_concurrent", 1),
            retry=RetryConfig(**(described.get("retry") or {})),
            environment=EnvironmentConfig(import_path=module + PlaybackEnvironment.__name__),
            verifier=VerifierConfig(disable=not described.get("verify", True)),
            metrics=[self._metric(metric) for metric in described.get("metrics", [])],
            **described.get("timeouts", {}),
            agents=[
                AgentConfig(
                    import_path=module + PlaybackAgent.__name__,
                    model_name=agent.get("model"),
                    kwargs={"agent": agent["name"]},
                )
                for agent in described.get("agents", [{"name": "nop"}])
            ],
            datasets=[self._dataset(dataset) for dataset in described.get("datasets", [])],
            tasks=[self._adhoc(task) for task in described.get("tasks", [])],
        )

    def _metric(self, metric: str | Json) -> MetricConfig:
        if isinstance(metric, str):
            return MetricConfig(type=metric)
        path = self.root / "metrics" / f"{len(list(self.root.glob('metrics/*')))}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(metric["script"])
        return MetricConfig(type=metric["type"], kwargs={"script_path": str(path)})

    def _dataset(self, dataset: Json) -> DatasetConfig:
        folder = self.root / "datasets" / str(dataset.get("path", dataset["name"]))
        folder.mkdir(parents=True, exist_ok=True)
        for task in dataset.get("tasks", []):
            self._task(task, folder / task["name"])
            self.listings[str(folder)].append(task["name"])
        if dataset.get("kind", "local") == "local":
            return DatasetConfig(path=self._listed(folder))
        registry = folder.with_name(folder.name + ".registry.json")
        tasks = [{"name": name, "path": str(folder / name)} for name in self.listings[str(folder)]]
        metrics = [self._metric(metric).model_dump(mode="json") for metric in dataset.get("metrics", [])]
        entry = {"name": dataset["name"], "version": "1", "description": ""}
        registry.write_text(json.dumps([{**entry, "tasks": tasks, "metrics": metrics}]))
        return DatasetConfig(name=dataset["name"], registry_path=registry)

    def _adhoc(self, task: Json) -> TaskConfig:
        path = self.root / task.get("path", f"adhoc/{task['name']}")
        self._task(task, path)
        return TaskConfig(path=path, source=task.get("source"))

    def _task(self, task: Json, path: Path) -> None:
        plays = (turn if isinstance(turn, list) else [turn] for turn in task.get("plays", [{}]))
        self.plays[str(path)] = list(plays)
        files = {"environment/Dockerfile": "FROM scratch\n", "tests/test.sh": "#!/bin/sh\n"}
        lines = ['version = "1.0"']
        if task.get("strategy"):
            lines.append(f"multi_step_reward_strategy = {json.dumps(task['strategy'])}")
        if task.get("steps") is None:
            files["instruction.md"] = "Play.\n"
        limits = task.get("timeouts", {})
        for part in LIMITS:
            rows = [f"{LIMITS[part]} = {float(limits[part])}"] if part in limits else []
            rows += ['environment_mode = "separate"'] if part == "verifier" and task.get("separate") else []
            lines += [f"[{part}]", *rows] if rows else []
        for step in task.get("steps") or []:
            lines += ["[[steps]]", f"name = {json.dumps(step['name'])}"]
            if step.get("min_reward") is not None:
                lines.append(f"min_reward = {toml(step['min_reward'])}")
            files[f"steps/{step['name']}/instruction.md"] = "Play.\n"
            files[f"steps/{step['name']}/workdir/setup.sh"] = "#!/bin/sh\n"
        files["task.toml"] = "\n".join(lines) + "\n"
        for name, text in files.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_text(text)

    def _listed(self, path: Path) -> Path:
        """A path that lists its directories in a fixed order; harbor uses the file system's."""
        listings = self.listings

        class Listed(type(path)):  # type: ignore[misc]
            """A path whose directories are listed in a known order."""

            def iterdir(self) -> Iterator[Any]:
                order = listings.get(str(self), [])
                positions = {name: index for index, name in enumerate(order)}
                known = [(positions.get(entry.name, len(order)), entry.name) for entry in super().iterdir()]
                return iter(self / name for _, name in sorted(known))

        return Listed(path)

    # Running

    async def run(self) -> BaseException | None:
        """Run the job, stop it and resume it as described; return the exception that ended it."""
        stop = self.description.get("stop") or {}
        error = await self._run_once(stop.get("after"), stop.get("how") == "kill")
        if stop and stop.get("resume", True):
            for name, text in stop.get("spoilt", {}).items():
                (self.job_dir / name / "result.json").write_text(text)
            self.listings[str(self.job_dir)] = list(self.description.get("resumed", self.names))
            error = await self._run_once(None, False)
        return error

    async def _run_once(self, after: int | None, kill: bool) -> BaseException | None:
        """Run the job, or with `after` only until that many trials have ended."""
        image = self.root / "image"
        ended = 0

        async def stop(event: TrialHookEvent) -> None:
            nonlocal ended
            ended += 1
            self.ended.append(event.config.trial_name)
            if ended == after:
                if kill:  # the disk now has what a killed process would leave
                    shutil.copytree(self.job_dir, image)
                running.cancel()

        try:
            job = await Job.create(self.config)
            self._name_trials(job)
            job.add_hook(TrialEvent.END, stop)
            with waiting(self.waits):
                running = asyncio.create_task(job.run())
                await running
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            return error
        finally:
            if image.exists():
                shutil.rmtree(self.job_dir)
                image.rename(self.job_dir)
        return None

    def _name_trials(self, job: Job) -> None:
        """Give the trials their names, in place of harbor's random ones, and their scripts.

        A resumed job keeps the names of the trials that it found; the others get the remaining names.
        """
        chosen = self.description.get("trial_names")
        slots: dict[str, list[str]] = defaultdict(list)
        turns: dict[str, int] = defaultdict(int)
        fresh = {id(config) for config in job._remaining_trial_configs}
        kept = {config.trial_name for config in job._trial_configs if id(config) not in fresh}
        self.names = []
        for position, config in enumerate(job._trial_configs):
            prefix = config.task.path.name[:32].rstrip("_-")
            name = chosen[position] if chosen else f"{prefix}__{position:07d}"
            self.names.append(name)
            path = str(config.task.path)
            plays = self.plays[path]
            turn = plays[turns[path] % len(plays)]
            turns[path] += 1
            SCRIPTS[str(self.job_dir / name)] = Script(turn, self.stories.setdefault(name, []), self.meeting)
            if name not in kept:
                slots[self._slot(config)].append(name)
        for config in job._remaining_trial_configs:
            config.trial_name = slots[self._slot(config)].pop(0)

    @staticmethod
    def _slot(config: TrialConfig) -> str:
        """The properties that distinguish the trials of a plan, except the attempt."""
        return str((config.task.path, config.task.source, config.agent.kwargs, config.agent.model_name))

    def strike(self) -> None:
        """Forget the scripts."""
        for path in [path for path in SCRIPTS if path.startswith(str(self.root))]:
            del SCRIPTS[path]

    # Reading

    def read(self, error: BaseException | None) -> Played:
        """The job's files and events, normalised."""
        result = self.job_dir / "result.json"
        return Played(
            result=job_text(result.read_text("utf-8")) if result.exists() else None,
            trials={
                path.parent.name: self._trial_text(path.read_text("utf-8"))
                for path in sorted(self.job_dir.glob("*/result.json"))
            },
            errors=[] if error is None else types_in(error),
            message="" if error is None else str(error).replace(str(self.root), ROOT),
            stories={name: story for name, story in self.stories.items() if story},
            waits=self.waits,
            ended=self.ended,
            at_once=self.meeting.most or None,
        )

    def reached(self, played: Played, error: BaseException | None) -> None:
        """Check that the stand-ins caused no exception except described ones.

        Raises:
            OutOfReachError: one did, so the result is not harbor's.
        """
        described = json.dumps(self.description)
        exceptions: list[tuple[Any, Any]] = [] if error is None else ours(error)
        for text in played.trials.values():
            trial = json.loads(text)
            for part in (trial, *(trial.get("step_results") or ())):
                info = part.get("exception_info") or {}
                exceptions.append((info.get("exception_type"), info.get("exception_message")))
        for kind, message in exceptions:
            if kind in MISFITS and f'"{kind}"' not in described:
                raise OutOfReachError(f"this harbor does not fit the stand-ins: {kind}: {message}")

    def copy(self, target: Path) -> None:
        """Copy the job's directory without logs and anything that changes from run to run."""
        target.mkdir(parents=True, exist_ok=True)
        for path in sorted(self.job_dir.rglob("*")):
            copied = target / path.relative_to(self.job_dir)
            if path.is_dir():
                copied.mkdir(parents=True, exist_ok=True)
            elif path.suffix == ".log":
                continue
            elif path.parent == self.job_dir and path.name == "result.json":
                copied.write_text(job_text(path.read_text("utf-8")), "utf-8")
            elif path.name == "exception.txt":
                last = path.read_text("utf-8").rstrip("\n").rpartition("\n")[2]
                copied.write_text(last.replace(str(self.root), ROOT) + "\n", "utf-8")
            elif path.suffix == ".json" and path.parent.name != "verifier":
                copied.write_text(self._trial_text(path.read_text("utf-8")), "utf-8")
            else:
                shutil.copyfile(path, copied)

    def _trial_text(self, text: str) -> str:
        text = text.replace(str(self.root), ROOT)
        text = ANY_ID.sub(rf'"\1": "{NIL}"', text)
        text = ANY_TIME.sub(rf'"\1": "{MOMENT}\2"', text)
        return TRACEBACK.sub('"exception_traceback": ""', text)


@contextlib.contextmanager
def waiting(delays: list[float]) -> Iterator[None]:
    """Record how long harbor's trials would sleep, without sleeping."""
    sleep = asyncio.sleep

    async def noted(delay: float, *args: Any, **kwargs: Any) -> Any:
        if str(sys._getframe(1).f_globals.get("__name__")).startswith("harbor.trial."):
            delays.append(delay)
            delay = 0
        return await sleep(delay, *args, **kwargs)

    asyncio.sleep = noted
    try:
        yield
    finally:
        asyncio.sleep = sleep


def toml(value: Any) -> str:
    """A gate as TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + "}"
    return NON_FINITE[value] if isinstance(value, str) else repr(value)


def job_text(text: str) -> str:
    """A job's result.json with its ids and times replaced; nulls and UTC suffixes stay."""
    text = JOB_ID.sub(f'    "id": "{NIL}"', text, count=1)
    return JOB_TIME.sub(rf'    "\1": "{MOMENT}\2"', text, count=3)


def types_in(error: BaseException) -> list[str]:
    """The type of an exception, then those of the exceptions that it groups."""
    inner = [kind for part in getattr(error, "exceptions", ()) for kind in types_in(part)]
    return [type(error).__name__, *inner]


def ours(error: BaseException) -> list[tuple[str, str]]:
    """The exceptions, including groups, that involve this file's classes or were raised in it."""
    involved = [inner for part in getattr(error, "exceptions", ()) for inner in ours(part)]
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    raised_here = last is not None and last.tb_frame.f_code.co_filename == __file__
    about = type(getattr(error, "obj", None)).__module__ == __name__ or "Playback" in str(error)
    return [*involved, (type(error).__name__, str(error))] if raised_here or about else involved


if __name__ == "__main__":
    outcome = play(json.load(sys.stdin), Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    json.dump(vars(outcome), sys.stdout, indent=2)
