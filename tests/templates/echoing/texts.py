"""Checks of text, file content and objects: no character is lost, and no order."""

import base64
import json
import random
from typing import Any

from tests.templates.echoing.asking import Asked
from tests.templates.echoing.lines import TAKEN_VALUES
from tests.templates.echoing.reading import Int, Object, due

TEXTS = [
    *("", "a", "é", "é", "€", "😀", "\U0010ffff", "\U00010000", "\uffff", "\ufffe", "\ufdd0", "\ud7ff"),
    "\ue000",
    *("\0", "a\0b", "\x7f", "\x80", "\x85", "\xa0", "\u2028", "\u2029", "\ufeff", "a\ufeff", "\u200b\u200d"),
    "\u202e",
    *("".join(map(chr, range(0x20))), "".join(map(chr, range(0x20, 0x100))), '"\\/\b\f\n\r\t', "\r\n", "\n"),
    *("\r", "\t"),
    *("👩‍👩‍👧‍👦", "ﬁ", "ẞß", "İı", "\u1e9b\u0323", "\u0301", "ｱ", "한글", "עברית", "𝒳", "a" * 70_000),
    "é😀\n" * 9_000,
    *("\\u0041", "\\", '"', "'", "$HOME", "`id`", "$(id)", "%s%n", "-n", "-e", "*", "~", "#", "\\c", "\\n"),
    *("!", "a  b "),
    *("NaN", "Infinity", "1.0", "5", "null", "true", "{}", "[]", " leading", "trailing ", "\n\n", "a\n"),
]
CONTENTS = [
    *(b"", b"a", b"0.5\n", b"\0", b"a\0b", b"\r\n", b"a\r\nb\r", b"\n\n\n", b"\xef\xbb\xbf1"),
    *("é€😀\U0010ffff".encode(), b"\x7f"),
    *(b"\xff", b"\x80", b"\xc3", b"\xc3\x28", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\x80", b"\xe0\x9f\xbf"),
    b"\xe0\xa0\x80",
    *(b"\xed\x9f\xbf", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xee\x80\x80", b"\xf0\x80\x80\x80"),
    b"\xf0\x8f\xbf\xbf",
    *(b"\xf0\x90\x80\x80", b"\xf4\x8f\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf5\x80\x80\x80"),
    *(b"\xf8\x88\x80\x80\x80", b"\xfe"),
    *(b"a\xe2\x82", b"\xe2\x82", b"\xf0\x9f\x98", b"ab\xf0\x9f\x98\x80\xf0\x9f", b"\xff\xfe1\0"),
    *(bytes(range(256)), bytes(range(128))),
    *(b"\xef\xbf\xbd", b"\xef\xbf\xbf", b"\xef\xb7\x90", "\u2028".encode(), b"%s\\n$(id)`", b"{}"),
    *(b'{"reward": 1}', b"-n"),
]
KEYS = [
    *("b", "a", "", "1", "0", "10", "01", "-1", "1.5", "4294967294", "4294967295", "__proto__"),
    *("constructor", "toString"),
    *("hasOwnProperty", "length", "prototype", "then", "toJSON", "valueOf", "id", "ok", "é", "e\u0301", "😀"),
    "\uffff",
    *("\U00010000", "\0", "\n", '"', "\\", "/", " ", "a ", "A", "ß", "ss", "ﬁ", "fi", "NaN", "null", "true"),
    *("$type", "class"),
    *("SUBSEP", "\x1c", "\x1f", "a\x1cb", "1,2", "x" * 5_000),
]


def json_of(value: Any, *, ascii_only: bool) -> bytes:
    """Both spellings of a document: with escapes, and as UTF-8."""
    return json.dumps(value, ensure_ascii=ascii_only).encode()


def every_value_comes_back(asked: Asked) -> None:
    """All kinds, in their order, at any depth, with white space and escapes of every sort."""
    given = [b'{"value":%s}' % text for text in TAKEN_VALUES]
    replies = asked.oks([("echo", one) for one in given])
    for text, reply in zip(TAKEN_VALUES, replies, strict=True):
        assert reply.names() == ["value"]
        assert reply["value"] == due(text), f"{text!r}: {reply}"


def all_of_unicode_comes_back(asked: Asked) -> None:
    """Every scalar value, as UTF-8 and as escapes; U+2028, NUL and U+0085 end no line."""
    scalars = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    step = 97 if asked.runner.oneshot else 1
    text = "".join(scalars[::step])
    for ascii_only in (True, False):
        (reply,) = asked.oks([("echo", json_of({"value": text}, ascii_only=ascii_only))])
        assert reply["value"] == text
    reply = asked.ok("echo", {"value": TEXTS})
    assert reply["value"] == TEXTS


def escapes_are_read(asked: Asked) -> None:
    """Each in both cases of its digits, in names as in values."""
    drawn = random.Random(7)
    codes = drawn.sample(range(0x110000), 300)
    text = "".join(chr(code) for code in codes if not 0xD800 <= code < 0xE000)
    units = text.encode("utf-16-be").hex(" ", 2).split()
    spelled = "".join(f"\\u{unit.upper() if drawn.random() < 0.5 else unit}" for unit in units)
    given = f'{{"value":{{"{spelled}":"{spelled}"}}}}'.encode()
    assert asked.ok("echo", given)["value"] == Object(((text, text),))
    line = b'{"\\u0069d":5,"\\u006fp":"ec\\u0068o","in\\u0070ut":{"v\\u0061lue":"\\/"}}'
    reply = asked.line(line)
    assert reply["id"] == Int("5")
    assert reply["ok"] == Object((("value", "/"),))


def text_is_counted_and_marked(asked: Asked) -> None:
    """Code points, and no UTF-16 units or bytes; ``text`` marks what is a string where a number is due."""
    texts = [text for text in TEXTS if len(text) < 300]
    for text, reply in zip(texts, asked.oks([("text", {"value": text}) for text in texts]), strict=True):
        assert reply["code_points"] == [Int(str(ord(each))) for each in text], repr(text)
        assert reply["marked"] == Object((("string", text),))


def halves_of_pairs_are_escapes(asked: Asked) -> None:
    """Half a surrogate pair in an answer, as text and as a key, is an escape; a whole pair is a character."""
    for units in (
        [0xD810],
        [0xDFF0],
        [97, 0xD83D, 98],
        [0xDE00, 0xD83D],
        [0xD83D, 0xD83D, 0xDE00],
        [0xD83D, 0xDE00],
    ):
        raw = asked.runner.ask(asked.request("units", {"units": units}))
        raw.decode("utf-8")
        text = (
            "".join(map(chr, units)).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        )
        assert json.loads(raw)["ok"] == {"text": text, "object": {text: 1}}, raw


def content_of(data: bytes) -> Any:
    """How a file's content is written."""
    try:
        return {"text": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def file_content_is_bytes(asked: Asked) -> None:
    """Text where it is well-formed UTF-8, else base64: by the reversed bytes of each, too."""
    drawn = random.Random(8)
    count = 10 if asked.runner.oneshot else 200
    some = [drawn.randbytes(drawn.randrange(1, 40)) for _ in range(count)]
    contents = [
        *CONTENTS,
        *some,
        *([bytes(range(256)) * 40] if asked.runner.oneshot else [drawn.randbytes(200_000)]),
    ]
    given = [content_of(data) for data in contents]
    # base64 is allowed for text too; the answer is text
    contents, given = [*contents, b"0.5\n", b""], [*given, {"base64": "MC41Cg=="}, {"base64": ""}]
    replies = asked.oks([("content", {"file": one}) for one in given])
    for data, reply in zip(contents, replies, strict=True):
        assert reply["hex"] == data.hex()
        assert reply["file"] == due(content_of(data)), data[:50]
        assert reply["reversed"] == due(content_of(data[::-1])), data[:50]


def objects_keep_their_order(asked: Asked) -> None:
    """Members as they came, names that a language has a use of its own for, and many of them."""
    drawn = random.Random(9)
    count = 300 if asked.runner.oneshot else 5_000
    many = [str(drawn.randrange(10**6)) for _ in range(count)]
    for keys in (KEYS, KEYS[::-1], list(dict.fromkeys(many))):
        given = {key: number for number, key in enumerate(keys)}
        reply = asked.ok("echo", {"value": {"deep": [given]}})["value"]["deep"][0]
        assert reply == due(given)


def what_is_put_twice_keeps_its_place(asked: Asked) -> None:
    """As in Python: the first place, the last value."""
    drawn = random.Random(10)
    pairs: list[Any] = [[key, number] for number, key in enumerate(KEYS)]
    count = 300 if asked.runner.oneshot else 3_000
    pairs += [[drawn.choice(KEYS), number] for number in range(count)]
    for one in ([], [["a", 1]], [["a", 1], ["b", 2], ["a", {"x": []}]], pairs, pairs[::-1]):
        wanted = dict(map(tuple, one))
        assert asked.ok("put", {"pairs": one})["object"] == due(wanted)


def depth_is_bounded(asked: Asked) -> None:
    """500 levels are read; what is deeper is refused with a sentence, and never ends the process."""
    for opened, closed in ((b"[", b"]"), (b'{"a":', b"}")):
        inner = b"1" if opened != b"[" else b""
        value = opened * 498 + inner + closed * 498  # the message and its input are two more
        reply = asked.runner.ask(b'{"id":1,"op":"echo","input":{"value":%s}}' % value)
        assert b'"ok"' in reply, reply[:200]
        assert value in reply.replace(b" ", b"")  # Python would recurse to read it
        for depth in (1_000, 200_000):
            value = opened * depth + inner + closed * depth
            refused(asked, b'{"id":1,"op":"echo","input":{"value":%s}}' % value)
        refused(asked, opened * 200_000)
    mixed = b'[{"a":' * 100_000
    refused(asked, mixed)
    refused(asked, b'{"id":1,"op":"print","input":{},"more":%s}' % (b"[" * 2_000 + b"]" * 2_000))


def refused(asked: Asked, line: bytes) -> None:
    """The line is no message."""
    reply = asked.line(line)
    assert reply["id"] is None, line[:100]
    assert reply["error"]["type"] == "ProtocolError", line[:100]
    assert reply["error"]["message"], line[:100]


def a_line_of_eight_mebibytes_is_read(asked: Asked) -> None:
    """In seconds: one string; then a line of many numbers, and one of many members."""
    size = 8 << 20
    long = "xé😀\\n" * (size // 12)
    reply = asked.ok("echo", b'{"value":"%s"}' % long.encode())
    assert reply["value"] == long.replace("\\n", "\n")
    size >>= 3  # Python reads these back slowly
    numbers = b"[" + b",".join(b"%d,0.5" % (number % 997) for number in range(size // 8)) + b"]"
    reply = asked.ok("echo", b'{"value":%s}' % numbers)
    assert len(reply["value"]) == 2 * (size // 8)
    members = {f"key{number}": "value" for number in range(size // 24)}
    reply = asked.ok("echo", {"value": members})
    assert reply["value"].names() == list(members)
