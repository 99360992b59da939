"""A runner that answers from a vector file and misbehaves where it is told to.

    hostile.py FILE [BEHAVIOUR [SLUG]...]

It knows the expected answers of FILE, or of all vector files of a folder, whose operations it then offers.
The requests of the vectors with the given slugs (without any: all) meet BEHAVIOUR, all others are answered as
expected. Standard library only; no randomness.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = Any
MIB = 1 << 20
OPS = ["aggregate", "evals_key", "evsys.compute", "parse_reward", "terminal_bench_reward"]
FOREVER = 60.0  # seconds; the kit ends the process long before


class Out:
    """What a runner can do to whoever talks with it; tests/played.py has one that is no process."""

    def say(self, line: bytes) -> None:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()

    def err(self, text: bytes) -> None:
        os.write(2, text)

    def stay(self) -> None:
        time.sleep(FOREVER)

    def leave(self, code: int) -> None:
        sys.stdout.flush()
        os._exit(code)

    def kill_itself(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def mute(self) -> None:
        os.close(1)

    def pause(self) -> None:
        time.sleep(0.1)


def dump(message: Json) -> bytes:
    return json.dumps(message).encode() + b"\n"


def last_words(out: Out, code: int) -> None:
    out.err(b"first words\nlast words\n")
    out.leave(code)


def flood_stderr(out: Out, reply: Json) -> None:
    for _ in range(40):
        out.err(b"x" * 65535 + b"\n")
    out.say(dump(reply))


def huge(out: Out, newline: bytes) -> None:
    for _ in range(20):
        out.say(b"x" * MIB)
    out.say(newline)


def trickle(out: Out, reply: Json) -> None:
    out.say(dump(reply)[:6])
    for _ in range(int(FOREVER * 20)):
        out.say(b" ")
        time.sleep(0.05)


def close_and_stay(out: Out, reply: Json) -> None:
    out.say(dump(reply))
    os.close(0)
    out.stay()


def leave_a_grandchild(out: Out) -> None:
    import subprocess

    subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({FOREVER})"])
    out.leave(4)


def leave_a_daemon() -> None:
    """A process of a session of its own, whose parent is gone and which holds no pipe."""
    if os.fork():
        os.wait()
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    for descriptor in (0, 1, 2):
        os.close(descriptor)
        os.open(os.devnull, os.O_RDWR)
    words = [sys.executable, "-c", f"import time; time.sleep({10 * FOREVER})", "left by hostile.py"]
    os.execv(words[0], words)


def raw(reply: Json, ok: bytes) -> bytes:
    return b'{"id":%d,"ok":%b}\n' % (reply["id"], ok)


def nested(reply: Json, depth: int) -> bytes:
    return raw(reply, b'{"evals_key":' + b"[" * depth + b"]" * depth + b"}")


CONTROL = "\x1b[31mred\x07 \x9b2J \u202e \ud800 \x7f"
"""Text that must never reach a terminal as it is."""

AT_REQUEST: dict[str, Callable[[Out, Json], None]] = {
    "correct": lambda out, reply: out.say(dump(reply)),
    "wrong": lambda out, reply: out.say(dump({"id": reply["id"], "ok": {"evals_key": "wrong"}})),
    "wrong-error": lambda out, reply: out.say(dump({"id": reply["id"], "error": {"type": "KeyError"}})),
    "unsupported": lambda out, reply: out.say(dump({"id": reply["id"], "unsupported": "not here"})),
    "control-error": lambda out, reply: out.say(
        dump({"id": reply["id"], "error": {"type": CONTROL, "reason_code": CONTROL, "message": CONTROL}})
    ),
    "control-key": lambda out, reply: out.say(dump({"id": reply["id"], "ok": {CONTROL: 1}})),
    "control-unsupported": lambda out, reply: out.say(dump({"id": reply["id"], "unsupported": CONTROL})),
    "exit": lambda out, reply: last_words(out, 3),
    "exit-0": lambda out, reply: out.leave(0),
    "kill": lambda out, reply: out.kill_itself(),
    "hang": lambda out, reply: out.stay(),
    "garbage": lambda out, reply: out.say(b"Traceback (most recent call last):\n"),
    "garbage-control": lambda out, reply: out.say(b"\x1b[31m\x9b\xff\n"),
    "blank-line": lambda out, reply: out.say(b"\n" + dump(reply)),
    "wrong-id": lambda out, reply: out.say(dump({**reply, "id": reply["id"] + 1})),
    "duplicate-reply": lambda out, reply: out.say(dump(reply) * 2),
    "extra-line": lambda out, reply: out.say(dump(reply) + b"debug: done\n"),
    "unfinished-extra": lambda out, reply: out.say(dump(reply) + b"and"),
    "slow": lambda out, reply: (out.pause(), out.say(dump(reply)))[0],
    "flood-stderr": flood_stderr,
    "big-replies": lambda out, reply: out.say(raw(reply, b'{"evals_key":"' + b"x" * (MIB - 100) + b'"}')),
    "huge": lambda out, reply: huge(out, b"\n"),
    "huge-unfinished": lambda out, reply: (huge(out, b""), out.stay())[0],
    "long": lambda out, reply: out.say(raw(reply, b'"' + b"x" * MIB + b'"')),
    "pipe-and-a-half": lambda out, reply: out.say(raw(reply, b'{"evals_key":"' + b"x" * 100_000 + b'"}')),
    "trickle": trickle,
    "closes-stdin": close_and_stay,
    "closes-stdout": lambda out, reply: (out.mute(), out.stay())[0],
    "partial-line": lambda out, reply: (out.say(dump(reply)[:5]), out.leave(0))[0],
    "invalid-utf8": lambda out, reply: out.say(raw(reply, b'"\xff"')),
    "grandchild": lambda out, reply: leave_a_grandchild(out),
    "nested-100000": lambda out, reply: out.say(nested(reply, 100_000)),
    "nested-400": lambda out, reply: out.say(nested(reply, 400)),
    "nested-900": lambda out, reply: out.say(nested(reply, 900)),
    "nested-id": lambda out, reply: out.say(b'{"id":' + b"[" * 900 + b"]" * 900 + b',"ok":1}\n'),
}

HELLO: Json = {"id": 0, "ok": {"runner": "hostile", "version": "1", "protocol": 1, "ops": OPS}}


def hello_but(**changed: Json) -> bytes:
    return dump({"id": 0, "ok": {**HELLO["ok"], **changed}})


AT_HELLO: dict[str, Callable[[Out], None]] = {
    "hello-exit": lambda out: last_words(out, 7),
    "hello-exit-0": lambda out: out.leave(0),
    "hello-kill": lambda out: out.kill_itself(),
    "hello-hang": lambda out: out.stay(),
    "hello-garbage": lambda out: out.say(b"starting up...\n"),
    "hello-control": lambda out: out.say(hello_but(protocol=CONTROL)),
    "hello-control-name": lambda out: out.say(hello_but(runner=CONTROL, version=CONTROL)),
    "hello-partial": lambda out: (out.say(b'{"id":0,'), out.stay())[0],
    "hello-long": lambda out: out.say(b"x" * (2 * MIB)),
    "hello-two-lines": lambda out: out.say(hello_but() * 2),
    "hello-wrong-id": lambda out: out.say(dump({**HELLO, "id": 1})),
    "hello-error": lambda out: out.say(dump({"id": 0, "error": {"type": "ValueError", "message": "what?"}})),
    "hello-unsupported": lambda out: out.say(dump({"id": 0, "unsupported": "no such spec"})),
    "hello-null": lambda out: out.say(dump({"id": 0, "ok": None})),
    "hello-few-ops": lambda out: out.say(hello_but(ops=["plan_trials"])),
    "changing-hello": lambda out: out.say(hello_but(version=str(time.time_ns()))),
}

IN_MAIN = {
    *("daemon", "dies-after", "dies-every-3", "dies-once", "hangs-after", "hello-then-exit", "late"),
    *("loads-late", "one-shot", "starts-once", "stays-after-the-end", "words-after-the-end"),
}
"""Behaviours that span more than one request."""


def entries_of(path: Path) -> list[Json]:
    """The vectors of a file, or of every vector file of a folder, whose operations are then offered."""
    if not path.is_dir():
        return list(json.loads(path.read_text(encoding="utf-8"))["vectors"])
    files = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(path.glob("*.json"))]
    lists = [one["vectors"] for one in files if isinstance(one, dict) and "section" in one]
    entries = [entry for one in lists for entry in one]
    HELLO["ok"]["ops"] = sorted({entry["op"] for entry in entries})
    return entries


class Hostile:
    def __init__(self, path: str, behaviour: str = "correct", *slugs: str, out: Out) -> None:
        if behaviour not in {*AT_REQUEST, *AT_HELLO, *IN_MAIN}:
            sys.exit(f"hostile.py: there is no behaviour {behaviour}")
        self.out, self.behaviour, self.slugs = out, behaviour, slugs
        self.otherwise: Callable[[bytes], bytes] | None = None
        """Who answers what is no vector's."""
        self.starts = 1
        start_marker = os.environ.get("HOSTILE_STARTS")
        if start_marker:  # counts starts, for tests that ask how often
            with open(start_marker, "a+", encoding="utf-8") as marker:
                marker.write("started\n")
                marker.seek(0)
                self.starts = len(marker.readlines())
            if behaviour == "starts-once" and self.starts > 1:
                last_words(out, 9)
        HELLO["ok"]["ops"] = OPS
        entries = entries_of(Path(path))
        self.known = {json.dumps([entry["op"], entry["input"]]): entry for entry in entries}
        self.answered = 0
        self.came: set[str] = set()
        self.late = b""

    def hear(self, line: bytes) -> None:
        out, behaviour, slugs = self.out, self.behaviour, self.slugs
        request = json.loads(line)
        if request["op"] == "hello":
            if behaviour == "daemon":
                leave_a_daemon()
            AT_HELLO.get(behaviour, lambda out: out.say(dump(HELLO)))(out)
            if behaviour == "hello-then-exit":
                out.leave(5)
            return
        entry = self.known.get(json.dumps([request["op"], request["input"]]))
        if entry is None and self.otherwise is not None:
            out.say(self.otherwise(line))
            return
        assert entry is not None, "a request of no vector"
        reply = {"id": request["id"], **entry["expected"]}
        slug = entry["id"].rpartition("/")[2]
        met = not slugs or slug in slugs
        # With "-after": the last of the slugs is what it fails on, once it was asked all the others.
        ripe = slugs[-1:] == (slug,) and self.came >= set(slugs[:-1])
        self.came.add(slug)
        self.answered += 1
        if behaviour == "loads-late" and self.answered == 1:
            time.sleep(1.2)
        if behaviour in ("dies-every-3", "changing-hello") and self.answered == 3:
            out.leave(3)
        elif behaviour == "dies-after" and ripe:
            last_words(out, 3)
        elif behaviour == "hangs-after" and ripe:
            out.stay()
        elif behaviour == "dies-once" and met and self.starts == 1:
            last_words(out, 3)
        elif behaviour == "late" and met and not self.late:
            self.late = dump(reply)
        elif behaviour == "one-shot":
            out.say(dump(reply))
            out.leave(0)
        elif behaviour == "starts-once" and met:
            out.leave(3)
        else:
            AT_REQUEST[behaviour if met and behaviour in AT_REQUEST else "correct"](out, reply)
            if self.late:
                out.say(self.late)

    def end(self) -> None:
        if self.behaviour == "words-after-the-end":
            self.out.say(b"bye\n")
        if self.behaviour == "stays-after-the-end":
            self.out.stay()


def main() -> None:
    runner = Hostile(*sys.argv[1:], out=Out())
    for line in sys.stdin.buffer:
        runner.hear(line)
    runner.end()


if __name__ == "__main__":
    main()
