"""The reference as a runner: `python -m reference_impl` speaks the runner protocol, version 1.

It reads one request per line and writes one reply per line, in order. No request ends it: what a
rule raises is the answer, and so is what a malformed request raises.
"""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from ..aggregation import aggregate
from ..evals_key import evals_key
from ..evsys.operations import OPERATIONS as EVSYS_OPERATIONS
from ..harness_evals.operations import OPERATIONS as HARNESS_OPERATIONS
from ..job_result import job_result
from ..metric_resolution import Dataset, DatasetKind, resolve_metrics
from ..multi_step import multi_step_reward
from ..outcome import read_outcome, summarise
from ..pass_at_k import GradedTrial, pass_at_k
from ..pipeline import pipeline
from ..plan import plan_trials
from ..reason_code import reason_code
from ..reward import REWARD_TEXT, parse_reward
from ..terminal_bench import terminal_bench_reward
from .metric_operations import OPERATIONS as SCRIPT_OPERATIONS
from .wire import (
    decode_content,
    decode_files,
    decode_number,
    decode_rewards,
    encode_content,
    encode_number,
    encode_rewards,
)
from .wire_trials import decode_job, decode_step, decode_strategy, decode_trial, decode_unread_trial

RUNNER = "reference_impl"
VERSION = "0.3.0"
PROTOCOL = 1
READ_SIZE = 65536  # bytes, at most, that are read before replies are flushed

# Each operation takes a request's `input` and returns the `ok` of its reply; PROTOCOL.md has both.


def _parse_reward(given: Any) -> Any:
    return {"rewards": encode_rewards(parse_reward(decode_files(given["files"])))}


def _terminal_bench_reward(given: Any) -> Any:
    content = terminal_bench_reward(int(decode_number(given["exit_code"])))
    return {REWARD_TEXT: encode_content(content)}


def _aggregate(given: Any) -> Any:
    rewards = [decode_rewards(reward) for reward in given["rewards"]]
    return encode_rewards(aggregate(given["metric"], rewards))


def _evals_key(given: Any) -> Any:
    return {"evals_key": evals_key(given["agent"], given["model"], given["source"])}


def _pass_at_k(given: Any) -> Any:
    trials = [GradedTrial(t["task"], decode_rewards(t["rewards"])) for t in given["trials"]]
    return {str(k): value for k, value in pass_at_k(trials).items()}


def _multi_step_reward(given: Any) -> Any:
    steps = [decode_step(step) for step in given["steps"]]
    result, steps_run = multi_step_reward(decode_strategy(given["strategy"]), steps)
    rewards = None if result is None else {"rewards": encode_rewards(result.rewards)}
    return {"verifier_result": rewards, "steps_run": steps_run}


def _plan_trials(given: Any) -> Any:
    n_attempts = int(decode_number(given["n_attempts"]))
    return {"trials": plan_trials(n_attempts, given["tasks"], given["agents"])}


def _resolve_metrics(given: Any) -> Any:
    datasets = [
        Dataset(item["name"], DatasetKind(item["kind"]), item["metrics"], item["metric_py"])
        for item in given["datasets"]
    ]
    return {"metrics": resolve_metrics(datasets, given["job_metrics"])}


def _job_result(given: Any) -> Any:
    result = job_result(decode_job(given), [decode_trial(trial) for trial in given["trials"]])
    return {"result.json": encode_content(result.text().encode("utf-8"))}


def _pipeline(given: Any) -> Any:
    trials = [decode_unread_trial(trial) for trial in given["trials"]]
    result, line = pipeline(decode_job(given), trials)
    return {"result.json": encode_content(result.text().encode("utf-8")), "line": line}


def _outcome(given: Any) -> Any:
    content = given["result.json"]
    return {"line": summarise(None if content is None else decode_content(content)).line()}


def _reason_code(given: Any) -> Any:
    return {"reason_code": reason_code(given["text"])}


def _read_outcome(given: Any) -> Any:
    returncode = int(decode_number(given["returncode"]))
    outcome = read_outcome(given["stdout"], returncode, given["timed_out"])
    return {
        "status": outcome.status,
        "score": encode_number(outcome.score),
        "reason_code": outcome.reason_code,
    }


OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "parse_reward": _parse_reward,
    "terminal_bench_reward": _terminal_bench_reward,
    "aggregate": _aggregate,
    "evals_key": _evals_key,
    "pass_at_k": _pass_at_k,
    "multi_step_reward": _multi_step_reward,
    "plan_trials": _plan_trials,
    "resolve_metrics": _resolve_metrics,
    "job_result": _job_result,
    "pipeline": _pipeline,
    "outcome": _outcome,
    "reason_code": _reason_code,
    "read_outcome": _read_outcome,
    **SCRIPT_OPERATIONS,
    **EVSYS_OPERATIONS,
    **HARNESS_OPERATIONS,
}
HELLO = {"runner": RUNNER, "version": VERSION, "protocol": PROTOCOL, "ops": list(OPERATIONS)}

# ASCII output: any reader can take it, and a lone surrogate in a key stays what it is.
_to_json = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def reply(line: bytes) -> bytes:
    """The reply to one request, both with the newline that ends them."""
    request_id = None
    try:
        request = json.loads(line)
        if not isinstance(request["id"], int):
            raise TypeError("a request's id is an int")
        request_id = request["id"]
        return _message(request_id, _answer(request))
    except Exception as error:
        return _message(request_id, {"error": _describe(error)})


def _answer(request: Any) -> dict[str, Any]:
    op = request["op"]
    if op == "hello":
        return {"ok": HELLO}
    if op not in OPERATIONS:
        return {"unsupported": f"{RUNNER} has no {op}"}
    return {"ok": OPERATIONS[op](request["input"])}


def _describe(error: Exception) -> dict[str, Any]:
    return {
        "type": type(error).__name__,
        "reason_code": getattr(error, "reason_code", None),
        "message": str(error),
    }


def _message(request_id: Any, content: dict[str, Any]) -> bytes:
    return _to_json({"id": request_id, **content}).encode("ascii") + b"\n"


def main() -> None:
    """Answer requests until stdin closes.

    Replies are flushed before each wait for input and only then, so that requests sent together
    are answered together.
    """
    if hasattr(sys, "set_int_max_str_digits"):  # not in 3.10.0 to 3.10.6
        sys.set_int_max_str_digits(0)  # the wire has ints of any size, the rules count digits
    unfinished = b""
    while received := os.read(sys.stdin.fileno(), READ_SIZE):
        *lines, unfinished = (unfinished + received).split(b"\n")
        sys.stdout.buffer.writelines(map(reply, lines))
        sys.stdout.buffer.flush()
    if unfinished:
        sys.stdout.buffer.write(reply(unfinished))
