"""Operations that show every part of protocol.py to a test."""

import math
import os
import sys

from protocol import (
    content,
    fail,
    number,
    rewards,
    serve,
    spec,
    spelled,
    text,
    to_bytes,
    to_double,
    unsupported,
)


def number_(value):
    read = number(value)
    kind = "float" if isinstance(read, float) else "int"
    return {"kind": kind, "value": read, "spelled": spelled(read), "double": to_double(read)}


def content_(file):
    data = to_bytes(file)
    return {"hex": data.hex(), "file": content(data), "reversed": content(data[::-1])}


def put(pairs):
    built = {}
    for key, value in pairs:
        built[key] = value
    return {"object": built}


def units(units):
    halves = "".join(chr(number(unit)) for unit in units).encode("utf-16", "surrogatepass")
    text = halves.decode("utf-16", "surrogatepass")
    return {"text": text, "object": {text: 1}}


def print_():
    print("on standard output")
    print("on standard error", file=sys.stderr)
    return {}


operations = {
    "echo": lambda value: {"value": value},
    "number": number_,
    "text": lambda value: {"code_points": [ord(character) for character in value], "marked": text(value)},
    "rewards": lambda **given: {"rewards": rewards(given["rewards"])},
    "content": content_,
    "put": put,
    "units": units,
    "not_finite": lambda: {"nan": math.nan, "list": [math.inf, -math.inf], "zero": -0.0},
    "fail": lambda type, message=None: fail(type, message),
    "unsupported": lambda why: unsupported(why),
    "unexpected": lambda: [][1],
    "spec": lambda: {"spec": spec()},
    "stub": None,
    "print": print_,
    "leave": lambda: os._exit(3),
}

serve(operations, name="echo", version="1", string_numbers="--strings" in sys.argv)
