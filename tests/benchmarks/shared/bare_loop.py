"""A runner alone: a bare loop that pipes requests through it and reads the replies."""

import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple

from conformance.paths import DEFAULT_SPEC
from conformance.wire import messages

__all__ = ["REFERENCE", "Seconds", "bare_loop"]

REFERENCE = [sys.executable, "-m", "reference_impl"]


class Seconds(NamedTuple):
    """How long a runner took."""

    start: float
    """From its process's beginning to hello's reply."""
    talk: float
    """From there to the last reply."""
    whole: float
    """From its beginning to its end."""


def bare_loop(command: Sequence[str], lines: Sequence[bytes]) -> Seconds:
    """Pipes the request lines through a runner; ends the benchmark if not all are answered."""
    began = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        stdin = process.stdin
        stdin.write(messages.hello_line(DEFAULT_SPEC))
        stdin.flush()
        process.stdout.readline()
        greeted = time.perf_counter()

        def write() -> None:
            stdin.writelines(lines)
            stdin.close()

        writer = threading.Thread(target=write)
        writer.start()
        replies = sum(1 for _ in process.stdout)
        answered = time.perf_counter()
        writer.join()
    if replies != len(lines):
        sys.exit(f"{command[0]} answered {replies} of {len(lines)} requests")
    return Seconds(greeted - began, answered - greeted, time.perf_counter() - began)
