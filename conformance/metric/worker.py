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
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

MESSAGE_LIMIT = 500


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
    places = [f"{frame.filename}:{frame.lineno}" for frame in frames if frame.filename != __file__]
    return {
        "type": type(error).__name__,
        "message": message,
        "files": [place.rpartition(":")[0] for place in places],
        "escapes": not isinstance(error, Exception),
    }


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


def load(target: str, caller: str) -> Any:
    """The class that ``module:Class`` or ``path.py:Class`` names."""
    where, _, name = target.rpartition(":")
    if where.endswith(".py"):
        path = os.path.join(caller, where)
        sys.path.insert(0, os.path.dirname(path))
        module = from_file(path, Path(path).stem)
    else:
        sys.path.insert(0, caller)
        module = importlib.import_module(where)
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part)
    return found


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
        reply({"class": part.describe(target)})
        for request in job["requests"]:
            before = Printed.count
            answer = part.answer(target, request)
            reply({"case": request["name"], **answer, "printed": Printed.count - before})
    os._exit(0)  # whatever threads the class has left behind


if __name__ == "__main__":
    main()
