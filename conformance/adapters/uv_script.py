"""The real harbor's metric scripts, as a runner.

One file: the standard library and the harbor installed next to the Python that runs it, with uv on the
search path. ``metric_script`` lets harbor's own ``UvScript`` run the script; what comes back is the parsed
value, written as JSON again; harbor's own display shows a job's first metric before that. For
``rewards_jsonl`` the same code writes its input file, and the program that it would start is replaced by one
that keeps the bytes.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import importlib
import importlib.metadata
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

PROTOCOL = 1
MESSAGE_LIMIT = 2_000
DIGIT_LIMIT = 4300
"""Digits of an int that CPython converts by default: harbor runs with it, messages do not."""
NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def number(value: Any) -> Any:
    """A protocol number: itself, or what a string spells."""
    if not isinstance(value, str):
        return value
    if value in NON_FINITE:
        return NON_FINITE[value]
    return float(value) if any(mark in value for mark in ".eE") else int(value)


def decoded_rewards(given: dict[str, Any]) -> list[dict[str, Any] | None]:
    """The rewards of all trials."""
    return [
        None if rewards is None else {key: number(value) for key, value in rewards.items()}
        for rewards in given["rewards"]
    ]


def decoded(content: dict[str, str]) -> bytes:
    """A file's bytes."""
    if "base64" in content:
        return base64.b64decode(content["base64"], validate=True)
    return content["text"].encode("utf-8")


def encoded(content: bytes) -> dict[str, str]:
    """A file's content, as text wherever its bytes are UTF-8."""
    try:
        return {"text": content.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode("ascii")}


def rewards_jsonl(given: dict[str, Any]) -> dict[str, Any]:
    """The file that harbor writes for a script."""
    from harbor.metrics import uv_script

    kept: list[bytes] = []

    def keep(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        kept.append(Path(command[command.index("-i") + 1]).read_bytes())
        Path(command[command.index("-o") + 1]).write_text("{}")
        return subprocess.CompletedProcess(command, 0, "", "")

    rewards = decoded_rewards(given)
    sys.set_int_max_str_digits(DIGIT_LIMIT)
    with mock.patch.object(uv_script.subprocess, "run", keep):
        uv_script.UvScript(__file__).compute(rewards)
    return {"rewards.jsonl": encoded(kept[0])}


def shown(metric: Any, rewards: list[Any]) -> Any:
    """The value that a metric computes for harbor's display of a running job, once it could be shown."""
    from harbor.job import Job
    from harbor.models.job.result import JobStats

    computed: list[Any] = []

    def compute(given: list[Any]) -> Any:
        computed.append(metric.compute(given))
        return computed[-1]

    key = JobStats.format_agent_evals_key("agent", None, "adhoc")
    job = SimpleNamespace(
        _metrics={"adhoc": [SimpleNamespace(compute=compute)]}, _live_rewards={key: dict(enumerate(rewards))}
    )
    agent = SimpleNamespace(name="agent", model_info=None)
    event = SimpleNamespace(
        result=SimpleNamespace(agent_info=agent),
        config=SimpleNamespace(task=SimpleNamespace(source=None)),
    )

    async def trial_ended() -> None:  # a coroutine turns StopIteration into RuntimeError
        Job._update_metric_display(job, event, mock.Mock(), None)

    asyncio.run(trial_ended())
    return computed[0]


def metric_script(given: dict[str, Any]) -> dict[str, Any]:
    """The value that harbor reads back from a script that it runs."""
    from harbor.metrics.uv_script import UvScript

    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "metric.py"
        if given["script"] is not None:
            script.write_bytes(decoded(given["script"]))
        rewards = decoded_rewards(given)
        sys.set_int_max_str_digits(DIGIT_LIMIT)
        metric = UvScript(script)
        value = shown(metric, rewards) if given.get("first") and rewards else metric.compute(rewards)
    return {"metric.json": {"text": json.dumps(value)}}


OPS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "rewards_jsonl": rewards_jsonl,
    "metric_script": metric_script,
}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The reply to one request, without its id."""
    op = request["op"]
    if op == "hello":
        with contextlib.suppress(Exception):  # otherwise the first request waits for it
            importlib.import_module("harbor.metrics.uv_script")
        version = importlib.metadata.version("harbor")
        who = {"runner": "harbor-uv-script", "version": version}
        return {"ok": {**who, "protocol": PROTOCOL, "ops": list(OPS)}}
    if op not in OPS:
        return {"unsupported": f"harbor's metric scripts know nothing of {op}"}
    try:
        return {"ok": OPS[op](request["input"])}
    except Exception as error:
        message = str(error)[:MESSAGE_LIMIT]
        return {"error": {"type": type(error).__name__, "reason_code": None, "message": message}}


def main() -> int:
    """Answers until stdin closes."""
    if not sys.flags.utf8_mode:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - no shell
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # otherwise importing harbor accesses the network
    # This file's folder must not come first on the path: harbor.py in it would shadow the real harbor.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    requests = sys.stdin.buffer
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # uv would pick up a project in its working directory
        for line in requests:
            sys.set_int_max_str_digits(0)
            request = json.loads(line)
            reply = {"id": request["id"], **answer(request)}
            sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n")
            sys.stdout.buffer.flush()
        os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
