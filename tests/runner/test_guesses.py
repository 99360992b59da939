"""What a line that is no reply is said to be, and what is said of silence."""

import json

import pytest

from conformance.runner.reply_errors import excerpt, guess, silent_at_hello, too_late, unfinished, unusable
from conformance.wire.messages import BadReplyError, parse_hello

HELLO = {"id": 0, "ok": {"runner": "r", "version": "1", "protocol": 1, "ops": ["evals_key"]}}
TEXT = json.dumps(HELLO)

LINES = [
    (b"\xef\xbb\xbf" + TEXT.encode(), "byte order mark"),
    (TEXT.encode("utf-16"), "it is UTF-16"),
    (TEXT.encode("utf-16-le"), "it is UTF-16"),
    (TEXT.encode("utf-16-be"), "it is UTF-16"),
    ("caf\xe9".encode("latin-1"), "write UTF-8, whatever the locale"),
    (b"2026-01-02 10:00:00 INFO listening", "log to stderr"),
    (b"\x1b[32mINFO\x1b[0m ready", "log to stderr"),
    (b"Server started on port 8080", "log to stderr"),
    (b"{", "print each reply on one line"),
    (b'{"id": 0, "ok": {', "print each reply on one line"),
    (b"[", "print each reply on one line"),
    (b"bash: line 1: my-runner: command not found", "shell's error"),
    (b"sh: 1: my-runner: not found", "shell's error"),
    (b"/usr/bin/env: 'node': No such file or directory", "shell's error"),
    (TEXT.encode() * 2, "several JSON values are on one line"),
    (TEXT.encode() + b" done", "a line holds one reply and nothing else"),
    (b"", "an empty line"),
    (b"\r", "an empty line"),
    (str(HELLO).encode(), "json.dumps"),
    (b"{ id: 0, ok: { runner: 'r' } }", "JSON.stringify"),
    (b"[object Object]", "JSON.stringify"),
    (b"map[id:0 ok:map[]]", "write JSON"),
    (json.dumps(TEXT).encode(), "encoded twice"),
    (json.dumps(HELLO["ok"]).encode(), "belongs in ok"),
    (b'{"id":0,"op":"hello","protocol":1,"spec":"harbor-0.13.1"}', "it repeats the request"),
    (b"Traceback (most recent call last):", "an error's text"),
    (b"thread 'main' panicked at src/main.rs:1:1:", "an error's text"),
]


@pytest.mark.parametrize(("line", "part"), LINES)
def test_a_hello_that_cannot_be_used_shows_the_line(line, part) -> None:
    with pytest.raises(BadReplyError) as bad:
        parse_hello(line)
    sentence = unusable(bad.value, line, hello=True)
    assert part in guess(line)
    assert part in sentence
    assert excerpt(line) in sentence
    assert sentence.isprintable()
    assert len(sentence) < 500
    assert part in unusable(bad.value, line)


def test_nothing_is_guessed_of_what_is_json() -> None:
    first = "it is the first line of multi-line JSON: print each reply on one line"
    for line in (b"42", b"null", b'{"id":1,"ok":{}}', b'{"id": 1, "ok": {"a": NaN}}', b"1" * 5000):
        assert guess(line) == ""
    assert guess(b"[" * 100_000) in ("", first)


def test_a_line_is_shown_printable_and_a_long_one_cut() -> None:
    for line, text in (
        *((b"abc", "'abc'"), (b"\x1b[31m\x07", r"'\x1b[31m\x07'")),
        *((b"\xff\xfe", r"b'\xff\xfe'"), ("\u202e".encode(), r"'\u202e'")),
    ):
        assert excerpt(line) == text
    two = "é".encode()
    for line in (b"x" * 5000, b"\x00" * 5000, b"\xff" * 5000, two * 3000, b"a" + two * 999):
        assert len(excerpt(line)) < 210
        assert excerpt(line).endswith(f"... (cut, {len(line)} bytes in all)")


def test_silence_asks_for_a_flush_and_a_line_without_its_end_for_that() -> None:
    for sentence in (silent_at_hello(30), too_late(10)):
        assert sentence.index("did you flush stdout after each reply") < sentence.index("--runner-timeout")
        assert "python -u, Rust stdout().flush(), Go's bufio Flush()" in sentence
        assert len(sentence) < 500
    assert "lacks only its line feed" in unfinished(TEXT.encode())
    assert "end each reply with one, and flush" in unfinished(TEXT[:20].encode())
    assert "line feed" in too_late(10, TEXT.encode())
    assert "did you flush" not in silent_at_hello(30, b"{")
