"""Operations that show every part of protocol.py to a test."""

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


def echo(value):
    return {"value": value}


def number_(value):
    read = number(value)
    kind = "float" if isinstance(read, float) else "int"
    return {"kind": kind, "value": read, "spelled": spelled(read), "double": to_double(read)}


def text_(value):
    return {"code_points": [ord(character) for character in value], "marked": text(value)}


def rewards_(**input):
    return {"rewards": rewards(input["rewards"])}


def content_(file):
    data = to_bytes(file)
    return {"hex": data.hex(), "file": content(data), "reversed": content(data[::-1])}


def put(pairs):
    built = {}
    for key, value in pairs:
        built[key] = value
    return {"object": built}


def units(units):
    text = (
        "".join(chr(number(unit)) for unit in units)
        .encode("utf-16", "surrogatepass")
        .decode("utf-16", "surrogatepass")
    )
    return {"text": text, "object": {text: 1}}


def not_finite():
    return {"nan": float("nan"), "list": [float("inf"), float("-inf")], "zero": -0.0}


def fail_(type, message=None):
    fail(type, message)


def unsupported_(why):
    unsupported(why)


def unexpected():
    return [][1]


def spec_():
    return {"spec": spec()}


def print_():
    print("on standard output")
    print("on standard error", file=sys.stderr)
    return {}


def leave():
    os._exit(3)


operations = {
    "echo": echo,
    "number": number_,
    "text": text_,
    "rewards": rewards_,
    "content": content_,
    "put": put,
    "units": units,
    "not_finite": not_finite,
    "fail": fail_,
    "unsupported": unsupported_,
    "unexpected": unexpected,
    "spec": spec_,
    "stub": None,
    "print": print_,
    "leave": leave,
}

serve(operations, name="echo", version="1", string_numbers="--strings" in sys.argv)
