"""The engine: what it finds, how small, how it ends; with a runner in this process where that does."""

import itertools
import json
import sys
from collections import Counter

import pytest

from conformance.fuzz.engine import Fuzz, FuzzError, Plan
from conformance.fuzz.expected import Reference, holds_half_a_pair
from conformance.fuzz.inputs import Inputs, all_ops
from conformance.oracle.commands import settings_of
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import OPS, SPECS
from conformance.run.options import RunOptions
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Failed
from tests.conftest import TESTS
from tests.fuzz.conftest import body_of, values
from tests.runners.lying import LONG

REFERENCE = (sys.executable, "-m", "reference_impl")
WITHIN = 20_000
"""Inputs within which a narrow deviation must be found."""
RIGHT = body_of()


class EnoughError(Exception):
    """Ends a run that has found what it was to find."""


def until_found(run, op):
    """Runs until the counterexample of that op's first cause has been made small."""
    found = []

    def on_cause(cause) -> None:
        if cause.op == op and cause.smallest is not None:
            found.append(cause)
            raise EnoughError

    run.on_cause = on_cause
    with pytest.raises(EnoughError):
        run.run()
    return found[0]


@pytest.mark.parametrize("spec", SPECS)
def test_the_reference_agrees_with_itself(spec, direct) -> None:
    direct(body_of("", spec))
    options = RunOptions(command="reference", spec=spec)
    run = Fuzz(Plan(options, settings_of(options), 1, all_ops(spec), load_spec(spec), None, 80))
    run.run()
    assert (run.compared, run.causes.count, run.stopped, run.agreed.total()) == (80, 0, None, 80)
    assert set(run.sample) <= set(all_ops(spec))
    assert max(map(len, run.sample.values())) <= 100


@pytest.mark.slow
def test_numbers_are_spelled_where_hello_asks_for_it(fuzz) -> None:
    code = "import reference_impl.runner.serving as r; r.HELLO['numbers'] = 'string'; r.main()"
    run = fuzz((sys.executable, "-c", code), 600, vectors=load_spec(DEFAULT_SPEC))
    run.run()
    assert (run.agreed.total(), run.causes.count) == (600, 0)


@pytest.mark.slow
def test_a_narrow_deviation_is_found_though_no_vector_shows_it(fuzz, direct) -> None:
    """Naive sums of three trials or more, without a vector to begin with: three or four short floats."""
    naive = body_of("naive-sum")
    direct(lambda op, given: (naive if len(given["rewards"]) >= 3 else RIGHT)(op, given))
    small = until_found(fuzz(REFERENCE, WITHIN, ops=("aggregate",)), "aggregate").shown.input
    assert len(small["rewards"]) <= 6  # tenths, where single digits suffice
    assert all(isinstance(value, float) for value in values(small))


def test_one_int_is_found_in_a_file(fuzz, direct) -> None:
    def one_int(op, given):
        return RIGHT(op, given).replace(b'":9007199254740993', b'":9007199254740992')

    direct(one_int)
    small = until_found(fuzz(REFERENCE, WITHIN, ops=("parse_reward",)), "parse_reward").shown.input
    (content,) = small["files"].values()
    assert json.loads(content["text"]) in (2**53 + 1, {"reward": 2**53 + 1})


FAILING = {
    "code N instead of": Failed("crash", "the runner exited with code 3 instead of replying"),
    "protocol-error: ": b"Segmentation fault (not really)",
}


@pytest.mark.parametrize("kind", FAILING)
def test_a_runner_that_fails_now_and_then(kind, fuzz, direct) -> None:
    """A failure is a finding of its own kind, is made small, and others go on."""

    def failing(op, given):
        return FAILING[kind] if op == "aggregate" and len(given["rewards"]) >= 4 else RIGHT(op, given)

    direct(failing)
    run = fuzz(REFERENCE, 120, ops=("aggregate", "evals_key"))
    run.run()
    (cause,) = run.causes.found
    assert (kind in cause.kind, run.agreed["evals_key"] > 0, run.disagreed["evals_key"]) == (True, True, 0)
    assert len(cause.shown.input["rewards"]) == 4


