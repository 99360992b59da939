"""What conformance.shim does beyond what the echo test of the templates asks of every protocol file."""

import json
import os
import signal
import subprocess
import sys

import pytest

from conformance import shim

pytestmark = pytest.mark.slow

PROGRAM = """\
import enum, os, subprocess, sys
from conformance.shim import serve

print("before", flush=False)

class Level(enum.IntEnum):
    ONE = 1

class RewardFileEmptyError(Exception):
    pass

class Unprintable(Exception):
    def __str__(self):
        raise KeyError("no")

def raised(what):
    raise {"own": RewardFileEmptyError, "unprintable": Unprintable}[what]("\\udcff said")

def answer(source):
    circle = []
    circle.append(circle)
    return eval(source, {"circle": circle, "Level": Level, "deep": deep})

def deep(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value

def loud():
    print("print")
    os.system("echo child")
    os.write(1, b"descriptor")
    return {"input": sys.stdin.read()}

def digits(text):
    return {"limit": len(str(int(text)))}

serve({"raised": raised, "answer": answer, "loud": loud, "stub": None}, digits, name="tried")
print("after")
"""


QUIET = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


def run(words, lines=""):
    return subprocess.run(
        [sys.executable, *words],
        input=lines,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        env=QUIET,
    )


def talk(*requests):
    """The replies, what came behind them, and what stood on standard error."""
    done = run(
        ["-c", PROGRAM], "".join(json.dumps({"id": n, **one}) + "\n" for n, one in enumerate(requests))
    )
    lines = done.stdout.splitlines()
    replies = [json.loads(line) for line in lines[: len(requests)]]
    return replies, "\n".join(lines[len(requests) :]), done.stderr


def ask(op, **given):
    return {"op": op, "input": given}


def test_it_loads_nothing_of_the_kit() -> None:
    """Beside a runner as protocol.py, it is all that there is."""
    code = (
        f"import runpy, sys; before = set(sys.modules); runpy.run_path({shim.__file__!r}); "
        "roots = {name.split('.')[0] for name in set(sys.modules) - before}; "
        "print(*roots - sys.stdlib_module_names)"
    )
    assert run(["-I", "-S", "-c", code]).stdout.split() == []


NO_ANSWERS = [
    *("1", "None", "[]", "'{}'", "{1: 2}", "{'a': {None: 1}}", "{'a': {1}}", "{'a': b'x'}", "{'a': 1j}"),
    *("{'a': object()}", "{'a': circle}", "{'a': deep(5000)}"),
]


def test_what_is_no_answer_is_an_error() -> None:
    asked = [ask("answer", source=source) for source in NO_ANSWERS]
    (*replies, hello), _, _ = talk(*asked, {"op": "hello", "protocol": 1, "spec": "x"})
    for source, reply in zip(NO_ANSWERS, replies, strict=True):
        assert (reply["error"]["type"], reply["error"]["reason_code"]) == ("TypeError", None), source
    assert hello["ok"]["ops"] == ["raised", "answer", "loud", "digits"]


def test_what_json_holds_is_written() -> None:
    source = "{'a': (1, True, Level.ONE), 'b': float('nan'), 'c': [{'d': -1e999}], 'e': 10**5000, 'f': 1e16}"
    done = run(["-c", PROGRAM], json.dumps({"id": 7, **ask("answer", source=source)}))
    zeros = "0" * 5000
    assert done.stdout.splitlines()[0] == (
        f'{{"id":7,"ok":{{"a":[1,true,1],"b":"NaN","c":[{{"d":"-Infinity"}}],"e":1{zeros},"f":1e+16}}}}'
    )


def test_true_and_a_float_are_no_protocol() -> None:
    replies, _, _ = talk(*({"op": "hello", "protocol": one, "spec": "x"} for one in (True, 1.0, 1)))
    assert ["ok" in reply for reply in replies] == [False, False, True]


def test_exceptions_are_errors_of_their_names() -> None:
    replies, _, said = talk(
        ask("raised", what="own"), ask("raised", what="unprintable"), ask("raised", other=1)
    )
    assert replies[0]["error"] == {
        "type": "RewardFileEmptyError",
        "reason_code": "harbor_reward_empty",
        "message": "\\udcff said",
    }
    assert replies[1]["error"]["type"] == "Unprintable"
    assert replies[2]["error"]["type"] == "TypeError"
    assert len(said.splitlines()) == 4  # and what was printed before
    assert "<string>, line 17" in said


def test_nothing_else_stands_among_the_replies() -> None:
    """Not what a function prints, nor a child or a library; and nobody reads the requests but serve."""
    replies, behind, said = talk(ask("loud"), ask("loud"))
    assert [reply["ok"] for reply in replies] == [{"input": ""}, {"input": ""}]
    assert behind == "after"
    for printed in ("before", "print", "child", "descriptor"):
        assert printed in said


def test_the_limit_of_digits_is_the_authors() -> None:
    """A function sees ints of any size, and Python's own limit where it reads one: harbor has it too."""
    if not hasattr(sys, "get_int_max_str_digits"):
        pytest.skip("this Python has no limit")
    (short, long), _, _ = talk(ask("digits", text="9" * 4300), ask("digits", text="9" * 4301))
    assert short["ok"] == {"limit": 4300}
    assert long["error"]["type"] == "ValueError"


def test_an_interrupt_ends_it_quietly() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=QUIET,
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b'{"id":1,"op":"nothing"}\n')
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=300)
    assert process.returncode == 130
    assert said == b"before\n"


def test_where_nobody_listens_it_ends_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    lines = b'{"id":1,"op":"nothing"}\n' * 3
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace('print("after")', "")],
        input=lines, stdout=write, stderr=subprocess.PIPE, timeout=300, env=QUIET,
    )  # fmt: skip
    os.close(write)
    assert done.returncode == 0
    assert done.stderr == b"before\n"
