"""Checks of numbers: every spelling, both ways, to the last bit."""

import json
import math
import random
import struct
import time
from fractions import Fraction
from typing import Any

from tests.templates.echoing.asking import Asked
from tests.templates.echoing.reading import Float, Int, due, due_double, spelled

MAX = 1.7976931348623157e308
DOUBLES = [
    *(0.0, -0.0, 1.0, -1.0, 0.1, 0.2, 0.3, 0.1 + 0.2, 1 / 3, 2 / 3, 1.1, 100.0, 1234.5, 1.5e-7, 5e-324),
    1e-323,
    *(2.2250738585072014e-308, 2.225073858507201e-308, 2.2250738585072011e-308, MAX, -MAX, 1e308, 1e-308),
    *(1e15, 1e16, 1e17, 1e21, 1e22, 1e23, 9e15, 9999999999999998.0, 99999999999999990.0, 123456789012345.0),
    *(1234567890123456.0, 12345678901234567.0, 123456789012345678.0, 9007199254740993.0, 9007199254740992.0),
    *(2.0**53, 2.0**53 + 2, 2.0**63, 2.0**64, 2.0**62, 1e100, 1e-100, 1e-4, 1e-5, 1.2e-4, 1.2e-5, 0.00012345),
    9.5e-5,
    *(0.001, 0.01, 4.35, 5e-5, 8.41e21, 2e-44, 4.5e-44, 9.409340012568248e18, 1.7800590868057611e-307),
    2.0**-1074,
    *(2.98023223876953125e-8, 5.764607523034235e39, 1.152921504606847e40, 2.305843009213694e40),
    4.4501477170144023e-308,
    *(9.007199254740991e15, 4.8726570057e288, 4.7e-318, 1.3e-320, 6.103515625e-05, 1e7, 12345678.9, 1e10),
    *(1e6, 1e-7),
]
INTS = [
    *(0, 1, -1, 9, 10, 255, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1),
    2**63 - 1,
    *(2**63, -(2**63), -(2**63) - 1, 2**64 - 1, 2**64, 2**64 + 1, 10**18, 10**19, 10**20, 10**30, 10**100),
    2**1023,
    *(2**54 + 2, 2**54 + 3, 2**54 + 1, 2**63 + 1024, 2**63 + 1025, 2**63 + 3072, 10**308, 9 * 10**307),
    *(10**23, 10**22),
    *(2**1024 - 2**970 - 1, 2**1024 - 2**971, int(MAX), -int(MAX), 2**100 + 2**47, 2**100 + 2**47 + 1),
    3 * 2**99,
]
BEYOND = [2**1024 - 2**970, 2**1024, 10**309, 10**400, -(10**400), -(2**1024) + 2**970, 10**4299]
NO_NUMBERS: list[Any] = [
    *(None, True, False, [], {}, [1], "", " ", "abc", "nan", "inf", "infinity", "+1", "01", "1.", ".5"),
    *("0x10", "1_000"),
    *(
        " 1",
        "1 ",
        "1\n",
        "--1",
        "1e",
        "1e+",
        "１",
        "-",
        "+Infinity",
        "NAN",
        "-NaN",
        "1,5",
        "1 000",
        "1f",
        "٣",
    ),
]


def random_doubles(count: int, seed: int) -> list[float]:
    """Finite doubles of random bits."""
    drawn = random.Random(seed)
    found: list[float] = []
    while len(found) < count:
        (value,) = struct.unpack("<d", struct.pack("<Q", drawn.getrandbits(64)))
        if math.isfinite(value):
            found.append(value)
    return found


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
        *("2.2250738585072011e-308", "2.2250738585072012e-308", "1.00000000000000011102230246251565404"),
        *("1.00000000000000011102230246251565405", "1.00000000000000011102230246251565403"),
        "9007199254740993.0",
        *("9007199254740992.9", "9007199254740993.1"),
        "0.500000000000000166533453693773481063544750213623046875",
        *("4.9406564584124654e-324", "2.4703282292062328e-324", "2.4703282292062327e-324", "7.4e-324"),
        "6.9e-18",
        *("1.7976931348623158e308", "1.7976931348623157e+308", "179769313486231570000e288"),
        "0." + "0" * 320 + "1e10",
        *("1" + "0" * 300 + ".0", "0." + "0" * 300 + "1", "1" + "0" * 400 + "e-400", "1." + "0" * 800 + "1"),
        *("1e0", "1E+2"),
        *("1.0", "-0.0", "1.5e-7", "5e-324", "3e-324", "1e-400", "100e-2", "0.1e1"),
        "123456789012345678901234567890.0",
    ]
    same_values(asked, texts)


