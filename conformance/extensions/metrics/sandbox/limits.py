"""The limits of a run, and how it ended."""

import contextlib
import os
from dataclasses import dataclass

from conformance.extensions.metrics.findings import DEFAULT_SECONDS
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import MIB

__all__ = ["Ended", "Limits"]


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
    forked: bool = False
    """Whether it ran in a fork."""
    left: int = 0
    """The number of processes that outlived the command."""
    stdout: bytes = b""
    stderr: bytes = b""
    """The last bytes of each."""
    decodes: bool = True
    """Whether both outputs are UTF-8 throughout."""

    def understand(self, line: bytes) -> bool:
        """Parses the sandboxed program's answer to a call, which may be forged."""
        text = line.decode("utf-8", "replace").strip()
        self.forked = text.startswith("f")
        if text.startswith("!"):
            self.failure = shortened(text[1:], 300)
        else:
            with contextlib.suppress(ValueError):
                self.code = max(-99, min(255, int(text.removeprefix("f"))))
        return self.failure is not None or self.code is not None
