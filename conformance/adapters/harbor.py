"""The real harbor as a runner for the conformance kit.

One file that needs only the standard library and a harbor installed next to the Python that runs it. It
speaks the runner protocol, version 1, on stdin and stdout. Each operation calls harbor's own code and never
restates it, so its answers are harbor's answers. An operation whose code a harbor lacks is left out of the
`hello` reply, or answered `unsupported` with the reason. The same applies if harbor needs something that one
of this file's stand-ins lacks: the result would not be harbor's answer.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import functools
import importlib
import importlib.machinery
import importlib.metadata
import importlib.util
import io
import itertools
import json
import locale
import logging
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Coroutine, Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple
from unittest import mock
from uuid import UUID

PROTOCOL = 1
MESSAGE_LIMIT = 2_000
SHELL_TIMEOUT_SEC = 60
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
NON_FINITE = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
REASON_CODES = {
    "RewardFileNotFoundError": "harbor_reward_missing",
    "RewardFileEmptyError": "harbor_reward_empty",
    "VerifierOutputParseError": "harbor_reward_parse_error",
}

Operation = Callable[[dict[str, Any]], dict[str, Any]]


class BadRequest(Exception):  # noqa: N818 - the name is the error type of the reply
    """The request cannot be decoded."""


class UnsupportedError(Exception):
    """The harbor next to this Python has no code for the operation."""


# Decoding and encoding


def number(value: Any) -> int | float:
    """A number, or a string that spells one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        if value in NON_FINITE:
            return float(NON_FINITE[value])  # a new NaN each time: as keys, two NaNs are not equal
        match = NUMBER.fullmatch(value)
        if match:
            return float(value) if match[1] or match[2] else whole(value)
    raise BadRequest("a number is expected, or a string that spells one")


def integer(value: Any) -> int:
    """A number without fraction or exponent, or a string that spells one."""
    decoded = number(value)
    if not isinstance(decoded, int):
        raise BadRequest("an integer is expected")
    return decoded


def rewards_in(value: Any) -> dict[str, int | float] | None:
    """A recorded rewards object, or null."""
    return None if value is None else {key: number(item) for key, item in value.items()}


def number_out(value: Any) -> Any:
    """A number as in the protocol: non-finite floats are strings."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def numbers_out(value: dict[str, Any] | None) -> dict[str, Any] | None:
    """An object of numbers as in the protocol."""
    return None if value is None else {str(key): number_out(item) for key, item in value.items()}


def content_in(value: Any) -> bytes:
    """The bytes of a file: `{"text": …}` or `{"base64": …}`."""
    if "text" in value:
        return bytes(value["text"].encode("utf-8"))
    return base64.b64decode(value["base64"], validate=True)


def content_out(data: bytes) -> dict[str, str]:
    """A file's content as in the protocol: text if it is well-formed UTF-8."""
    try:
        return {"text": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


ENCODER = json.JSONEncoder(allow_nan=False)


def without_digit_limit(call: Callable[[Any], Any], value: Any) -> Any:
    """Call without a limit on an int's digits: the protocol has none; harbor's own code keeps CPython's."""
    sys.set_int_max_str_digits(0)
    try:
        return call(value)
    finally:
        sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)


def whole(digits: str) -> int:
    """An int of any number of digits."""
    return int(without_digit_limit(int, digits))


# Stand-ins for parts of harbor, and whether they caused an exception


FAULTS: list[str] = []
"""Attributes that stand-ins lacked in the current request, since harbor may catch the exception."""
STRUCTURAL = (
    *(AttributeError, TypeError, NotImplementedError, LookupError, NameError, ImportError),
    SyntaxError,
)
"""Exceptions raised when two pieces of code do not fit each other."""
MISFITS = frozenset({"missing", "extra_forbidden", "missing_argument", "unexpected_keyword_argument"})
"""Pydantic's error types for a model built with the wrong members."""
HERE = os.path.abspath(__file__)


