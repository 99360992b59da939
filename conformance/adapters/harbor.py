"""The real harbor as a runner of the conformance kit.

One file: the standard library and whatever harbor is installed beside the Python that runs it. It
speaks the runner protocol, version 1, on stdin and stdout. Each operation calls harbor's own code
and never restates it, so its answers are harbor's answers. An operation whose code a harbor lacks
is left out of the `hello` reply, or answered `unsupported` with the reason.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import importlib.metadata
import importlib.util
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
from collections.abc import Callable, Coroutine
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

PROTOCOL = 1
MESSAGE_LIMIT = 2_000
SHELL_TIMEOUT_SEC = 60
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
NON_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
REASON_CODES = {
    "RewardFileNotFoundError": "harbor_reward_missing",
    "RewardFileEmptyError": "harbor_reward_empty",
    "VerifierOutputParseError": "harbor_reward_parse_error",
}

Operation = Callable[[dict[str, Any]], dict[str, Any]]


class BadRequest(Exception):  # noqa: N818 - the name is the error type of the reply
    """The request cannot be decoded."""


class UnsupportedError(Exception):
    """The harbor beside this Python has no code for the operation."""


# Decoding and encoding


def field(value: Any, name: str, *kinds: type) -> Any:
    """The member `name` of a request object, which must be of one of `kinds`."""
    if not isinstance(value, dict):
        raise BadRequest(f"an object with the member {name!r} is due")
    if name not in value:
        raise BadRequest(f"the member {name!r} is missing")
    if type(value[name]) not in kinds:
        raise BadRequest(f"the member {name!r} has the wrong type")
    return value[name]


def number(value: Any) -> int | float:
    """A number, or a string that spells one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        if value in NON_FINITE:
            return NON_FINITE[value]
        match = NUMBER.fullmatch(value)
        if match:
            return float(value) if match[1] or match[2] else whole(value)
    raise BadRequest("a number is due, or a string that spells one")


def integer(value: Any) -> int:
    """A number without fraction or exponent, or a string that spells one."""
    decoded = number(value)
    if not isinstance(decoded, int):
        raise BadRequest("an integer is due")
    return decoded


def rewards_in(value: Any) -> dict[str, int | float] | None:
    """A recorded rewards object, or null."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise BadRequest("rewards are an object or null")
    return {key: number(item) for key, item in value.items()}


def number_out(value: Any) -> Any:
    """A number as the protocol has it: non-finite floats are strings."""
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def numbers_out(value: dict[str, Any] | None) -> dict[str, Any] | None:
    """An object of numbers as the protocol has it."""
    return None if value is None else {str(key): number_out(item) for key, item in value.items()}


def content_in(value: Any) -> bytes:
    """The bytes of a file: `{"text": …}` or `{"base64": …}`."""
    if not isinstance(value, dict) or len(value) != 1:
        raise BadRequest("file content is an object with either 'text' or 'base64'")
    try:
        if "text" in value:
            return bytes(field(value, "text", str).encode("utf-8"))
        return base64.b64decode(field(value, "base64", str), validate=True)
    except (UnicodeEncodeError, binascii.Error, ValueError) as error:
        raise BadRequest(f"file content cannot be decoded: {error}") from error


def content_out(data: bytes) -> dict[str, str]:
    """A file's content as the protocol has it: text if it is well-formed UTF-8."""
    try:
        return {"text": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


ENCODER = json.JSONEncoder(allow_nan=False)


def without_digit_limit(call: Callable[[Any], Any], value: Any) -> Any:
    """Call with ints of any size: the protocol has no limit; harbor's own code keeps CPython's."""
    sys.set_int_max_str_digits(0)
    try:
        return call(value)
    finally:
        sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)


def whole(digits: str) -> int:
    """An int of any number of digits."""
    return int(without_digit_limit(int, digits))


# Running harbor's code


class Scratch:
    """A temporary directory, made on first use and removed at the end."""

    def __init__(self) -> None:
        self._root: Path | None = None

    @property
    def root(self) -> Path:
        """Its path, without symbolic links."""
        if self._root is None:
            self._root = Path(os.path.realpath(tempfile.mkdtemp(prefix="harbor-adapter-")))
        return self._root

    def remove(self) -> None:
        """Remove it and all in it, if it was made."""
        if self._root is not None:
            shutil.rmtree(self._root, ignore_errors=True)

    def hide(self, text: str) -> str:
        """The text with the directory's own name taken out, so that messages do not vary."""
        return text if self._root is None else text.replace(str(self._root), "/logs")


