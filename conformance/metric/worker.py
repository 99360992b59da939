"""Loads somebody's class and asks it what a job says. A program of its own, for any Python from 3.10.

The job is a JSON file: the target, the contract's part (a file beside this one) and the requests. The
first line of the answer describes the class, or says why it can't be had; then comes a line per
request. What the class prints goes to standard error.
"""

import contextlib
import importlib
import importlib.util
import io
import json
import os
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

MESSAGE_LIMIT = 500
_PASSING_ON = ("os.py", "_collections_abc.py", "<frozen os>", "<frozen _collections_abc>")
environment_read: set[str] = set()
"""The environment variables that the class's own code asked for."""


class Printed(io.TextIOBase):
    """Standard output for the class: counted, and passed on to standard error."""

    count = 0

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, text: str) -> int:
        """Counts and passes on."""
        Printed.count += len(text)
        data = text.encode("utf-8", "backslashreplace")
        while data:
            data = data[os.write(2, data) :]
        return len(text)


def described(error: BaseException) -> dict[str, Any]:
    """An exception, also one that can't be printed."""
    try:
        message = str(error)[:MESSAGE_LIMIT]
    except BaseException as another:
        message = f"(its text raised {type(another).__name__})"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename not in kit_files()]
    return {
        "type": type(error).__name__,
        "message": message,
        "files": [frame.filename for frame in own],
        "at": [f"{frame.filename}:{frame.lineno}" for frame in own],
        "escapes": not isinstance(error, Exception),
        "unreachable": unreachable(error),
    }


def kit_files() -> tuple[str, ...]:
    """The kit's own files in this process."""
    names = [name for name in sys.modules if name.startswith("_harbor_conformance_")]
    return (__file__, *(str(sys.modules[name].__file__) for name in names))


_SERVICES = {
    "aiohttp", "anthropic", "azure", "boto3", "botocore", "cohere", "google", "groq", "grpc", "httpcore",
    "httpx", "huggingface_hub", "litellm", "mistralai", "ollama", "openai", "requests", "urllib3",
    "websockets",
}  # fmt: skip
_NETWORK = (101, 111, 113, 110, 112)  # no route, refused, no host, timed out: Linux's numbers
_KEYS = re.compile(
    r"api[ _-]?key|access[ _-]?token|credentials?\b|unauthori[sz]ed|not authenticated"
    r"|connection (error|refused|reset|failed)|can(not|'t) (connect|be reached)"
    r"|name resolution|name or service not known",
    re.IGNORECASE,
)


def unreachable(error: BaseException) -> bool:
    """Whether a judge, a service or a package that is not at hand made a call fail.

    The exception or one that led to it is of the network, of a client's own types, an import that
    failed, or speaks of an API key.
    """
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        waiting += [one.__cause__, None if one.__suppress_context__ else one.__context__]
        if isinstance(one, (ConnectionError, TimeoutError, ImportError)):
            return True
        if isinstance(one, OSError) and one.errno in _NETWORK:
            return True
        names = {f"{kind.__module__.partition('.')[0]}" for kind in type(one).__mro__}
        kinds = {f"{kind.__module__}.{kind.__qualname__}" for kind in type(one).__mro__}
        if names & _SERVICES or kinds & {"socket.gaierror", "ssl.SSLError", "urllib.error.URLError"}:
            return True
        if any(kind.startswith("http.client.") or kind.endswith(".JudgeUnreachableError") for kind in kinds):
            return True
        with contextlib.suppress(BaseException):
            if _KEYS.search(str(one)):
                return True
    return False


class Environment(os._Environ):  # type: ignore[type-arg]
    """The environment; it notes what the class's own code asks for."""

    home = "\0"
    """The folder that the class's code is in."""

    def __getitem__(self, key: str) -> str:
        """A variable."""
        self.note(key)
        return str(super().__getitem__(key))

    def __contains__(self, key: object) -> bool:
        """Whether there is such a variable."""
        self.note(key)
        return super().__contains__(key)

    def note(self, key: object) -> None:
        """Notes a variable, if the class's own code asks."""
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and os.path.basename(frame.f_code.co_filename) in _PASSING_ON:
            frame = frame.f_back
        if frame is not None and isinstance(key, str):
            name = frame.f_code.co_filename
            if name.startswith(self.home) and "site-packages" not in name[len(self.home) :]:
                environment_read.add(key)


def watch_environment(file: str | None) -> None:
    """Notes from now on what the code beside a file reads of the environment."""
    if file is not None and isinstance(os.environ, os._Environ):
        Environment.home = os.path.join(os.path.dirname(os.path.abspath(file)), "")
        os.environ.__class__ = Environment


def spelled(value: Any) -> dict[str, Any]:
    """A returned value: its type, and a float's bits."""
    try:
        text = repr(value)[:MESSAGE_LIMIT]
    except BaseException:
        text = "(a value that can't be shown)"
    is_float = isinstance(value, float)
    return {"type": type(value).__name__, "float": float(value).hex() if is_float else None, "text": text}


def from_file(path: str, name: str) -> ModuleType:
    """A module from a file."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def load(named: str, caller: str) -> Any:
    """The class that ``module:Class`` or ``path.py:Class`` names."""
    where, _, name = named.rpartition(":")
    if where.endswith(".py"):
        path = os.path.join(caller, where)
        watch_environment(path)
        sys.path.insert(0, os.path.dirname(path))
        module = from_file(path, Path(path).stem)
    else:
        sys.path.insert(0, caller)
        with contextlib.suppress(ImportError, ValueError):
            found = importlib.util.find_spec(where)
            watch_environment(found.origin if found else None)
        module = importlib.import_module(where)
    target: Any = module
    for part in name.split("."):
        target = getattr(target, part)
    return target


@contextlib.contextmanager
def replies() -> Iterator[io.BufferedWriter]:
    """Where the answers go; standard output itself becomes standard error."""
    with os.fdopen(os.dup(1), "wb") as channel:
        os.dup2(2, 1)
        sys.stdout = Printed()
        yield channel


def main() -> None:
    """Answers the job's requests."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    with replies() as channel:

        def reply(answer: dict[str, Any]) -> None:
            channel.write(json.dumps(answer).encode() + b"\n")
            channel.flush()

        part: Any = from_file(job["part"], "_harbor_conformance_part")
        part.tools = sys.modules[__name__]
        if sentence := part.prepare(job):
            reply({"cannot": sentence})
            return
        try:
            target = load(job["target"], job["caller"])
        except BaseException as error:
            reply({"cannot": None, "raised": described(error), "noted": part.noted()})
            return
        if not isinstance(target, type):
            reply({"cannot": f"{job['target']} is no class but {spelled(target)['text'][:80]}"})
            return
        about = part.describe(target)
        reply({"class": about})
        for request in [] if part.unaskable(about) else job["requests"]:
            before = Printed.count
            try:
                answer = part.answer(target, request)
            except BaseException as error:
                answer = {"unmade": described(error)}
            reply({"case": request["name"], **answer, "printed": Printed.count - before})
        reply({"environment_read": sorted(environment_read)})
    os._exit(0)  # whatever threads the class has left behind


if __name__ == "__main__":
    main()
