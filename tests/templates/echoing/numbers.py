"""Checks of numbers: every spelling, both ways, to the last bit."""

import itertools
import json
import math
import random
import struct
import time
from fractions import Fraction
from typing import Any

from tests.templates.echoing.asking import Asked
from tests.templates.echoing.lines import VALUES
from tests.templates.echoing.reading import Float, Int, due, due_double, spelled

DOUBLES: list[float] = VALUES["doubles"]
INTS: list[int] = VALUES["ints"]
BEYOND = [2**1024 - 2**970, 2**1024, 10**309, 10**400, -(10**400), -(2**1024) + 2**970, 10**4299]


def random_doubles(count: int, seed: int) -> list[float]:
    """Finite doubles of random bits."""
    drawn = random.Random(seed)
    values = (struct.unpack("<d", drawn.randbytes(8))[0] for _ in itertools.count())
    return list(itertools.islice(filter(math.isfinite, values), count))


def decimal(value: Fraction) -> str:
    """A fraction whose denominator is a power of two, written out to its last digit."""
    sign, value = ("-", -value) if value < 0 else ("", value)
    places = value.denominator.bit_length() - 1
    digits = str(value.numerator * 5**places).rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}.0"


def halfway(count: int, seed: int) -> list[str]:
    """Texts that stand between two doubles, or a last digit from there, of up to eight hundred digits."""
    drawn = random.Random(seed)
    found = []
    for value in random_doubles(count, seed):
        value = abs(value) if abs(value) < 1e300 else 1.5
        middle = (Fraction(value) + Fraction(math.nextafter(value, math.inf))) / 2
        text = decimal(middle)
        found += [text, f"{text}1", text[:-1] + "4" + "9" * drawn.randrange(1, 40)]
        if drawn.random() < 0.3:
            found.append(f"{text}{'0' * drawn.randrange(1, 60)}1")
    return found


def decimals(count: int, seed: int) -> list[str]:
    """Random spellings of floats: any number of digits, any exponent that a double has."""
    drawn = random.Random(seed)
    found: list[str] = []
    while len(found) < count:
        digits = "".join(drawn.choices("0123456789", k=drawn.choice((1, 2, 5, 15, 16, 17, 18, 20, 25, 40))))
        whole = digits.lstrip("0") or "0"
        part = "." + "".join(drawn.choices("0123456789", k=drawn.choice((1, 3, 17, 30))))
        mark = drawn.choice(("e", "E", "e+", "E-", "e-", ""))
        power = f"{mark}{drawn.randrange(0, 310)}" if mark else ""
        text = drawn.choice(("", "-")) + whole + (part if not power or drawn.random() < 0.6 else "") + power
        if math.isfinite(float(text)):
            found.append(text)
    return found


