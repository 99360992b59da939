"""The engine with real processes: what it finds, how small, how it ends."""

import itertools
import json
import shlex
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.fuzz.asking import disagreement
from conformance.fuzz.causes import Cause
from conformance.fuzz.engine import Fuzz, FuzzError, Plan
from conformance.fuzz.expected import Reference, holds_half_a_pair, parsed
from conformance.fuzz.inputs import Inputs, all_ops
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import find_mistakes, made
from conformance.mistakes.variant import Variant
from conformance.paths import DEFAULT_SPEC
from conformance.run.dispatcher import Dispatcher
from conformance.run.options import RunOptions
from conformance.runner.conversation import RunnerStartError
from conformance.suite.vectors import Vector, load_spec
from conformance.wire.messages import Ok, Reply

Make = Callable[..., Fuzz]
Narrow = Callable[[str], tuple[str, ...]]

REFERENCE = (sys.executable, "-m", "reference_impl")
WITHIN = 20_000
"""Inputs within which a narrow deviation must be found."""


class EnoughError(Exception):
    """Ends a run that has found what it was to find."""


def until_found(run: Fuzz, op: str) -> Cause:
    """Runs until the counterexample of that op's first cause has been made small."""
    found: list[Cause] = []

    def on_cause(cause: Cause) -> None:
        if cause.op == op and cause.smallest is not None:
            found.append(cause)
            raise EnoughError

    run.on_cause = on_cause
    with pytest.raises(EnoughError):
        run.run()
    return found[0]


def blind(command: tuple[str, ...], every: list[Vector]) -> list[Vector]:
    """The vectors on which the runner is right: those that catch it are left out."""
    options = RunOptions(command=shlex.join(command), timeout=20.0)
    dispatcher = Dispatcher(options, options.settings())
    dispatcher.start()
    try:
        dispatcher.prefetch(every)
        return [vector for vector in every if not dispatcher.verdict(vector).failed]
    finally:
        dispatcher.kill()


def test_the_reference_agrees_with_itself(fuzz: Make) -> None:
    run = fuzz(REFERENCE, 1500, vectors=load_spec(DEFAULT_SPEC))
    run.run()
    assert (run.compared, run.causes.count, run.stopped) == (1500, 0, None)
    assert run.agreed.total() == 1500
    assert set(run.sample) <= set(all_ops())
    assert max(map(len, run.sample.values())) <= 100


def test_numbers_are_spelled_where_hello_asks_for_it(fuzz: Make) -> None:
    code = "import reference_impl.runner.serving as r; r.HELLO['numbers'] = 'string'; r.main()"
    run = fuzz((sys.executable, "-c", code), 600, vectors=load_spec(DEFAULT_SPEC))
    run.run()
    assert (run.agreed.total(), run.causes.count) == (600, 0)


def test_replies_are_those_of_the_reference() -> None:
    """What is compared as bytes is what its program would write, and what a runner's reply is parsed to."""
    reference, variant = Reference(), Variant()
    for one in itertools.islice(Inputs(2, all_ops()), 400):
        mine, theirs = parsed(reference.reply(one.op, one.input)), variant.answer(one.op, one.input)
        assert isinstance(mine, Ok) == isinstance(theirs, Ok)
        if isinstance(mine, Ok):
            assert json.dumps(mine.value) == json.dumps(theirs.value)
        else:
            assert (mine.type, mine.reason_code) == (theirs.type, theirs.reason_code)


@pytest.mark.parametrize(
    ("way", "op", "ops"), [("long-sums", "aggregate", ()), ("one-int", "parse_reward", ())]
)
def test_a_narrow_deviation_is_found_though_no_vector_shows_it(
    way: str, op: str, ops: tuple[str, ...], fuzz: Make, narrow: Narrow
) -> None:
    every = load_spec(DEFAULT_SPEC)
    left = blind(narrow(way), every)
    assert len(left) < len(every)
    cause = until_found(fuzz(narrow(way), WITHIN, ops=ops or (op,), vectors=left), op)
    small = cause.shown.input
    if way == "long-sums":
        assert len(small["rewards"]) <= 6  # tenths, where single digits suffice
        assert all(isinstance(v, float) for reward in small["rewards"] for v in reward.values())
    else:
        assert small in (
            {"files": {"reward.json": {"text": '{"reward":9007199254740993}'}}},
            {"files": {"reward.json": {"text": '{"reward": 9007199254740993}'}}},
        )


@pytest.mark.parametrize(
    ("mistake", "op"), [("naive-sum", "aggregate"), ("exact-sum", "aggregate"), ("naive-sum", "pass_at_k")]
)
def test_a_known_mistake_shows_within_few_inputs(mistake: str, op: str) -> None:
    """Without a process: the stream of inputs alone, none of them from a vector."""
    reference, wrong = Reference(), made(*find_mistakes(mistake))
    for one in itertools.islice(Inputs(4, [op]), 5000):
        reply = Reply("", wrong.answer(op, one.input), 0.0)
        if disagreement(1, op, one.input, None, reference.reply(op, one.input), reply, Level.BYTES):
            return
    pytest.fail("not found")


