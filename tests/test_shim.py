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
    streams = {"capture_output": True, "text": True, "timeout": 300}
    return subprocess.run([sys.executable, *words], input=lines, check=True, env=QUIET, **streams)


def talk(*requests):
    """The replies' lines, what came behind them, and what stood on standard error."""
    lines = (json.dumps({"id": number, **one}) + "\n" for number, one in enumerate(requests))
    done = run(["-c", PROGRAM], "".join(lines))
    replies = done.stdout.splitlines()
    return replies[: len(requests)], "\n".join(replies[len(requests) :]), done.stderr


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
JSON = "{'a': (1, True, Level.ONE), 'b': float('nan'), 'c': [{'d': -1e999}], 'e': 10**5000, 'f': 1e16}"


def test_what_json_holds_is_an_answer_and_nothing_else_stands_among_the_replies() -> None:
    """Not what a function prints, nor a child or a library; and nobody reads the requests but serve.

    True and a float are no protocol.
    """
    hellos = [{"op": "hello", "protocol": one, "spec": "x"} for one in (True, 1.0, 1)]
    asked = [ask("answer", source=source) for source in NO_ANSWERS]
    lines, behind, said = talk(*asked, *hellos, ask("loud"), ask("loud"), ask("answer", source=JSON))
    *wrong, as_true, as_float, hello, loud, again = map(json.loads, lines[:-1])
    for source, reply in zip(NO_ANSWERS, wrong, strict=True):
        assert (reply["error"]["type"], reply["error"]["reason_code"]) == ("TypeError", None), source
    assert hello["ok"]["ops"] == ["raised", "answer", "loud", "digits"]
    assert "ok" not in as_true.keys() | as_float.keys()
    zeros = "0" * 5000
    assert lines[-1] == (
        f'{{"id":{len(lines) - 1},"ok":{{"a":[1,true,1],"b":"NaN","c":[{{"d":"-Infinity"}}],'
        f'"e":1{zeros},"f":1e+16}}}}'
    )
    assert (loud["ok"], again["ok"], behind) == ({"input": ""}, {"input": ""}, "after")
    for printed in ("before", "print", "child", "descriptor"):
        assert printed in said


def test_exceptions_are_errors_of_their_names() -> None:
    """A function sees ints of any size, and Python's own limit where it reads one: harbor has it too."""
    raised = (ask("raised", what="own"), ask("raised", what="unprintable"), ask("raised", other=1))
    lines, _, said = talk(*raised, ask("digits", text="9" * 4300), ask("digits", text="9" * 4301))
    own, unprintable, other, short, long = map(json.loads, lines)
    assert own["error"] == {
        "type": "RewardFileEmptyError",
        "reason_code": "harbor_reward_empty",
        "message": "\\udcff said",
    }
    assert (unprintable["error"]["type"], other["error"]["type"]) == ("Unprintable", "TypeError")
    limited = hasattr(sys, "get_int_max_str_digits")
    assert short["ok"] == {"limit": 4300}
    assert (long["error"]["type"] == "ValueError") if limited else long["ok"]
    assert len(said.splitlines()) == 4 + limited  # and what was printed before
    assert "<string>, line 17" in said


def test_an_interrupt_ends_it_quietly() -> None:
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([sys.executable, "-c", PROGRAM], env=QUIET, **pipes) as process:
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