def floats_are_spelled_to_the_byte(asked: Asked) -> None:
    """Each double of random bits, and those that are known to be hard, byte for byte."""
    count = 1_000 if asked.runner.oneshot else 10_000
    small = random.Random(3)
    values = [
        *DOUBLES,
        *random_doubles(count, 1),
        *(small.randrange(10**6) / 10 ** small.randrange(7) for _ in range(count // 4)),
        *(small.randrange(10**17) * 10.0 ** small.randrange(-20, 20) for _ in range(count // 4)),
        *(math.ldexp(1.0, power) for power in range(-1074, 1024, 7)),
        *(math.nextafter(10.0**power, way) for power in range(-20, 25) for way in (0, math.inf)),
    ]
    same_values(asked, [repr(value) for value in values])


def floats_are_read_to_the_nearest_double(asked: Asked) -> None:
    """Any number of digits; halfway cases go to the even one."""
    count = 300 if asked.runner.oneshot else 3_000
    texts = [
        *decimals(count, 2),
        *halfway(count // 10, 3),
        *VALUES["float spellings"],
        "0." + "0" * 320 + "1e10",
        *("1" + "0" * 300 + ".0", "0." + "0" * 300 + "1", "1" + "0" * 400 + "e-400", "1." + "0" * 800 + "1"),
    ]
    same_values(asked, texts)


def same_values(asked: Asked, texts: list[str]) -> None:
    """All in one line, as a list."""
    given = "[" + ",".join(texts) + "]"
    reply = asked.ok("echo", b'{"value":%s}' % given.encode())
    every = zip(texts, reply["value"], (due_double(float(text)) for text in texts), strict=True)
    wrong = [(text[:80], came, wanted) for text, came, wanted in every if came != wanted]
    assert not wrong, f"{len(wrong)} of {len(texts)}, came and due: {wrong[:5]}"


def ints_of_any_size_come_back(asked: Asked) -> None:
    """Digit for digit, and they are no floats; 10,000 digits take no time."""
    large = ("9" * 4300, "-" + "8" * 4300, "1" + "0" * 9_999, "-" + "7" * 10_000)
    texts = [*map(str, INTS), str(10**400), *large]
    reply = asked.ok("echo", b'{"value":[-0,%s]}' % ",".join(texts).encode())
    assert reply["value"] == [Int(text) for text in ("0", *texts)]
    longest = b'{"value":%s}' % (b"3" * 10_000)
    began = time.monotonic()
    assert asked.ok("echo", longest)["value"] == Int("3" * 10_000)
    assert time.monotonic() - began < 30


def number_of(asked: Asked, text: str) -> tuple[str, Any]:
    """The request for a number: as the runner asks for them."""
    return ("number", b'{"value":%s}' % (json.dumps(text) if asked.runner.strings else text).encode())


def numbers_are_told_apart(asked: Asked) -> None:
    """Int or float by their spelling, with the nearest double, and the string that spells them."""
    count = 20 if asked.runner.oneshot else 500
    drawn = random.Random(5)
    drawn_ints = (drawn.choice((1, -1)) * drawn.getrandbits(drawn.randrange(1, 1000)) for _ in range(count))
    ints = [*INTS, *drawn_ints]
    floats = [*DOUBLES, *random_doubles(count, 6)]
    spellings = VALUES["short spellings"]
    requests = [number_of(asked, text) for text in (*map(str, ints), *map(repr, floats), *spellings)]
    wanted = [
        *(("int", value, str(value), float(value)) for value in ints),
        *(("float", value, spelled(value), value) for value in (*floats, *map(float, spellings))),
    ]
    for reply, (kind, value, spelling, double) in zip(asked.oks(requests), wanted, strict=True):
        assert (reply["kind"], reply["spelled"]) == (kind, spelling), reply
        assert (reply["value"], reply["double"]) == (due(value), due_double(double)), reply
    reply = asked.ok(*number_of(asked, "-0"))
    assert (reply["kind"], reply["value"], reply["double"]) == ("int", Int("0"), Float("0.0"))


def numbers_that_are_not_finite(asked: Asked) -> None:
    """The three strings are doubles, in both modes and both ways."""
    for word in ("NaN", "Infinity", "-Infinity"):
        reply = asked.ok("number", {"value": word})
        assert dict(reply.members) == {"kind": "float", **dict.fromkeys(("value", "spelled", "double"), word)}
    reply = asked.ok("not_finite")
    assert (reply["nan"], reply["list"]) == ("NaN", ["Infinity", "-Infinity"])
    assert reply["zero"] == Float("-0.0")


def ints_beyond_the_doubles_overflow(asked: Asked) -> None:
    """An OverflowError, and no infinity."""
    requests = [number_of(asked, str(value)) for value in BEYOND]
    for value, (kind, error) in zip(BEYOND, asked.ask_all(requests), strict=True):
        assert kind == "error", f"{str(value)[:40]}: {kind} {error}"
        assert (error["type"], error["reason_code"]) == ("OverflowError", None)


def spelled_numbers_are_numbers(asked: Asked) -> None:
    """Whatever way numbers come: a reward may be recorded as the string "1E5", and counts."""
    spellings = VALUES["spelled"]
    replies = asked.oks([("number", {"value": one}) for one in spellings])
    for text, reply in zip(spellings, replies, strict=True):
        value = float(text) if set(text) & set(".eE") else int(text)
        assert reply["kind"] == type(value).__name__, text
        assert (reply["value"], reply["double"]) == (due(value), due_double(float(value))), text


def what_is_no_number_is_an_error(asked: Asked) -> None:
    """Whatever its kind; a string that is no number's spelling in JSON, too."""
    requests = [("number", {"value": value}) for value in VALUES["no numbers"]]
    for (_, given), (kind, value) in zip(requests, asked.ask_all(requests), strict=True):
        assert kind == "error", f"{given}: {kind} {value}"


def rewards_are_read(asked: Asked) -> None:
    """Null, none, one or many, in their order, ints and floats as they are."""
    members = VALUES["rewards"]
    quoted = (lambda text: json.dumps(text)) if asked.runner.strings else (lambda text: text)
    text = ",".join(f"{json.dumps(key)}:{quoted(value)}" for key, value in members)
    given = f'{{"rewards":{{{text},"n":"NaN","i":"-Infinity"}}}}'
    reply = asked.ok("rewards", given.encode())["rewards"]
    assert reply.names() == [*(key for key, _ in members), "n", "i"]
    for key, value in members:
        assert reply[key] == (due_double(float(value)) if set(value) & set(".e") else Int(value))
    assert (reply["n"], reply["i"]) == ("NaN", "-Infinity")
    assert asked.ok("rewards", {"rewards": None})["rewards"] is None
    assert asked.ok("rewards", b'{"rewards":{}}')["rewards"].names() == []
    for bad in VALUES["bad rewards"]:
        asked.error("rewards", {"rewards": bad})