def same_values(asked: Asked, texts: list[str]) -> None:
    """All in one line, as a list."""
    given = "[" + ",".join(texts) + "]"
    reply = asked.ok("echo", b'{"value":%s}' % given.encode())
    wrong = [
        f"{text[:80]}: {came} came, {wanted} is due"
        for text, came in zip(texts, reply["value"], strict=True)
        if came != (wanted := due_double(float(text)))
    ]
    assert not wrong, f"{len(wrong)} of {len(texts)}: {wrong[:5]}"


def ints_of_any_size_come_back(asked: Asked) -> None:
    """Digit for digit, and they are no floats; 10,000 digits take no time."""
    texts = [
        *map(str, INTS),
        str(10**400),
        "9" * 4300,
        "-" + "8" * 4300,
        "1" + "0" * 9_999,
        "-" + "7" * 10_000,
    ]
    reply = asked.ok("echo", b'{"value":[%s]}' % ",".join(texts).encode())
    assert reply["value"] == [Int(text) for text in texts]
    assert asked.ok("echo", b'{"value":[-0]}')["value"] == [Int("0")]
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
    ints = [
        *INTS,
        *(drawn.choice((1, -1)) * drawn.getrandbits(drawn.randrange(1, 1000)) for _ in range(count)),
    ]
    floats = [*DOUBLES, *random_doubles(count, 6)]
    spellings = [
        "1e0",
        "1E+2",
        "1.50",
        "-0e0",
        "0e5",
        "1e-400",
        "100e-2",
        "2.50e1",
        "12345678901234567890.0",
        "-0.0",
    ]
    requests = [number_of(asked, text) for text in (*map(str, ints), *map(repr, floats), *spellings)]
    wanted = [
        *(("int", value, str(value), float(value)) for value in ints),
        *(("float", value, spelled(value), value) for value in (*floats, *map(float, spellings))),
    ]
    for reply, (kind, value, spelling, double) in zip(asked.oks(requests), wanted, strict=True):
        assert reply["kind"] == kind, reply
        assert reply["value"] == due(value), reply
        assert reply["spelled"] == spelling, reply
        assert reply["double"] == due_double(double), reply
    reply = asked.ok(*number_of(asked, "-0"))
    assert (reply["kind"], reply["value"], reply["double"]) == ("int", Int("0"), Float("0.0"))


def numbers_that_are_not_finite(asked: Asked) -> None:
    """The three strings are doubles, in both modes and both ways."""
    for word in ("NaN", "Infinity", "-Infinity"):
        reply = asked.ok("number", {"value": word})
        assert reply["kind"] == "float"
        assert reply["value"] == reply["spelled"] == reply["double"] == word
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
    spellings = ["1", "-0", "1.0", "-0.0", "1E5", "18446744073709551617", "0.1", "5e-324"]
    for text, reply in zip(
        spellings, asked.oks([("number", {"value": one}) for one in spellings]), strict=True
    ):
        value = float(text) if set(text) & set(".eE") else int(text)
        assert reply["kind"] == type(value).__name__, text
        assert (reply["value"], reply["double"]) == (due(value), due_double(float(value))), text


def what_is_no_number_is_an_error(asked: Asked) -> None:
    """Whatever its kind; a string that is no number's spelling in JSON, too."""
    requests = [("number", {"value": value}) for value in NO_NUMBERS]
    for (_, given), (kind, value) in zip(requests, asked.ask_all(requests), strict=True):
        assert kind == "error", f"{given}: {kind} {value}"


def rewards_are_read(asked: Asked) -> None:
    """Null, none, one or many, in their order, ints and floats as they are."""
    members = [
        *(("reward", "1"), ("a", "1.0"), ("2", "-0.0"), ("1", "18446744073709551617"), ("", "1e22")),
        ("__proto__", "5e-324"),
        *(("constructor", "0"), ("é\n", "0.30000000000000004"), ("10", "7")),
    ]
    quoted = (lambda text: json.dumps(text)) if asked.runner.strings else (lambda text: text)
    text = ",".join(f"{json.dumps(key)}:{quoted(value)}" for key, value in members)
    given = f'{{"rewards":{{{text},"n":"NaN","i":"-Infinity"}}}}'
    reply = asked.ok("rewards", given.encode())["rewards"]
    assert reply.names() == [*(key for key, _ in members), "n", "i"]
    for key, value in members:
        wanted = due_double(float(value)) if set(value) & set(".e") else Int(value)
        assert reply[key] == wanted
    assert (reply["n"], reply["i"]) == ("NaN", "-Infinity")
    assert asked.ok("rewards", {"rewards": None})["rewards"] is None
    assert asked.ok("rewards", b'{"rewards":{}}')["rewards"].names() == []
    for bad in ([], "x", 1, True, {"a": None}, {"a": "x"}, {"a": []}, {"a": True}):
        asked.error("rewards", {"rewards": bad})