SCRATCH = Scratch()


def drive(start: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Run a coroutine to its end: without an event loop if it never really waits."""
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


# The operations. Each function here imports what it needs of harbor and returns the operation.


def parse_reward() -> Operation:
    """The real verifier, on the request's files instead of what a test script wrote."""
    from harbor.models.task.config import TaskOS, VerifierConfig
    from harbor.models.task.paths import TaskPaths
    from harbor.models.trial.paths import TrialPaths
    from harbor.verifier.verifier import Verifier

    async def nothing(*_: Any, **__: Any) -> None:
        """The environment's part: the files are there already."""

    paths = TrialPaths(trial_dir=SCRATCH.root)
    paths.verifier_dir.mkdir()
    verifier = Verifier(
        task=SimpleNamespace(
            paths=TaskPaths(SCRATCH.root / "task"),
            config=SimpleNamespace(verifier=VerifierConfig()),
        ),
        trial_paths=paths,
        environment=SimpleNamespace(
            os=TaskOS.LINUX,
            capabilities=SimpleNamespace(mounted=True),
            exec=nothing,
        ),
        skip_tests_upload=True,
    )
    folder = str(paths.verifier_dir)

    def run(request: dict[str, Any]) -> dict[str, Any]:
        files = {}
        for name, content in field(request, "files", dict).items():
            if name in ("", ".", "..") or not name.isprintable() or "/" in name or "\\" in name:
                raise BadRequest("a file's name is a plain name")
            files[os.path.join(folder, name)] = content_in(content)
        try:
            for path, data in files.items():
                with open(path, "wb", buffering=0) as file:
                    file.write(data)
            return {"rewards": numbers_out(drive(verifier.verify).rewards)}
        finally:
            for path in files:
                if os.path.exists(path):
                    os.unlink(path)

    return run


def terminal_bench_reward() -> Operation:
    """The mapper's suffix, run by a shell after a command that exits as the request says."""
    from harbor.mappers.terminal_bench import REWARD_LOGGING_SUFFIX

    shell = shutil.which("bash") or shutil.which("sh")
    if shell is None:
        raise UnsupportedError("no shell here")
    if "/logs/verifier" not in REWARD_LOGGING_SUFFIX:
        raise UnsupportedError("the mapper's suffix no longer writes to /logs/verifier")
    folder = SCRATCH.root / "terminal_bench"
    folder.mkdir()
    suffix = REWARD_LOGGING_SUFFIX.replace("/logs/verifier", shlex.quote(str(folder)))

    def run(request: dict[str, Any]) -> dict[str, Any]:
        code = integer(field(request, "exit_code", int, str))
        if not 0 <= code <= 255:
            raise BadRequest("an exit code is 0 to 255")
        written = folder / "reward.txt"
        written.unlink(missing_ok=True)
        done = subprocess.run(
            [shell, "-c", f"(exit {code})\n{suffix}"], timeout=SHELL_TIMEOUT_SEC, check=False
        )
        if done.returncode != code:
            raise RuntimeError(f"the shell exits with {done.returncode}, not {code}")
        return {"reward.txt": content_out(written.read_bytes())}

    return run


def aggregate() -> Operation:
    """The four built-in metrics."""
    from harbor.metrics.factory import MetricFactory
    from harbor.models.metric.type import MetricType

    metrics = {
        kind.value: MetricFactory.create_metric(kind)
        for kind in (MetricType.MEAN, MetricType.MAX, MetricType.MIN, MetricType.SUM)
    }

    def run(request: dict[str, Any]) -> dict[str, Any]:
        name = field(request, "metric", str)
        if name not in metrics:
            raise BadRequest("metric is mean, max, min or sum")
        rewards = [rewards_in(item) for item in field(request, "rewards", list)]
        return numbers_out(metrics[name].compute(rewards)) or {}

    return run


def evals_key() -> Operation:
    """The key under which the job's statistics count a trial."""
    from harbor.models.job.result import JobStats
    from harbor.models.trial.result import AgentInfo, ModelInfo, TrialResult

    def run(request: dict[str, Any]) -> dict[str, Any]:
        agent = field(request, "agent", str)
        model = field(request, "model", str, type(None))
        trial = TrialResult.model_construct(
            trial_name="trial",
            source=field(request, "source", str, type(None)),
            agent_info=AgentInfo(
                name=agent,
                version="1",
                model_info=None if model is None else ModelInfo(name=model),
            ),
        )
        stats = JobStats()
        stats.increment(trial)
        (key,) = stats.evals
        return {"evals_key": key}

    return run


def pass_at_k() -> Operation:
    """The estimator, on the trials of one group."""
    from harbor.models.trial.result import TrialResult
    from harbor.models.verifier.result import VerifierResult
    from harbor.utils.pass_at_k import _compute_pass_at_k_for_trials

    def run(request: dict[str, Any]) -> dict[str, Any]:
        trials = [
            (field(trial, "task", str), rewards_in(field(trial, "rewards", dict, type(None))))
            for trial in field(request, "trials", list)
        ]
        return (
            numbers_out(
                _compute_pass_at_k_for_trials(
                    [
                        TrialResult.model_construct(
                            id=None, task_name=task, verifier_result=VerifierResult(rewards=rewards)
                        )
                        for task, rewards in trials
                    ]
                )
            )
            or {}
        )

    return run


def multi_step_reward() -> Operation:
    """A real multi-step trial, whose steps give what the request says."""
    from harbor.models.task.config import TaskConfig
    from harbor.models.trial.config import VerifierConfig
    from harbor.models.trial.result import ExceptionInfo, TrialResult
    from harbor.models.verifier.result import VerifierResult
    from harbor.trial.multi_step import MultiStepTrial

    class Playback(MultiStepTrial):  # type: ignore[misc]
        """A real multi-step trial whose steps give what the request says; the rest is harbor's."""

        def __init__(self, config: TaskConfig, steps: list[dict[str, Any]]) -> None:
            self.task = SimpleNamespace(config=config)
            self.config = SimpleNamespace(verifier=VerifierConfig())
            self.paths = SimpleNamespace(cleanup_empty_mount_dirs=lambda: None)
            self.logger = logging.getLogger(__name__)
            self._result = TrialResult.model_construct(id=None)
            self._played = steps

        async def _run_step(self, step: Any, step_result: Any, **position: Any) -> None:
            played = self._played[position["index"] - 1]
            if played["verifier_result"] is not None:
                step_result.verifier_result = VerifierResult(**played["verifier_result"])
            if played["exception"] is not None:
                step_result.exception_info = ExceptionInfo(
                    exception_type=played["exception"],
                    exception_message="",
                    exception_traceback="",
                    occurred_at=datetime.now(timezone.utc),
                )

        async def _stop_agent_environment(self) -> None:
            pass

    def step_in(step: Any) -> dict[str, Any]:
        result = field(step, "verifier_result", dict, type(None))
        gate = field(step, "min_reward", int, float, str, dict, type(None))
        if result is not None:
            result = {"rewards": rewards_in(field(result, "rewards", dict, type(None)))}
        return {
            "verifier_result": result,
            "exception": field(step, "exception", str, type(None)),
            "min_reward": rewards_in(gate) if type(gate) in (dict, type(None)) else number(gate),
        }

    def run(request: dict[str, Any]) -> dict[str, Any]:
        strategy = field(request, "strategy", str, type(None))
        steps = [step_in(step) for step in field(request, "steps", list)]
        config = TaskConfig.model_validate(
            {
                "multi_step_reward_strategy": strategy,
                "steps": [
                    {"name": f"step-{index}", "min_reward": step["min_reward"]}
                    for index, step in enumerate(steps, start=1)
                ],
            }
        )
        trial = Playback(config, steps)
        drive(trial._run)
        chosen = trial.result.verifier_result
        return {
            "verifier_result": None if chosen is None else {"rewards": numbers_out(chosen.rewards)},
            "steps_run": len(trial.result.step_results),
        }

    return run


def plan_trials() -> Operation:
    """The trial list of a real job that is never run."""
    from harbor.job import Job
    from harbor.models.job.config import JobConfig
    from harbor.models.trial.config import AgentConfig, TaskConfig

    def names(request: dict[str, Any], member: str) -> list[str]:
        found = field(request, member, list)
        if not all(isinstance(name, str) for name in found):
            raise BadRequest(f"{member} are names")
        return list(found)

    def run(request: dict[str, Any]) -> dict[str, Any]:
        tasks, agents = names(request, "tasks"), names(request, "agents")
        attempts = integer(field(request, "n_attempts", int, str))
        job = Job.__new__(Job)  # the constructor would write a job directory
        job._id = None
        job.config = JobConfig(
            job_name="job",
            n_attempts=attempts,
            tasks=[TaskConfig(path=Path(name), source=name) for name in tasks],
            agents=[AgentConfig(name=name) for name in agents],
        )
        job._task_configs = drive(lambda: Job._resolve_task_configs(job.config))
        job._init_trial_configs()
        return {"trials": [[trial.task.source, trial.agent.name] for trial in job._trial_configs]}

    return run


class Entry(NamedTuple):
    """How to get an operation, and the module of harbor without which it does not exist."""

    load: Callable[[], Operation]
    module: str


OPERATIONS = {
    "parse_reward": Entry(parse_reward, "harbor.verifier.verifier"),
    "terminal_bench_reward": Entry(terminal_bench_reward, "harbor.mappers.terminal_bench"),
    "aggregate": Entry(aggregate, "harbor.metrics.factory"),
    "evals_key": Entry(evals_key, "harbor.models.job.result"),
    "pass_at_k": Entry(pass_at_k, "harbor.utils.pass_at_k"),
    "multi_step_reward": Entry(multi_step_reward, "harbor.trial.multi_step"),
    "plan_trials": Entry(plan_trials, "harbor.job"),
}


# The protocol


class Runner:
    """Answers requests; operations load on first use, as parts of harbor take seconds to import."""

    def __init__(self) -> None:
        self._loaded: dict[str, Operation | UnsupportedError] = {}

    def reply(self, line: bytes) -> dict[str, Any]:
        """The reply to a line. Whatever happens, it is one."""
        identity = None
        try:
            try:
                request = without_digit_limit(json.loads, line.decode("utf-8"))
            except (ValueError, RecursionError) as error:
                raise BadRequest(f"not a line of JSON: {error}") from error
            if not isinstance(request, dict):
                raise BadRequest("a request is an object")
            identity = request.get("id")
            name = field(request, "op", str)
            if name == "hello":
                return {"id": identity, "ok": self._hello()}
            operation = self._operation(name)
            return {"id": identity, "ok": operation(field(request, "input", dict))}
        except UnsupportedError as reason:
            return {"id": identity, "unsupported": str(reason)}
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic in compiled code is no Exception
            return {"id": identity, "error": describe(error)}

    def _hello(self) -> dict[str, Any]:
        return {
            "runner": "harbor",
            "version": importlib.metadata.version("harbor"),
            "protocol": PROTOCOL,
            "ops": [name for name, entry in OPERATIONS.items() if is_there(entry.module)],
        }

    def _operation(self, name: str) -> Operation:
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        found = self._loaded[name]
        if isinstance(found, UnsupportedError):
            raise found
        return found

    def _load(self, name: str) -> Operation | UnsupportedError:
        if name not in OPERATIONS:
            return UnsupportedError(f"no operation {name!r} here")
        try:
            return OPERATIONS[name].load()
        except UnsupportedError as reason:
            return reason
        except Exception as error:
            return UnsupportedError(f"this harbor lacks what {name} needs: {type(error).__name__}: {error}")


def is_there(module: str) -> bool:
    """Whether this harbor has the module; only its parents are imported."""
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False


def describe(error: BaseException) -> dict[str, Any]:
    """An exception as the protocol has it."""
    kind = type(error).__name__
    try:
        message = SCRATCH.hide(str(error))[:MESSAGE_LIMIT]
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
    if not is_there("harbor"):
        sys.stderr.write(f"harbor is not installed beside {sys.executable}\n")
        return 2
    runner = Runner()
    try:
        for line in requests:
            replies.write(encode(runner.reply(line)))
            replies.flush()
    except (BrokenPipeError, KeyboardInterrupt):
        # Nobody reads any more: what is still buffered must go somewhere when the file is closed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), replies.fileno())
        return 1
    finally:
        SCRATCH.remove()
    return 0


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
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # or importing harbor tries the network
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # This file's folder must not come first on the path: its name would hide the real harbor.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    return serve()


if __name__ == "__main__":
    sys.exit(main())
