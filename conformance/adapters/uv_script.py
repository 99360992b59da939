"""The real harbor's metric scripts, as a runner.

It needs the standard library, the kit's helper for runners (``shim.py``), the harbor installed next to the
Python that runs it, and uv on the PATH. For ``metric_script``, harbor's own ``UvScript`` runs the script, and
harbor's own display shows the value first if it is a job's first metric; the answer is the parsed value,
written as JSON again. For ``rewards_jsonl``, the same code writes its input file, and the program that it
would start is replaced by one that stores the bytes.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.metadata
import json
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

SHIM = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "shim.py")))


def rewards_jsonl(rewards: list[Any]) -> dict[str, Any]:
    """The file that harbor writes for a script."""
    from harbor.metrics import uv_script

    kept: list[bytes] = []

    def keep(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        kept.append(Path(command[command.index("-i") + 1]).read_bytes())
        Path(command[command.index("-o") + 1]).write_text("{}")
        return subprocess.CompletedProcess(command, 0, "", "")

    with mock.patch.object(uv_script.subprocess, "run", keep):
        uv_script.UvScript(__file__).compute(list(map(SHIM.rewards, rewards)))
    return {"rewards.jsonl": SHIM.content(kept[0])}


def displayed(metric: Any, rewards: list[Any]) -> Any:
    """The value that harbor would show for a running job's metric, after checking that it can be shown."""
    from harbor.job import Job
    from harbor.models.job.result import JobStats

    computed: list[Any] = []

    def compute(values: list[Any]) -> Any:
        computed.append(metric.compute(values))
        return computed[-1]

    key = JobStats.format_agent_evals_key("agent", None, "adhoc")
    job = SimpleNamespace(
        _metrics={"adhoc": [SimpleNamespace(compute=compute)]}, _live_rewards={key: dict(enumerate(rewards))}
    )
    agent = SimpleNamespace(name="agent", model_info=None)
    event = SimpleNamespace(
        result=SimpleNamespace(agent_info=agent), config=SimpleNamespace(task=SimpleNamespace(source=None))
    )

    async def trial_ended() -> None:  # a coroutine turns StopIteration into RuntimeError
        Job._update_metric_display(job, event, mock.Mock(), None)

    asyncio.run(trial_ended())
    return computed[0]


def metric_script(script: Any, rewards: list[Any], first: bool = False) -> dict[str, Any]:
    """The value that harbor reads from the output of a script that it runs."""
    from harbor.metrics.uv_script import UvScript

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "metric.py"
        if script is not None:
            path.write_bytes(SHIM.to_bytes(script))
        trials, metric = list(map(SHIM.rewards, rewards)), UvScript(path)
        value = displayed(metric, trials) if first and trials else metric.compute(trials)
    return {"metric.json": {"text": json.dumps(value)}}


def main() -> int:
    """Answers until stdin closes."""
    if not sys.flags.utf8_mode:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - no shell
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # otherwise importing harbor accesses the network
    # This file's folder must not come first on the path: harbor.py in it would shadow the real harbor.
    own_folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != own_folder]
    with contextlib.suppress(Exception):  # otherwise the first request waits for it
        importlib.import_module("harbor.metrics.uv_script")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # uv would pick up a project in its working directory
        version = importlib.metadata.version("harbor")
        SHIM.serve(rewards_jsonl, metric_script, name="harbor-uv-script", version=version)
        os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
