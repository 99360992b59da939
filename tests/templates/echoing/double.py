"""An echo runner to try the checks on: right, or with one fault that a language's own may have.

``python double.py FAULT [--strings]``; ``none`` has none. It is written apart from every template.
"""

import base64
import json
import math
import os
import re
import sys

sys.set_int_max_str_digits(0)
FAULT = sys.argv[1]
STRINGS = "--strings" in sys.argv
REASONS = {
    "RewardFileNotFoundError": "harbor_reward_missing",
    "RewardFileEmptyError": "harbor_reward_empty",
    "VerifierOutputParseError": "harbor_reward_parse_error",
}
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?\Z", re.ASCII)
WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
DEPTH = 500


class BadError(ValueError):
    """No message."""


class RefusedError(Exception):
    """An error of the reply."""

    def __init__(self, kind, message=None):
        self.error = {"type": kind, "reason_code": None if FAULT == "no-reasons" else REASONS.get(kind)}
        if message is not None and FAULT != "message-lost":
            self.error["message"] = message


class UnsupportedError(Exception):
    """An unsupported reply."""


def once(pairs):
    found = dict(pairs)
    if len(found) < len(pairs) and FAULT != "duplicates-taken":
        raise BadError("a key twice")
    if FAULT == "keys-sorted":
        found = dict(sorted(found.items()))
    if FAULT == "ints-first":  # as JavaScript's objects
        ints = sorted((key for key in found if key.isdigit() and str(int(key)) == key), key=int)
        found = {key: found[key] for key in [*ints, *(key for key in found if key not in ints)]}
    if FAULT == "proto-lost":
        found.pop("__proto__", None)
    return found


def real(text):
    value = float(text)
    if math.isinf(value) and FAULT != "beyond-is-infinite":
        raise BadError("beyond the doubles")
    if FAULT == "one-is-one" and value == int(value):
        return int(value)
    if FAULT == "minus-zero-lost":
        return value + 0.0
    if FAULT == "one-bit-off" and len(text) > 30:
        return math.nextafter(value, 0)
    return value


def whole(text):
    return float(text) if FAULT == "ints-are-doubles" and len(text) > 15 else int(text)


def token(word):
    if FAULT == "bare-nan":
        return math.nan
    raise BadError("no JSON")


def deepest(line):
    depth = most = 0
    quoted = escaped = False
    for byte in line:
        if quoted:
            quoted, escaped = (byte != 0x22 or escaped), byte == 0x5C and not escaped
        elif byte == 0x22:
            quoted = True
        elif byte in b"[{":
            depth += 1
            most = max(most, depth)
        elif byte in b"]}":
            depth -= 1
    return most


def read(line):
    if FAULT == "bom-taken":
        line = line.removeprefix(b"\xef\xbb\xbf")
    text = line.decode("utf-8", "replace" if FAULT == "latin-taken" else "strict")
    if line.count(b"[") + line.count(b"{") > DEPTH and deepest(line) > DEPTH and FAULT != "depth-unbounded":
        raise BadError("too deep")
    value = json.loads(
        text.strip(" \t\r\n"), parse_float=real, parse_int=whole, parse_constant=token, object_pairs_hook=once
    )
    if re.search(r"\\u[dD][89a-fA-F]", text) and FAULT != "surrogates-taken":
        json.dumps(value, ensure_ascii=False).encode()
    return value


