"""The limits of a run, and how it ended."""

import contextlib
import os
from dataclasses import dataclass

from conformance.extensions.metrics.findings import DEFAULT_SECONDS
from conformance.option_names import metric_option
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import MIB

__all__ = ["Ended", "Limits"]

_STOPS = {
    "time": "never-ends: It had not ended after {seconds:g} seconds and was stopped ({timeout} N raises the "
    "limit).",
    "open": "never-ends: It has ended, but what it started held its output open for {seconds:g} seconds: "
    "harbor waits.",
    "printed": "too-much: It printed over {printed} MiB and was stopped.",
    "written": "too-much: It wrote over {written} MiB, or thousands of files, and was stopped.",
    "processes": "too-much: It started over {processes} processes and was stopped.",
    "memory": "too-much: Its processes took over {memory} MiB of memory and were stopped.",
    "keeper": "ends-process: It killed its supervisor process, and was stopped.",
}
"""The rule that a stopped run breaks, and a sentence."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one run."""

    seconds: float = DEFAULT_SECONDS
    printed: int = 64 * MIB
    """Bytes on standard output, and on standard error."""
    file_bytes: int = 64 * MIB
    """The size of one file."""
    folder_bytes: int = 256 * MIB
    """All files."""
    memory_bytes: int = 8 << 30
    """Address space of one process; memory of all processes together."""
    processes: int = 200
    open_files: int = 1024

    def of_a_process(self) -> dict[str, int]:
        """The limits that the kernel enforces; the processor time ends processes that outlive a run."""
        return {
            "RLIMIT_CORE": 0,
            "RLIMIT_FSIZE": self.file_bytes,
            "RLIMIT_AS": self.memory_bytes,
            "RLIMIT_NOFILE": self.open_files,
            **dict.fromkeys(("RLIMIT_MEMLOCK", "RLIMIT_MSGQUEUE", "RLIMIT_RTPRIO", "RLIMIT_NICE"), 0),
            "RLIMIT_NPROC": 20 * self.processes,  # including threads
            "RLIMIT_CPU": 100 * (1 + int(self.seconds)) * (os.cpu_count() or 1),
        }


@dataclass(slots=True)
class Ended:
    """How a call ended."""

    code: int | None = None
    """The exit code, or a signal's negative number; None if the command had not ended."""
    stopped: str | None = None
    """Why it was stopped: time, printed, written, processes, memory or keeper (it killed the supervisor);
    None if it ended by itself."""
    failure: str | None = None
    """Why it could not be started."""
    left: int = 0
    """The number of processes that outlived the command."""
    stdout: bytes = b""
    stderr: bytes = b""
    """The last bytes of each."""
    decodes: bool = True
    """Whether both outputs are UTF-8 throughout."""

    def why_stopped(self, limits: Limits) -> tuple[str, str]:
        """The rule that a stopped run broke, and a sentence."""
        held_open = self.stopped == "time" and self.code is not None
        rule, _, sentence = _STOPS["open" if held_open else self.stopped or ""].partition(": ")
        return rule, sentence.format(
            seconds=limits.seconds,
            printed=limits.printed // MIB,
            written=limits.folder_bytes // MIB,
            processes=limits.processes,
            memory=limits.memory_bytes // MIB,
            timeout=metric_option("timeout"),
        )

    def understand(self, line: bytes) -> bool:
        """Parses the sandboxed program's answer to a call, which may be forged."""
        text = line.decode("utf-8", "replace").strip()
        if text.startswith("!"):
            self.failure = shortened(text[1:], 300)
        else:
            with contextlib.suppress(ValueError):
                self.code = max(-99, min(255, int(text)))
        return self.failure is not None or self.code is not None