@pytest.mark.slow
def test_a_process_that_hangs_now_and_then(fuzz) -> None:
    hanging = (sys.executable, str(TESTS / "runners" / "lying.py"), "hang", "aggregate")
    run = fuzz(hanging, 40, ops=("aggregate",), timeout=1.0)
    cause = until_found(run, "aggregate")
    assert cause.kind.startswith("timeout: no reply within ")
    assert len(json.dumps(cause.shown.input)) > LONG


HELLO = '{"id":0,"ok":{"runner":"r","version":"1","protocol":1,"ops":["evals_key"]}}'


@pytest.mark.slow
def test_a_runner_that_only_fails_is_given_up(fuzz) -> None:
    code = f"import sys; read = sys.stdin.readline; read(); print({HELLO!r}, flush=True); read(); sys.exit(1)"
    run = fuzz((sys.executable, "-I", "-S", "-c", code), 100_000)
    run.run()
    assert run.stopped == "the runner was started again 5 times in a row without a good reply"
    assert run.causes.count == run.compared == 6
    assert run.asked_ops == ["evals_key"]


def test_a_runner_that_is_always_wrong_is_given_up(fuzz, direct) -> None:
    """So is one that the talk gave up, and one that has no op that is wanted is not asked."""
    direct(lambda *_: b'"ok":{}}', ["evals_key"])
    run = fuzz(REFERENCE, 100_000)
    run.run()
    assert run.stopped == "the runner got all of the first 500 inputs wrong"
    [cause] = run.causes.found
    assert (cause.kind, cause.count) == ("at /evals_key: the key is missing", 500)
    direct(lambda *_: Failed("not-run", "not run: it was started too often"), ["evals_key"])
    run = fuzz(REFERENCE, 50)
    run.run()
    assert (run.stopped, run.compared) == ("it was started too often", 0)
    with pytest.raises(FuzzError, match="names none of the ops"):
        fuzz(REFERENCE, 10, ops=("no_op",)).run()


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
def test_unsupported_is_no_finding_and_breaks_no_claim_where_the_answer_is_no_text(
    fuzz, direct, monkeypatch, answer, held
) -> None:
    assert holds_half_a_pair(answer) == held
    monkeypatch.setattr(Reference, "reply", lambda *_: answer)
    direct(lambda *_: b'"unsupported":"no"}', ["evals_key"])
    run = fuzz(REFERENCE, 50)
    run.run()
    assert (run.incomparable, run.unsupported) == (50, {}) if held else (0, Counter({"evals_key": 50}))
    assert run.compared == 0


@pytest.mark.slow
@pytest.mark.parametrize("pipeline", [1, 500])
def test_the_inputs_do_not_depend_on_the_pace(pipeline, fuzz, tmp_path) -> None:
    """What a runner is sent is the same however many requests are outstanding."""
    record = tmp_path / "requests"
    code = (
        f"import reference_impl.runner.serving as r; out = open({str(record)!r}, 'ab'); reply = r.reply\n"
        "r.reply = lambda line: (out.write(line + b'\\n'), out.flush(), reply(line))[2]\n"
        "r.main()"
    )
    run = fuzz((sys.executable, "-c", code), 300, vectors=load_spec(DEFAULT_SPEC), seed=9, pipeline=pipeline)
    run.run()
    sent = [json.loads(line) for line in record.read_bytes().splitlines()[1:]]
    stream = itertools.islice(Inputs(9, all_ops(), load_spec(DEFAULT_SPEC)), 300)
    assert [(one["op"], one["input"]) for one in sent] == [(one.op, one.input) for one in stream]


def test_free_key_order_is_no_finding(fuzz, direct) -> None:
    op, reordered = OPS["multi_step_reward"], []

    def body(name, given):
        reply = json.loads(b'{"id":0,' + RIGHT(name, given))
        result = reply.get("ok", {}).get("verifier_result") or {}
        if result.get("rewards") and op.free_key_order(given, reply["ok"]):
            reordered.append(result["rewards"])
            result["rewards"] = dict(reversed(result["rewards"].items()))
        return json.dumps(reply)[len('{"id": 0, ') :].encode()

    direct(body)
    run = fuzz(REFERENCE, 150, ops=(op.name,))
    run.run()
    assert (run.compared, run.causes.count) == (150, 0)
    assert any(len(rewards) > 1 for rewards in reordered)