@pytest.mark.parametrize(
    ("way", "kind"),
    [
        ("crash", "crash: the runner exited with code N instead of replying"),
        ("garbage", "protocol-error: "),
        ("hang", "timeout: no reply within "),
    ],
)
def test_a_runner_that_fails_now_and_then(way: str, kind: str, fuzz: Make, narrow: Narrow) -> None:
    """A failure is a finding of its own kind, is made small, and others go on."""
    asked, timeout = (40, 2.0) if way == "hang" else (120, 20.0)
    run = fuzz(narrow(way), asked, ops=("aggregate", "evals_key"), timeout=timeout)
    if way == "hang":
        cause = until_found(run, "aggregate")
    else:
        run.run()
        cause = run.causes.found[0]
        assert run.agreed["evals_key"] > 0
        assert run.disagreed["evals_key"] == 0
    assert cause.kind.startswith(kind)
    assert len(cause.shown.input["rewards"]) >= 4
    if way == "crash":  # the others cost a time-out or a start each
        assert len(cause.shown.input["rewards"]) == 4


HELLO = '{"id":0,"ok":{"runner":"r","version":"1","protocol":1,"ops":["evals_key"]}}'


def saying(body: str) -> tuple[str, ...]:
    """A runner that knows ``evals_key`` and meets every request with ``body``, which has its ``id``."""
    lines = ["import sys, json", "sys.stdin.readline()", f"print({HELLO!r}, flush=True)"]
    lines += ["for line in sys.stdin:", "    id = json.loads(line)['id']", f"    {body}"]
    return (sys.executable, "-I", "-S", "-c", "\n".join(lines))


def test_a_runner_that_only_fails_is_given_up(fuzz: Make) -> None:
    run = fuzz(saying("sys.exit(1)"), 100_000)
    run.run()
    assert run.stopped == "the runner was started again 5 times in a row without a good reply"
    assert run.causes.count == run.compared == 6
    assert run.asked_ops == ["evals_key"]


def test_a_runner_that_is_always_wrong_is_given_up(fuzz: Make) -> None:
    run = fuzz(saying("print(json.dumps({'id': id, 'ok': {}}), flush=True)"), 100_000)
    run.run()
    assert run.stopped == "the runner got all of the first 500 inputs wrong"
    [cause] = run.causes.found
    assert (cause.kind, cause.count) == ("at /evals_key: the key is missing", 500)


@pytest.mark.parametrize(
    ("answer", "held"),
    [
        (rb'"ok":{"rewards":{"\ud810":1}}}', True),
        (rb'"ok":{"reason_code":"a\udff0"}}', True),
        (rb'"ok":{"rewards":{"\udff0\ud810":1}}}', True),
        (rb'"ok":{"rewards":{"\ud83d\ude00":%b}}}' % (b"1" * 5000), False),
        (rb'"ok":{"rewards":{"\\ud810":1}}}', False),
    ],
)
def test_unsupported_breaks_no_claim_where_the_answer_is_no_text(
    fuzz: Make, monkeypatch: pytest.MonkeyPatch, answer: bytes, held: bool
) -> None:
    assert holds_half_a_pair(answer) == held
    monkeypatch.setattr(Reference, "reply", lambda *_: answer)
    run = fuzz(saying("print(json.dumps({'id': id, 'unsupported': 'no'}), flush=True)"), 50)
    run.run()
    assert (run.incomparable, run.unsupported.total()) == ((50, 0) if held else (0, 50))
    assert run.compared == 0


def test_an_unsupported_input_is_no_finding(fuzz: Make) -> None:
    run = fuzz(saying("print(json.dumps({'id': id, 'unsupported': 'no'}), flush=True)"), 50)
    run.run()
    assert (run.compared, run.unsupported) == (0, Counter({"evals_key": 50}))


def test_a_runner_without_any_op_wanted_is_not_asked(fuzz: Make) -> None:
    with pytest.raises(FuzzError, match="names none of the ops"):
        fuzz(REFERENCE, 10, ops=("no_op",)).run()


def test_a_runner_that_does_not_start(fuzz: Make, tmp_path: Path) -> None:
    with pytest.raises(RunnerStartError, match="does not exist"):
        fuzz((str(tmp_path / "none"),), 10).run()


@pytest.mark.parametrize("option", [{"pipeline": 1}, {"pipeline": 500}])
def test_the_inputs_do_not_depend_on_the_pace(option: dict[str, Any], tmp_path: Path) -> None:
    """What a runner is sent is the same however many requests are outstanding."""
    record = tmp_path / "requests"
    code = (
        "import sys, reference_impl.runner.serving as r\n"
        f"out = open({str(record)!r}, 'ab')\n"
        "reply = r.reply\n"
        "r.reply = lambda line: (out.write(line + b'\\n'), out.flush(), reply(line))[2]\n"
        "r.main()"
    )
    options = RunOptions(command=shlex.join((sys.executable, "-c", code)), timeout=20.0, **option)
    run = Fuzz(Plan(options, options.settings(), 9, all_ops(), load_spec(DEFAULT_SPEC), None, 300))
    run.run()
    sent = [json.loads(line) for line in record.read_bytes().splitlines()[1:]]
    stream = itertools.islice(Inputs(9, all_ops(), load_spec(DEFAULT_SPEC)), 300)
    assert [(one["op"], one["input"]) for one in sent] == [(one.op, one.input) for one in stream]
