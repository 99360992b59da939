"""The reference, but for one op: python lying.py crash|hang|…|wrong|once|counting|numbers OP [always].

It misbehaves where the JSON of the input is longer than 60 characters, or always. ``wrong`` answers
``{"wrong": 1}``, ``once`` so the first time that it is asked something, ``counting`` with another number
each time; ``numbers`` leaves the op alone and takes and gives all numbers as strings; ``without``
leaves it out of hello, with the reason that stands for ``always``; ``looks-up`` answers what is published.
"""

import json
import os
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import reference_impl.runner.serving as runner

Json = Any
LONG = 60
asked: list[str] = []
honest = runner._answer


def die() -> None:
    os.write(2, b"last words\n")
    os._exit(3)


def spelled(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: spelled(item) for key, item in value.items()}
    return repr(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


@cache
def published(op: str) -> list[Json]:
    """The inputs of an op's vectors, which are in a file of its name."""
    path = Path(__file__).parents[2] / "vectors" / "harbor-0.13.1" / f"{op}.json"
    return [one["input"] for one in json.loads(path.read_text("utf-8"))["vectors"]]


def answer(request: Json, behaviour: str, name: str, *always: str) -> Json:
    if request["op"] == "hello":
        asked.clear()
        reply = {**honest(request)["ok"], "runner": "lying"}
        if behaviour == "numbers":
            reply["numbers"] = "string"
        if behaviour == "without":
            reply["ops"] = [op for op in reply["ops"] if op != name]
            reply |= {"unsupported": {name: always[0]}} if always else {}
        return {"ok": reply}
    if request["op"] != name or (not always and len(json.dumps(request["input"])) <= LONG):
        return honest(request)
    if behaviour == "crash":
        die()
    if behaviour == "hang":
        time.sleep(60)
    if behaviour == "garbage":
        os.write(1, b"Traceback (most recent call last):\n")
    if behaviour == "looks-up" and request["input"] in published(name):
        return honest(request)
    if behaviour in ("unsupported", "looks-up"):
        return {"unsupported": "not today"}
    if behaviour == "numbers":
        return {key: spelled(value) for key, value in honest(request).items()}
    asked.append(json.dumps(request["input"]))
    if behaviour == "once" and asked.count(asked[-1]) > 1:
        return honest(request)
    return {"ok": {"wrong": len(asked) if behaviour == "counting" else 1}}


def reply(line: bytes, *how: str) -> bytes:
    request = json.loads(line)
    try:
        content = answer(request, *how)
    except Exception as error:
        content = {"error": runner._describe(error)}
    return runner._message(request["id"], content)


if __name__ == "__main__":
    runner._answer = lambda request: answer(request, *sys.argv[1:])
    runner.main()