def json_of(value):
    if isinstance(value, float) and not math.isfinite(value):
        return json.dumps({"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[repr(value)])
    if isinstance(value, float):
        if FAULT == "seventeen-digits":
            return f"{value:.17g}" if value != int(value) else repr(value)
        if FAULT == "exponent-short":
            return re.sub(r"e([+-])0", r"e\1", repr(value))
        if FAULT == "no-plus":
            return repr(value).replace("e+", "e")
        return repr(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{json_of(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(json_of, value)) + "]"
    if isinstance(value, str) and FAULT == "controls-bare":
        return json.dumps(value, ensure_ascii=False).replace("\\u001b", "\x1b")
    if isinstance(value, str) and FAULT == "planes-lost":
        return json.dumps(re.sub("[\U00010000-\U0010ffff]", "?", value))
    return json.dumps(value)


def number(value):
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and FAULT == "any-spelling":
        return float(value)
    if isinstance(value, str) and value in WORDS:
        return WORDS[value]
    if isinstance(value, str) and (STRINGS or FAULT != "spelled-refused") and (match := NUMBER.match(value)):
        return float(value) if match[1] or match[2] else int(value)
    raise RefusedError("TypeError", "no number")


def double(value):
    try:
        return float(value)
    except OverflowError as error:
        if FAULT == "overflow-is-infinite":
            return math.inf
        raise RefusedError("OverflowError", "too large") from error


def spelled(value):
    return json_of(value).strip('"')


def content(data):
    try:
        return {"text": data.decode("latin-1" if FAULT == "text-always" else "utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def data_of(given):
    if "base64" in given:
        return base64.b64decode(given["base64"], validate=True)
    return (given["text"].replace("\r\n", "\n") if FAULT == "crlf-lost" else given["text"]).encode()


def number_op(given):
    value = number(given["value"])
    kind = "int" if isinstance(value, int) else "float"
    return {"kind": kind, "value": value, "spelled": spelled(value), "double": double(value)}


def text_op(given):
    value = given["value"]
    if not isinstance(value, str):
        raise RefusedError("TypeError")
    codes = [
        int.from_bytes(value.encode("utf-16-le")[at : at + 2], "little")
        for at in range(0, len(value.encode("utf-16-le")), 2)
    ]
    return {
        "code_points": codes if FAULT == "units-counted" else list(map(ord, value)),
        "marked": {"string": value},
    }


def rewards_op(given):
    value = given["rewards"]
    return {"rewards": None if value is None else {key: number(each) for key, each in value.items()}}


def content_op(given):
    data = data_of(given["file"])
    return {"hex": data.hex(), "file": content(data), "reversed": content(data[::-1])}


def put_op(given):
    found = {}
    for key, value in given["pairs"]:
        if not isinstance(key, str):
            raise RefusedError("TypeError")
        if FAULT == "put-moves":
            found.pop(key, None)
        found[key] = value
    return {"object": found}


def fail_op(given):
    if not isinstance(given["type"], str):
        raise RefusedError("TypeError")
    raise RefusedError(given["type"], given.get("message"))


def unsupported_op(given):
    if not isinstance(given["why"], str):
        raise RefusedError("TypeError")
    raise UnsupportedError(given["why"])


def print_op(given):
    print("a line of the author's", file=sys.stdout if FAULT == "prints" else sys.stderr)
    return {}


def units_op(given):
    text = b"".join(unit.to_bytes(2, "little") for unit in given["units"])
    text = text.decode("utf-16-le", "replace" if FAULT == "halves-lost" else "surrogatepass")
    return {"text": text, "object": {text: 1}}


def not_finite_op(given):
    return {
        "nan": math.nan,
        "list": [math.inf, -math.inf],
        "zero": 0.0 if FAULT == "minus-zero-made" else -0.0,
    }


SPEC = None
OPS = {
    "echo": lambda given: {"value": given["value"]},
    "number": number_op,
    "text": text_op,
    "rewards": rewards_op,
    "content": content_op,
    "put": put_op,
    "units": units_op,
    "not_finite": not_finite_op,
    "fail": fail_op,
    "unsupported": unsupported_op,
    "unexpected": lambda given: {"value": [][1]},
    "spec": lambda given: {"spec": SPEC},
    "print": print_op,
    "leave": lambda given: os._exit(3),
}


def hello(message):
    global SPEC
    known = type(message.get("protocol")) is int and message["protocol"] == 1
    if not known and FAULT != "any-protocol":
        return {"error": {"type": "ProtocolError", "reason_code": None, "message": "it is protocol 1 here"}}
    SPEC = SPEC or message["spec"] if FAULT == "first-spec-stays" else message["spec"]
    ops = [*OPS, "stub"] if FAULT == "stub-offered" else list(OPS)
    ok = {"runner": "echo", "version": "1", "protocol": 1, "ops": ops}
    if STRINGS and FAULT != "numbers-unsaid":
        ok["numbers"] = "string"
    return {"ok": ok}


def answer(line):
    known = None
    try:
        message = read(line)
        if not isinstance(message, dict) or type(message.get("id")) is not int:
            raise BadError("no message")
        known = message["id"]
        op = message.get("op")
        if not isinstance(op, str):
            raise BadError("no op")
        if op == "hello":
            return {"id": known, **hello(message)}
        if op not in OPS:
            return {"id": known, "unsupported": f"there is no {op} here"}
        if not isinstance(message.get("input"), dict):
            raise BadError("no input")
    except (ValueError, RecursionError) as error:
        if FAULT == "bad-lines-end-it":
            sys.exit(1)
        if FAULT == "bad-lines-ignored":
            return None
        told = {"type": "ProtocolError", "reason_code": None, "message": str(error) or "no"}
        return {"id": known if FAULT != "id-guessed" else 0, "error": told}
    try:
        return {"id": known, "ok": OPS[op](message["input"])}
    except RefusedError as refused:
        return {"id": known, "error": refused.error}
    except UnsupportedError as why:
        return {"id": known, "unsupported": str(why)}
    except Exception as error:
        if FAULT == "unexpected-ends-it":
            raise
        print(repr(error), file=sys.stderr)
        return {"id": known, "error": {"type": type(error).__name__, "reason_code": None}}


def held_back():
    """Lines of all that came at once, and only then their replies go out."""
    rest = b""
    while block := os.read(0, 1 << 16):
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            yield line + b"\n"
        sys.stdout.flush()
    if rest:
        yield rest


def main():
    lines = sys.stdin.buffer
    if FAULT == "splits-at-returns":
        import io

        lines = (
            line.encode()
            for line in io.TextIOWrapper(sys.stdin.buffer, "utf-8", "surrogateescape", newline=None)
        )
    if FAULT == "splits-at-separators":
        lines = (part for line in lines for part in re.split(rb"(?<=\xe2\x80\xa8)", line))
    if FAULT == "held-back":
        lines = held_back()
    for line in lines:
        if FAULT == "last-line-dropped" and not line.endswith(b"\n"):
            return
        reply = answer(line)
        if reply is None:
            continue
        sys.stdout.write(json_of(reply) + ("\n\n" if FAULT == "empty-lines" else "\n"))
        if FAULT != "unflushed" and FAULT != "held-back":
            sys.stdout.flush()


sys.setrecursionlimit(4000)
sys.stdout.reconfigure(encoding="utf-8", newline="\n")
main()
