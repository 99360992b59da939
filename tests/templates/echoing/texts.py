"""Checks of text, file content and objects: no character is lost, and no order."""

import base64
import json
import random
from typing import Any

from tests.templates.echoing.asking import Asked, is_protocol_error
from tests.templates.echoing.lines import TAKEN_VALUES, VALUES
from tests.templates.echoing.reading import Int, Object, due

TEXTS: list[str] = [*VALUES["texts"], "a" * 70_000, "é😀\n" * 9_000]
CONTENTS = [text.encode("latin-1") for text in VALUES["contents"]] + [bytes(range(256)), bytes(range(128))]
KEYS: list[str] = [*VALUES["keys"], "x" * 5_000]


def every_value_comes_back(asked: Asked) -> None:
    """All kinds, in their order, at any depth, with white space and escapes of every sort."""
    given = [b'{"value":%s}' % text for text in TAKEN_VALUES]
    replies = asked.oks([("echo", one) for one in given])
    for text, reply in zip(TAKEN_VALUES, replies, strict=True):
        assert reply == Object((("value", due(text)),)), f"{text!r}: {reply}"


def all_of_unicode_comes_back(asked: Asked) -> None:
    """Every scalar value, as UTF-8 and as escapes; U+2028, NUL and U+0085 end no line."""
    scalars = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    step = 97 if asked.runner.oneshot else 1
    text = "".join(scalars[::step])
    for given in (text, TEXTS):
        for ascii_only in (True, False):
            line = json.dumps({"value": given}, ensure_ascii=ascii_only).encode()
            assert asked.ok("echo", line)["value"] == given


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
    assert (reply["id"], reply["ok"]) == (Int("5"), due({"value": "/"}))


def text_is_counted_and_marked(asked: Asked) -> None:
    """Code points, and no UTF-16 units or bytes; ``text`` marks a string where a number is expected."""
    texts = [text for text in TEXTS if len(text) < 300]
    for text, reply in zip(texts, asked.oks([("text", {"value": text}) for text in texts]), strict=True):
        assert reply["code_points"] == [Int(str(ord(each))) for each in text], repr(text)
        assert reply["marked"] == Object((("string", text),))


def halves_of_pairs_are_escapes(asked: Asked) -> None:
    """Half a surrogate pair in an answer, as text and as a key, is an escape; a whole pair is a character."""
    for units in VALUES["units"]:
        raw = asked.runner.ask(asked.request("units", {"units": units}))
        text = "".join(map(chr, units)).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        assert json.loads(raw.decode("utf-8"))["ok"] == {"text": text, "object": {text: 1}}, raw


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
    contents = [*CONTENTS, *(drawn.randbytes(drawn.randrange(1, 40)) for _ in range(count))]
    contents.append(bytes(range(256)) * 40 if asked.runner.oneshot else drawn.randbytes(200_000))
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
    line = b'{"id":1,"op":"echo","input":{"value":%s}}'
    for opened, inner, closed in ((b"[", b"", b"]"), (b'{"a":', b"1", b"}")):
        value = opened * 498 + inner + closed * 498  # the message and its input are two more
        reply = asked.runner.ask(line % value)
        assert b'"ok"' in reply, reply[:200]
        assert value in reply.replace(b" ", b"")  # Python would recurse to read it
        for depth in (1_000, 200_000):
            value = opened * depth + inner + closed * depth
            is_protocol_error(asked.line(line % value), None)
        is_protocol_error(asked.line(opened * 200_000), None)
    more = b'{"id":1,"op":"print","input":{},"more":%s}' % (b"[" * 2_000 + b"]" * 2_000)
    for bad in (b'[{"a":' * 100_000, more):
        is_protocol_error(asked.line(bad), None)


def a_line_of_eight_mebibytes_is_read(asked: Asked) -> None:
    """In seconds: one string; then a line of many numbers, and one of many members."""
    size = 8 << 20
    long = "xé😀\\n" * (size // 12)
    reply = asked.ok("echo", b'{"value":"%s"}' % long.encode())
    assert reply["value"] == long.replace("\\n", "\n")
    size >>= 3  # Python reads these back slowly
    numbers = b",".join(b"%d,0.5" % (number % 997) for number in range(size // 8))
    reply = asked.ok("echo", b'{"value":[%s]}' % numbers)
    assert len(reply["value"]) == 2 * (size // 8)
    members = {f"key{number}": "value" for number in range(size // 24)}
    reply = asked.ok("echo", {"value": members})
    assert reply["value"].names() == list(members)