class Lacking:
    """Records attributes that harbor needs and a stand-in lacks.

    Base class of every stand-in, and of harbor classes created here without their constructor.
    """

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):  # copying, pickling and the like only check whether it exists
            FAULTS.append(f"{type(self).__name__}, which stands in for harbor's own, has no {name!r}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An exception, its causes and contexts, and the members of its groups."""
    visited: set[int] = set()
    todo = [error]
    while todo:
        current = todo.pop()
        if current is not None and id(current) not in visited:
            visited.add(id(current))
            yield current
            todo += [current.__cause__, current.__context__, *getattr(current, "exceptions", ())]


def innermost(traceback: TracebackType | None, beyond: str = "") -> Any:
    """The innermost frame of an exception, ignoring frames of the package `beyond`; None if there is none."""
    frame = None
    while traceback is not None:
        name = traceback.tb_frame.f_globals.get("__name__", "")
        if not beyond or name.partition(".")[0] != beyond:
            frame = traceback.tb_frame
        traceback = traceback.tb_next
    return frame


def is_here(frame: Any) -> bool:
    """Whether the frame belongs to this file."""
    return frame is not None and os.path.abspath(frame.f_code.co_filename) == HERE


def has_wrong_members(error: BaseException) -> bool:
    """Whether this file built one of harbor's models with the wrong members."""
    if type(error).__name__ != "ValidationError" or not is_here(innermost(error.__traceback__, "pydantic")):
        return False
    try:
        return any(detail["type"] in MISFITS for detail in error.errors())  # type: ignore[attr-defined]
    except Exception:
        return False


def reason_if_ours(error: BaseException) -> str | None:
    """The reason, in a sentence, if this file caused an exception; None if harbor did."""
    for cause in chain(error):
        if isinstance(cause, BadRequest):
            continue
        message = f"{type(cause).__name__}: {cause}"
        if has_wrong_members(cause):
            return f"this harbor's records have other members: {message}"
        if not isinstance(cause, STRUCTURAL):
            continue
        frame = innermost(cause.__traceback__)
        owner, name = getattr(cause, "obj", None), getattr(cause, "name", None)
        if isinstance(owner, Lacking):
            return f"harbor asks a stand-in for what it lacks: {message}"
        if is_here(frame):
            return f"this harbor's code has another shape than the adapter knows: {message}"
        if isinstance(cause, AttributeError) and name in getattr(type(owner), "model_fields", ()):
            return f"harbor reads a member that the adapter's records leave out: {message}"
        if isinstance(cause, NotImplementedError) and isinstance(frame.f_locals.get("self"), Lacking):
            return f"harbor asks a stand-in for what it lacks: {message}"
        if isinstance(cause, TypeError) and names_stand_in(str(cause)):
            return f"harbor uses a stand-in in another way: {message}"
    return None


def harbors(error: BaseException) -> BaseException:
    """The exception, if it is harbor's answer.

    Raises:
        UnsupportedError: this file caused it.
    """
    fault = reason_if_ours(error)
    if fault is not None:
        raise UnsupportedError(fault) from None
    return error


STAND_INS = re.compile(r"\b(?P<kind>StandIn\w+)|\b(?P<within>\w+)\.<locals>")
"""How Python names a stand-in, or one of its methods, in messages about mismatches."""


def names_stand_in(message: str) -> bool:
    """Whether Python's message about a mismatch names one of this file's stand-ins."""
    return any(match["kind"] or match["within"] in globals() for match in STAND_INS.finditer(message))


def present(*members: tuple[str, str]) -> Any:
    """The first of these members, named `Class.member`, that this harbor has.

    Raises:
        UnsupportedError: it has none of them.
    """
    for module, path in members:
        try:
            member: Any = importlib.import_module(module)
            for name in path.split("."):
                member = getattr(member, name)
        except (ImportError, AttributeError):
            continue
        return member
    names = " nor ".join(f"{module}.{path}" for module, path in members)
    raise UnsupportedError(f"this harbor has neither {names}" if len(members) > 1 else f"no {names} here")


# Running harbor's code


@functools.cache
def scratch() -> Path:
    """A temporary directory without symbolic links in its path, created on first use, removed at the end."""
    return Path(os.path.realpath(tempfile.mkdtemp(prefix="harbor-adapter-")))


def hidden(text: str) -> str:
    """A message without the directory's name, which varies, cut to a readable length."""
    created = scratch.cache_info().currsize
    return (text.replace(str(scratch()), "/logs") if created else text)[:MESSAGE_LIMIT]


def drive(start: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Run a coroutine to its end, without an event loop if it never really waits."""
    coroutine = start()
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    except RuntimeError as error:
        if "no running event loop" not in str(error):
            raise
    coroutine.close()
    return asyncio.run(start())


def lacking(name: str, error: Exception) -> UnsupportedError:
    """The answer if a module or a part of harbor can't be loaded."""
    lacks = f"this harbor lacks what {name} needs: {type(error).__name__}: {error}"
    return UnsupportedError(not_installed(error) or lacks)


def prepared(make: Callable[..., Any]) -> Callable[..., Any]:
    """Calls a function once, and ignores what stand-ins lacked meanwhile; its failure is not an answer."""

    @functools.cache
    def once() -> Any:
        try:
            return make()
        except UnsupportedError:
            raise
        except Exception as error:
            raise lacking(make.__name__, error) from None
        finally:
            FAULTS.clear()

    return once


# The operations. Each function imports what it needs from harbor.


def stage(name: str) -> Path:
    """A task directory with all files that harbor expects."""
    root = scratch() / name
    for path, text in {
        "task.toml": 'version = "1.0"\n',
        "instruction.md": "Nothing.\n",
        "environment/Dockerfile": "FROM scratch\n",
        "tests/test.sh": "#!/bin/sh\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return root


@prepared
def container() -> Callable[..., Any]:
    """A container built from harbor's own classes, in which only the given callback runs."""
    from harbor.environments.base import BaseEnvironment, ExecResult
    from harbor.environments.capabilities import EnvironmentCapabilities

    class StandInContainer(Lacking, BaseEnvironment):  # type: ignore[misc]
        """A container that shares the trial's directories, so that nothing is copied."""

        ran: Callable[[str], None] = staticmethod(lambda _: None)
        """Called with each command."""

        @staticmethod
        def type() -> str:
            return "stand-in"

        @property
        def capabilities(self) -> Any:
            return EnvironmentCapabilities(mounted=True)

        def is_path_mounted(self, *_: Any, **__: Any) -> bool:
            return True

        def _validate_definition(self) -> None:
            pass

        async def exec(self, *args: Any, **known: Any) -> Any:
            self.ran(str(known.get("command", args[0] if args else "")))
            return ExecResult(return_code=0, stdout="", stderr="")

    async def nothing(*_: Any, **__: Any) -> None:
        """Start, stop and copy: nothing to do."""

    def lacking(name: str) -> Callable[..., Any]:
        def refuse(self: Any, *_: Any, **__: Any) -> Any:
            return Lacking.__getattr__(self, name)

        return refuse

    copying = ("start", "stop", "upload_file", "upload_dir", "download_file", "download_dir")
    for name in BaseEnvironment.__abstractmethods__:
        if name not in vars(StandInContainer):
            setattr(StandInContainer, name, nothing if name in copying else lacking(name))
    StandInContainer.__abstractmethods__ = frozenset()
    return StandInContainer


@prepared
def verifier_of_files() -> Callable[[dict[str, Any]], Any]:
    """The real verifier, reading the request's files in place of a test script's."""
    from harbor.models.task.config import EnvironmentConfig
    from harbor.models.task.task import Task
    from harbor.models.trial.paths import TrialPaths
    from harbor.verifier.verifier import Verifier

    root = stage("task")
    paths = TrialPaths(trial_dir=scratch())
    paths.verifier_dir.mkdir(exist_ok=True)
    environment = container()(
        environment_dir=root / "environment",
        environment_name="stand-in",
        session_id="stand-in",
        trial_paths=paths,
        task_env_config=EnvironmentConfig(),
    )
    verifier = Verifier(task=Task(root), trial_paths=paths, environment=environment, skip_tests_upload=True)
    folder, output = str(paths.verifier_dir), paths.test_stdout_path.name

    def verify(contents: dict[str, Any]) -> Any:
        files = {}
        for name, content in contents.items():
            if name in ("", ".", "..") or not name.isprintable() or "/" in name or "\\" in name:
                raise BadRequest("a file's name is a plain name")
            files[os.path.join(folder, name)] = content_in(content)
        tested = False

        def ran(command: str) -> None:
            nonlocal tested
            if output in command:  # the tests: harbor may remove existing files before them
                tested = True
                for path, data in files.items():
                    with open(path, "wb", buffering=0) as file:
                        file.write(data)

        environment.ran = ran
        try:
            result = drive(verifier.verify)
        except Exception:
            if not tested:
                raise UnsupportedError("this harbor's verifier does not come to run the tests here") from None
            raise
        finally:
            for path in files:
                if os.path.exists(path):
                    os.unlink(path)
        if not tested:
            raise UnsupportedError(
                "this harbor's verifier runs the tests in a way that the adapter does not see"
            )
        return result

    return verify


def parse_reward(request: dict[str, Any]) -> dict[str, Any]:
    """The rewards that the real verifier reads."""
    return {"rewards": numbers_out(verifier_of_files()(request["files"]).rewards)}


def terminal_bench_reward(request: dict[str, Any]) -> dict[str, Any]:
    """The mapper's suffix, run by a shell after a command that exits as the request says."""
    from harbor.mappers.terminal_bench import REWARD_LOGGING_SUFFIX

    shell = shutil.which("bash") or shutil.which("sh")
    if shell is None:
        raise UnsupportedError("no shell here")
    if "/logs/verifier" not in REWARD_LOGGING_SUFFIX:
        raise UnsupportedError("the mapper's suffix no longer writes to /logs/verifier")
    folder = scratch() / "terminal_bench"
    folder.mkdir(exist_ok=True)
    suffix = REWARD_LOGGING_SUFFIX.replace("/logs/verifier", shlex.quote(str(folder)))
    code = integer(request["exit_code"])
    written = folder / "reward.txt"
    written.unlink(missing_ok=True)
    done = subprocess.run([shell, "-c", f"(exit {code})\n{suffix}"], timeout=SHELL_TIMEOUT_SEC, check=False)
    if done.returncode != code:
        raise RuntimeError(f"the shell exits with {done.returncode}, not {code}")
    return {"reward.txt": content_out(written.read_bytes())}


@prepared
def built_in_metrics() -> dict[str, Any]:
    """The four built-in metrics by name."""
    from harbor.metrics.factory import MetricFactory
    from harbor.models.metric.type import MetricType

    kinds = (MetricType.MEAN, MetricType.MAX, MetricType.MIN, MetricType.SUM)
    return {kind.value: MetricFactory.create_metric(kind) for kind in kinds}


def aggregate(request: dict[str, Any]) -> dict[str, Any]:
    """The four built-in metrics."""
    rewards = [rewards_in(item) for item in request["rewards"]]
    return numbers_out(built_in_metrics()[request["metric"]].compute(rewards)) or {}


def evals_key(request: dict[str, Any]) -> dict[str, Any]:
    """The key under which the job's statistics count a trial."""
    from harbor.models.job.result import JobStats

    model = None if request["model"] is None else {"name": request["model"]}
    trial = trial_record(
        {"source": request["source"], "agent_info": {"name": request["agent"], "model_info": model}}
    )
    stats = JobStats()
    stats.increment(trial)
    if len(stats.evals) != 1:
        raise UnsupportedError(f"this harbor counts one trial under {len(stats.evals)} keys")
    return {"evals_key": next(iter(stats.evals))}


def pass_at_k(request: dict[str, Any]) -> dict[str, Any]:
    """The estimator, on the trials of one group."""
    from harbor.models.trial.result import TrialResult
    from harbor.models.verifier.result import VerifierResult
    from harbor.utils.pass_at_k import _compute_pass_at_k_for_trials

    trials = [
        TrialResult.model_construct(
            id=None,
            task_name=trial["task"],
            verifier_result=VerifierResult(rewards=rewards_in(trial["rewards"])),
        )
        for trial in request["trials"]
    ]
    return numbers_out(_compute_pass_at_k_for_trials(trials)) or {}


class Step(NamedTuple):
    """The result of one step of a multi-step trial, if it runs."""

    verifier_result: Any
    exception: str | None
    min_reward: Any
    agent_result: Any = None
    name: str | None = None
    """Its name in the task; None if no answer depends on it."""


@prepared
def multi_step_trial() -> Callable[[str | None, list[Step]], Any]:
    """A real multi-step trial whose steps return what the request says; runs nothing yet."""
    from harbor.models.task.config import TaskConfig
    from harbor.models.trial.config import TaskConfig as TaskPlace
    from harbor.models.trial.config import TrialConfig
    from harbor.models.trial.paths import TrialPaths
    from harbor.models.trial.result import TrialResult
    from harbor.trial.multi_step import MultiStepTrial

    try:
        from harbor.trial.artifact_handler import ArtifactHandler
    except ImportError:
        ArtifactHandler = None  # noqa: N806 - a class
    paths = TrialPaths(trial_dir=scratch() / "multi_step")
    trial_config = TrialConfig(task=TaskPlace(path=stage("task")), trials_dir=scratch())

    class StandInTask(Lacking):
        """The part of a task that a trial reads."""

        def __init__(self, config: TaskConfig) -> None:
            self.config = config

    class StandInTrial(Lacking, MultiStepTrial):  # type: ignore[misc]
        """Replaces only the container and what happens in it; the rest is harbor's."""

        def __init__(self, config: TaskConfig, steps: list[Step]) -> None:
            self.task = StandInTask(config)
            self.config = trial_config
            self.paths = paths
            self.logger = logging.getLogger(__name__)
            if ArtifactHandler is not None:
                self._artifact_handler = ArtifactHandler(artifacts=[], logger=self.logger)
            self._result = TrialResult.model_construct(id=None)
            self._played = list(steps)

        async def _run_step(self, step: Any, step_result: Any, *_: Any, **__: Any) -> None:
            played = self._played.pop(0)
            step_result.agent_result = played.agent_result
            step_result.verifier_result = played.verifier_result
            if played.exception is not None:
                step_result.exception_info = exception_info(played.exception)

        async def _stop_agent_environment(self, *_: Any, **__: Any) -> None:
            pass

    def make(strategy: str | None, steps: list[Step]) -> Any:
        # A step without a name gets a unique one.
        used = {step.name.casefold() for step in steps if step.name is not None}
        free = (name for name in map("step-{}".format, itertools.count(1)) if name not in used)
        config = TaskConfig.model_validate(
            {
                "multi_step_reward_strategy": strategy,
                "steps": [
                    {"name": next(free) if step.name is None else step.name, "min_reward": step.min_reward}
                    for step in steps
                ],
            }
        )
        return StandInTrial(config, steps)

    return make


def exception_info(kind: str, message: str = "") -> Any:
    """A recorded exception of that type."""
    from harbor.models.trial.result import ExceptionInfo

    return ExceptionInfo(
        exception_type=kind,
        exception_message=message,
        exception_traceback="",
        occurred_at=datetime.now(timezone.utc),
    )


def gate_in(step: Any) -> Any:
    """A step's threshold, thresholds by key, or null."""
    gate = step["min_reward"]
    return rewards_in(gate) if type(gate) in (dict, type(None)) else number(gate)


def multi_step_reward(request: dict[str, Any]) -> dict[str, Any]:
    """The reward that a real multi-step trial derives."""
    from harbor.models.verifier.result import VerifierResult

    def step_in(step: Any) -> Step:
        result = step["verifier_result"]
        if result is not None:
            result = VerifierResult(rewards=rewards_in(result["rewards"]))
        return Step(result, step["exception"], gate_in(step), name=step.get("name"))

    trial = multi_step_trial()(request["strategy"], [step_in(step) for step in request["steps"]])
    drive(trial._run)
    chosen = trial.result.verifier_result
    return {
        "verifier_result": None if chosen is None else {"rewards": numbers_out(chosen.rewards)},
        "steps_run": len(trial.result.step_results),
    }


@prepared
def planned_job() -> Any:
    """The class of a job without its constructor, which would write a job directory."""
    from harbor.job import Job

    class StandInJob(Lacking, Job):  # type: ignore[misc]
        """A job that is never run."""

        def __init__(self, config: Any) -> None:
            self._id = None
            self.config = config

    return StandInJob


def plan_trials(request: dict[str, Any]) -> dict[str, Any]:
    """The trial list of a real job that is never run."""
    from harbor.models.job.config import JobConfig
    from harbor.models.trial.config import AgentConfig, TaskConfig

    resolve = present(
        ("harbor.job", "Job._resolve_task_configs"), ("harbor.job_plan", "JobPlan.resolve_task_configs")
    )
    job = planned_job()(
        JobConfig(
            job_name="job",
            n_attempts=integer(request["n_attempts"]),
            tasks=[TaskConfig(path=Path(name), source=name) for name in request["tasks"]],
            agents=[AgentConfig(name=name) for name in request["agents"]],
        )
    )
    job._task_configs = drive(lambda: resolve(job.config))
    job._init_trial_configs()
    return {"trials": [[trial.task.source, trial.agent.name] for trial in job._trial_configs]}


@prepared
def ended_job() -> Callable[..., tuple[Any, Any]]:
    """The real `Job.run`, resumed when all trials have ended: statistics, metrics, pass@k are harbor's.

    Returns the job and its result. Its argument ``further`` are additional metrics, by name.
    """
    from harbor.job import Job
    from harbor.models.job.config import JobConfig
    from harbor.models.job.result import JobResult, JobStats
    from harbor.trial.queue import TrialQueue

    class StandInFinishedJob(Lacking, Job):  # type: ignore[misc]
        """A job that skips only reading and writing its other files."""

        def __init__(self, request: dict[str, Any], trials: list[Any], known: dict[str, Any]) -> None:
            self.config = config
            self._id = UUID(request["id"])
            total = integer(request["n_total_trials"])
            self._existing_job_result = JobResult(
                id=self._id,
                started_at=request["started_at"],
                n_total_trials=total,
                stats=JobStats(n_retries=integer(request["n_retries"])),
            )
            self._existing_trial_results = trials
            self._existing_trial_configs: list[Any] = []
            self._remaining_trial_configs: list[Any] = []
            self._trial_configs = range(total)  # only their number counts
            self._metrics = defaultdict(list)
            for dataset, names in request["metrics"].items():
                self._metrics[dataset] = [known[name] for name in names]
            self._trial_queue = TrialQueue(1)
            self._log_file_handler = self._console_handler = None
            self._init_progress_tracking()

        def _init_job_lock(self, *_: Any, **__: Any) -> None:
            pass

        def _write_job_lock(self, *_: Any, **__: Any) -> None:
            pass

    config = JobConfig(job_name="job", jobs_dir=scratch() / "jobs", quiet=True)
    (config.jobs_dir / config.job_name).mkdir(parents=True, exist_ok=True)

    def end(request: dict[str, Any], trials: list[Any], **further: Any) -> tuple[Any, Any]:
        job = StandInFinishedJob(request, trials, built_in_metrics() | further)
        with contextlib.redirect_stdout(io.StringIO()):
            return job, asyncio.run(job.run())

    return end


def finished(request: dict[str, Any], trials: list[Any]) -> dict[str, Any]:
    """The same job's file, as harbor writes it."""
    job, result = ended_job()(request, trials)
    for name in ("updated_at", "finished_at"):
        value = request[name]
        setattr(result, name, None if value is None else datetime.fromisoformat(value))
    job._write_job_result(exclude_trial_results=True)
    return {"result.json": content_out(job._job_result_path.read_bytes())}


def trial_record(trial: Any, **results: Any) -> Any:
    """A trial's record: the parts that the job's result depends on."""
    from harbor.models.trial.result import AgentInfo, ModelInfo, TrialResult

    agent = trial["agent_info"]
    model = agent["model_info"]
    return TrialResult.model_construct(
        id=None,
        task_name=trial.get("task_name"),
        trial_name=trial.get("trial_name", "trial"),
        source=trial["source"],
        agent_info=AgentInfo(
            name=agent["name"],
            version="1",
            model_info=None if model is None else ModelInfo(name=model["name"]),
        ),
        agent_result=agent_result_in(trial),
        **results,
    )


def agent_result_in(value: Any) -> Any:
    """An agent's report, or null."""
    reported = value.get("agent_result")
    if reported is None:
        return None
    from harbor.models.agent.context import AgentContext

    members = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")
    return AgentContext(
        **{name: None if reported.get(name) is None else number(reported[name]) for name in members}
    )


def exception_in(trial: Any) -> Any:
    """The exception that a trial recorded, or null."""
    failed = trial["exception_info"]
    if failed is None:
        return None
    return exception_info(failed["exception_type"], failed.get("exception_message", ""))


def job_result(request: dict[str, Any]) -> dict[str, Any]:
    """The result of a job from its trials' records."""
    from harbor.models.trial.result import StepResult
    from harbor.models.verifier.result import VerifierResult

    def trial_in(trial: Any) -> Any:
        verified = trial["verifier_result"]
        if verified is not None:
            verified = VerifierResult(rewards=rewards_in(verified["rewards"]))
        steps = trial["step_results"]
        if steps is not None:
            steps = [StepResult(step_name="step", agent_result=agent_result_in(step)) for step in steps]
        failed = exception_in(trial)
        return trial_record(trial, verifier_result=verified, exception_info=failed, step_results=steps)

    return finished(request, [trial_in(trial) for trial in request["trials"]])


def pipeline(request: dict[str, Any]) -> dict[str, Any]:
    """Harbor's part of `pipeline`, a job's result from its reward files: it prints no outcome line."""
    verify, multi_step = verifier_of_files(), multi_step_trial()
    ended_job()

    def verified(files: Any) -> tuple[Any, str | None]:
        """The verifier's result, and the exception that it raised."""
        try:
            return None if files is None else verify(files), None
        except (BadRequest, UnsupportedError):
            raise
        except Exception as error:
            return None, type(harbors(error)).__name__

    def step_in(step: Any) -> Step:
        result, error = verified(step["files"])
        exception = step["exception"] or error
        return Step(result, exception, gate_in(step), agent_result_in(step), step.get("name"))

    def trial_in(trial: Any) -> Any:
        steps = trial["steps"]
        ran = None
        if steps is None:
            result, error = verified(trial["files"])
        else:
            played = multi_step(trial["strategy"], [step_in(step) for step in steps])
            error = None
            try:
                drive(played._run)
            except Exception as escaped:
                error = type(harbors(escaped)).__name__
            result, ran = played.result.verifier_result, played.result.step_results
        failed = exception_in(trial) or (None if error is None else exception_info(error))
        return trial_record(trial, verifier_result=result, exception_info=failed, step_results=ran)

    return finished(request, [trial_in(trial) for trial in request["trials"]])


def scores(request: dict[str, Any]) -> dict[str, Any]:
    """The real job's values for trial records, with each group as a dataset of its own."""
    from harbor.metrics.base import BaseMetric
    from harbor.models.verifier.result import VerifierResult

    class Count(BaseMetric):  # type: ignore[misc]
        """Counts the trials that the job passes to a metric, and so to Mean."""

        def compute(self, rewards: list[Any]) -> dict[str, int]:
            return {"count": len(rewards)}

    def trial_in(trial: Any, index: int, source: str) -> Any:
        integer(trial["attempt"])  # harbor's records have none
        rewards = rewards_in(trial["rewards"])
        failed = trial["exception"]
        known = {"task_name": trial["task"], "trial_name": f"t{index}", "source": source}
        return trial_record(
            {**known, "agent_info": {"name": "a", "model_info": None}},
            verifier_result=None if rewards is None else VerifierResult(rewards=rewards),
            exception_info=None if failed is None else exception_info(failed["type"], failed["message"]),
        )

    def score(stats: Any) -> dict[str, Any]:
        if stats is None or len(stats.metrics) != 2:  # names may differ, see evals_key
            raise UnsupportedError("the job's result has no such group with the job's metrics")
        mean, count = stats.metrics
        return {
            "n": count["count"],
            "n_scored": stats.n_trials,
            "n_errors": stats.n_errors,
            "mean": numbers_out(mean),
            "pass_at_k": numbers_out(stats.pass_at_k),
        }

    end = ended_job()
    sources: dict[str, str] = {}  # a group may have any name, and harbor splits its evals keys
    trials = []
    for index, trial in enumerate(request["trials"]):
        source = sources.setdefault(trial["group"], f"g{len(sources)}")
        trials.append(trial_in(trial, index, source))
    job = {
        "id": str(UUID(int=0)),
        "started_at": "2000-01-01T00:00:00",
        "n_total_trials": len(trials),
        "n_retries": 0,
        "metrics": {source: ["mean", "count"] for source in sources.values()},
    }
    _, result = end(job, trials, count=Count())
    return {
        "groups": {group: score(result.stats.evals.get(f"a__{source}")) for group, source in sources.items()}
    }


def resolve_metrics(request: dict[str, Any]) -> dict[str, Any]:
    """`Job._resolve_metrics`, with a stand-in for a package dataset's client, which needs the network."""
    from harbor.metrics.factory import MetricFactory
    from harbor.metrics.uv_script import UvScript
    from harbor.models.job.config import DatasetConfig, JobConfig
    from harbor.models.metric.config import MetricConfig
    from harbor.models.metric.type import MetricType
    from harbor.models.registry import DatasetMetadata
    from harbor.models.trial.config import TaskConfig
    from harbor.registry.client.package import PackageDatasetClient

    resolve = present(("harbor.job", "Job._resolve_metrics"), ("harbor.job_plan", "JobPlan.resolve_metrics"))
    root = scratch() / "resolve"
    root.mkdir(exist_ok=True)
    script = root / "metric.py"
    script.touch()
    names = {
        type(MetricFactory.create_metric(kind)): kind.value
        for kind in MetricType
        if kind is not MetricType.UV_SCRIPT
    } | {UvScript: MetricType.UV_SCRIPT.value}

    def metric(name: str) -> Any:
        kwargs = {"script_path": str(script)} if name == MetricType.UV_SCRIPT.value else {}
        return MetricConfig(type=name, kwargs=kwargs)

    def dataset(item: Any, index: int, folder: Path) -> Any:
        kind, name = item["kind"], item["name"]
        metrics = [metric(metric_name) for metric_name in item["metrics"]]
        if kind == "local":
            directory = folder / str(index) / name
            directory.mkdir(parents=True)
            if item["metric_py"]:
                shutil.copyfile(script, directory / script.name)
            return DatasetConfig(path=directory)
        if kind == "package":
            return DatasetConfig(name=name)
        registry = folder / f"{index}.json"
        entry = {"name": name, "version": "1", "description": "", "tasks": []}
        entry["metrics"] = [config.model_dump(mode="json") for config in metrics]
        registry.write_text(json.dumps([entry]), "utf-8")
        return DatasetConfig(name=name, registry_path=registry)

    datasets = request["datasets"]
    scripts = [item["metric_py"] for item in datasets if item["kind"] == "package"]

    async def metadata(_: Any, name: str, *__: Any, **___: Any) -> Any:
        return DatasetMetadata(name=name, task_ids=[], metrics=[])

    async def files(*_: Any, **__: Any) -> dict[str, Path]:
        return {script.name: script} if scripts.pop(0) else {}

    with (
        tempfile.TemporaryDirectory(dir=root) as folder,
        mock.patch.multiple(
            PackageDatasetClient,
            __init__=lambda *_, **__: None,
            get_dataset_metadata=metadata,
            download_dataset_files=files,
        ),
    ):
        config = JobConfig(
            metrics=[metric(name) for name in request["job_metrics"]],
            datasets=[dataset(item, index, Path(folder)) for index, item in enumerate(datasets)],
        )
        tasks = [TaskConfig(path=Path("task"), source=source) for source in request.get("sources", ())]
        raw = asyncio.run(resolve(config, tasks))
    parts = raw if isinstance(raw, tuple) else (raw,)  # since 0.24 together with the datasets
    resolved = next((part for part in parts if isinstance(part, Mapping)), None)
    if resolved is None:
        raise UnsupportedError(f"this harbor resolves metrics to a {type(raw).__name__}")
    return {"metrics": {name: [names[type(item)] for item in items] for name, items in resolved.items()}}


@prepared
def playback() -> Any:
    """The module `playback`."""
    name = "harbor_conformance_playback"  # harbor imports the stand-ins by this name
    spec = importlib.util.spec_from_file_location(name, PLAYBACK)
    if spec is None or spec.loader is None:
        raise UnsupportedError("playback.py can't be loaded")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def play_job(request: dict[str, Any]) -> dict[str, Any]:
    """A described job, played back by harbor's own `Job`."""
    player = playback()
    try:
        return dict(player.account(request, player.play(request)))
    except player.OutOfReachError as reason:
        raise UnsupportedError(str(reason)) from None


PLAYBACK = Path(__file__).resolve().parent / "playback.py"


class Entry(NamedTuple):
    """An operation, and the harbor module that it requires."""

    run: Operation
    module: str
    file: Path | None = None
    """A file of the kit that it also requires."""


OPERATIONS = {
    "parse_reward": Entry(parse_reward, "harbor.verifier.verifier"),
    "terminal_bench_reward": Entry(terminal_bench_reward, "harbor.mappers.terminal_bench"),
    "aggregate": Entry(aggregate, "harbor.metrics.factory"),
    "evals_key": Entry(evals_key, "harbor.models.job.result"),
    "pass_at_k": Entry(pass_at_k, "harbor.utils.pass_at_k"),
    "multi_step_reward": Entry(multi_step_reward, "harbor.trial.multi_step"),
    "plan_trials": Entry(plan_trials, "harbor.job"),
    "resolve_metrics": Entry(resolve_metrics, "harbor.job"),
    "job_result": Entry(job_result, "harbor.job"),
    "scores": Entry(scores, "harbor.job"),
    "pipeline": Entry(pipeline, "harbor.job"),
    "pipeline_result": Entry(pipeline, "harbor.job"),  # only the kit's oracle is asked for these
    "play_job": Entry(play_job, "harbor.job", PLAYBACK),
}


# The protocol


class Runner:
    """Answers requests. Harbor's modules are imported at hello, which has a longer timeout."""

    def reply(self, line: bytes) -> dict[str, Any]:
        """The reply to a line. Every line gets one."""
        identity = None
        try:
            try:
                request = without_digit_limit(json.loads, line.decode("utf-8"))
            except (ValueError, RecursionError) as error:
                raise BadRequest(f"not a line of JSON: {error}") from error
            if not isinstance(request, dict):
                raise BadRequest("a request is an object")
            identity = request.get("id")
            FAULTS.clear()
            name = request["op"]
            if name == "hello":
                return {"id": identity, "ok": self._hello()}
            if name not in OPERATIONS:
                raise UnsupportedError(f"no operation {name!r} here")
            try:
                importlib.import_module(OPERATIONS[name].module)
            except Exception as error:
                raise lacking(name, error) from None
            answer = OPERATIONS[name].run(request["input"])
            if FAULTS:  # harbor may have caught the exception, and its answer is no longer its own
                raise UnsupportedError(FAULTS[0])
            return {"id": identity, "ok": answer}
        except UnsupportedError as reason:
            return {"id": identity, "unsupported": hidden(str(reason))}
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic in compiled code is not an Exception
            fault = not_installed(error) or (FAULTS[0] if FAULTS else reason_if_ours(error))
            fault = None if isinstance(error, BadRequest) else fault
            if fault is not None:
                return {"id": identity, "unsupported": hidden(fault)}
            return {"id": identity, "error": describe(error)}

    def _hello(self) -> dict[str, Any]:
        reasons = {name: why_absent(entry) for name, entry in OPERATIONS.items()}
        offered = [name for name, reason in reasons.items() if reason is None]
        if not offered:
            raise UnsupportedError(f"no operation is offered: {next(iter(reasons.values()))}")
        return {
            "runner": "harbor",
            "version": importlib.metadata.version("harbor"),
            "protocol": PROTOCOL,
            "ops": offered,
            "unsupported": {name: hidden(reason) for name, reason in reasons.items() if reason is not None},
        }


def why_absent(entry: Entry) -> str | None:
    """Why this harbor can't offer the operation; None if it can, or if its answers state the reason."""
    if entry.file is not None and not entry.file.exists():
        return f"there is no {entry.file.name} next to the adapter"
    try:
        if importlib.util.find_spec(entry.module) is None:
            return f"this harbor has no module {entry.module}"
    except Exception as error:  # of a package that it is in
        return f"{entry.module} can't be found: {type(error).__name__}: {error}"
    try:
        importlib.import_module(entry.module)
    except Exception as error:
        return not_installed(error)
    return None


def not_installed(error: BaseException) -> str | None:
    """What to install if an import fails because of a package other than harbor."""
    for cause in chain(error):
        module = (getattr(cause, "name", None) or "").partition(".")[0]
        if not isinstance(cause, ModuleNotFoundError) or module in ("", "harbor"):
            continue
        needs = importlib.metadata.requires("harbor") or ()
        names = [match[0] for need in needs if (match := re.match(r"[\w.-]+", need)) is not None]
        plain = {name: re.sub(r"[-.]", "_", name).lower() for name in names}
        alike = [name for name in names if plain[name] == module.lower()]
        package = [*alike, *(name for name in names if module.lower() in plain[name]), module][0]
        return (
            f"harbor imports {module}, which is not installed: "
            f"install it in the fork's environment: pip install {package}"
        )
    return None


def describe(error: BaseException) -> dict[str, Any]:
    """An exception as in the protocol."""
    kind = type(error).__name__
    try:
        message = hidden(str(error))
    except Exception:
        message = ""
    return {"type": kind, "reason_code": REASON_CODES.get(kind), "message": message}


def encode(reply: dict[str, Any]) -> bytes:
    """A reply's line. Lone surrogates are escaped."""
    try:
        text: str = without_digit_limit(ENCODER.encode, reply)
    except Exception as error:
        text = json.dumps({"id": reply["id"], "error": describe(error)})
    return text.encode("ascii") + b"\n"


def serve() -> int:
    """Answer each line of stdin until it closes. Whatever harbor prints goes to stderr."""
    sys.stdout.flush()
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    logging.disable(logging.CRITICAL)
    if importlib.util.find_spec("harbor") is None:
        sys.stderr.write(f"harbor is not installed next to {sys.executable}\n")
        return 2
    runner = Runner()
    try:
        for line in requests:
            replies.write(encode(runner.reply(line)))
            replies.flush()
    except (BrokenPipeError, KeyboardInterrupt):
        # The reader is gone, but buffered output is still written when the file is closed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), replies.fileno())
        return 1
    finally:
        if scratch.cache_info().currsize:
            shutil.rmtree(scratch(), ignore_errors=True)
    return 0


def keep_bytecode() -> None:
    """Cache the bytecode of a fork's dependencies in the folder that the kit names, if nothing else does.

    Dependencies installed without bytecode would be compiled in every run, which takes longer than the rest.
    Nothing is written to the fork; harbor's own modules are compiled each time, so that every edit takes
    effect.
    """
    folder = os.environ.pop("HARBOR_CONFORMANCE_BYTECODE", None)
    pydantic = importlib.util.find_spec("pydantic")
    if not folder or pydantic is None or os.path.exists(pydantic.cached or ""):
        return
    loader = importlib.machinery.SourceFileLoader
    usual = loader.get_code

    def get_code(self: Any, fullname: str) -> Any:
        if fullname.partition(".")[0] != "harbor":
            return usual(self, fullname)
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)

    loader.get_code = get_code  # type: ignore[method-assign]
    sys.pycache_prefix, sys.dont_write_bytecode = folder, False


def in_utf8() -> bool:
    """Whether text is read as UTF-8, by locale or `-X utf8`: harbor reads without an encoding."""
    return locale.getpreferredencoding(False).lower() in ("utf-8", "utf8")


def main() -> int:
    """Set the process up and serve."""
    if not in_utf8():
        command = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
        if os.name == "nt":
            return subprocess.call(command)
        os.execv(sys.executable, command)  # noqa: S606 - no shell is meant to be there
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # otherwise importing harbor accesses the network
    os.environ["HARBOR_TELEMETRY"] = "0"  # otherwise the end of each job does, since 0.19
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # This file's folder must not come first on the path: harbor.py would shadow the real harbor.
    own_folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != own_folder]
    keep_bytecode()
    return serve()


if __name__ == "__main__":
    sys.exit(main())
