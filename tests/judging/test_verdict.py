"""Verdicts: what each reply is worth, and that no wrong answer to any vector of the kit passes."""

import copy
from dataclasses import replace

import pytest

from conformance.judging.comparison import Level
from conformance.judging.environments import best_explaining, judge_in_each
from conformance.judging.fitting import fitted
from conformance.judging.known_failures import KnownFailures
from conformance.judging.verdict import Outcome, Verdict, judge
from conformance.paths import DEFAULT_SPEC, vectors_dir
from conformance.registry.ops import SPECS
from conformance.registry.spec import MAIN
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Failed, Ok, Refused, Reply, Unsupported

KEY, ERROR = {"evals_key": "one"}, Refused("RewardFileEmptyError", "harbor_reward_empty", "words")
OTHER = Ok({"evals_key": "other"})
TEXT = {"files": {"reward.txt": {"text": ""}}}
ONE = {"metric": "mean", "rewards": [{"a": 1}]}
NONE, VALUE, EXACT, BYTES = Level.NONE, Level.VALUE, Level.EXACT, Level.BYTES


@pytest.fixture
def known(vectors):
    entries = (
        vectors.entry("one", ok=KEY),
        vectors.entry("one", "parse_reward", TEXT, error="RewardFileEmptyError", twin="x"),
        vectors.entry("one", "aggregate", ONE, {"mean": 1.0}),
    )
    return {vector.op.name: vector for vector in vectors.load(*entries)}


def verdict(vector, answer, level=BYTES, listed="", **more):
    failures = fitted(KnownFailures.parse(listed, "list.txt"), DEFAULT_SPEC, [vector], "") if listed else None
    return judge(vector, Reply(vector.id, answer, 0.5, "its stderr"), level, failures, **more)


@pytest.mark.parametrize(
    ("op", "answer", "outcome", "level", "sentence"),
    [
        ("evals_key", Ok(KEY), "passed", BYTES, ""),
        ("evals_key", Ok({"evals_key": "other"}), "mismatch", NONE, 'at /evals_key: expected "one", got "'),
        ("evals_key", Ok({}), "mismatch", NONE, "at /evals_key: the key is missing"),
        ("evals_key", ERROR, "wrong-error", NONE, "error RewardFileEmptyError where a value"),
        ("evals_key", Unsupported("not yet"), "unsupported", None, "the runner says unsupported: not yet"),
        ("parse_reward", ERROR, "passed", BYTES, ""),
        ("parse_reward", Refused("ValueError", "", ""), "wrong-error", NONE, "is ValueError, not"),
        ("parse_reward", Refused(ERROR.type, None, ""), "wrong-error", NONE, "reason_code is None, not"),
        ("parse_reward", Refused(ERROR.type, "other", ""), "wrong-error", NONE, "reason_code is other, not"),
        ("parse_reward", Ok({"rewards": None}), "mismatch", NONE, "accepted what must be refused as Reward"),
        ("parse_reward", Unsupported(""), "unsupported", None, "unsupported"),
        ("aggregate", Ok({"mean": 1}), "mismatch", VALUE, "(equal at level value; level bytes is required)"),
        *(
            ("evals_key", Failed(outcome, "it died"), outcome, None, "it died")
            for outcome in ("crash", "timeout", "protocol-error", "not-run")
        ),
    ],
)  # fmt: skip
def test_a_reply_has_its_outcome(known, op, answer, outcome, level, sentence) -> None:
    found = verdict(known[op], answer)
    assert (str(found.outcome), found.level, found.seconds) == (outcome, level, 0.5)
    assert sentence in found.sentence
    assert bool(found.sentence) is (outcome != "passed")
    assert found.stderr == ("its stderr" if isinstance(answer, Failed) else "")
    assert found.failed is (outcome not in ("passed", "unsupported"))


@pytest.mark.parametrize("level", [VALUE, EXACT, BYTES])
def test_an_answer_passes_at_the_level_that_it_reaches_and_below(known, level) -> None:
    assert verdict(known["aggregate"], Ok({"mean": 1.0}), level).outcome is Outcome.PASSED
    found = verdict(known["aggregate"], Ok({"mean": 1}), level)
    assert found.outcome is (Outcome.PASSED if level is VALUE else Outcome.MISMATCH)
    assert verdict(known["aggregate"], Ok({"mean": 2.0}), level).outcome is Outcome.MISMATCH


def test_which_outcomes_fail_a_run_and_unsupported_where_its_class_is_demanded(known) -> None:
    harmless = {Outcome.PASSED, Outcome.UNSUPPORTED, Outcome.EXPECTED_FAILURE, Outcome.NOT_COUNTED}
    for outcome in Outcome:
        assert Verdict(known["evals_key"], outcome, None, 0.0).failed is (outcome not in harmless), outcome
    job, reward = (
        verdict(known[op], Unsupported(""), demanded_classes=("job",)) for op in ("evals_key", "parse_reward")
    )
    assert (job.outcome, job.demanded, job.failed) == (Outcome.UNSUPPORTED, True, True)
    assert (reward.outcome, reward.demanded, reward.failed) == (Outcome.UNSUPPORTED, False, False)
    assert not verdict(known["evals_key"], Ok(KEY), demanded_classes=("job",)).failed


@pytest.mark.parametrize(
    ("listed", "answer", "outcome", "failed", "sentence"),
    [
        ("{} crash", Failed("crash", "it died"), "expected-failure", False, "it died"),
        ("*/evals_key/* crash", Failed("crash", "it died"), "expected-failure", False, "it died"),
        ("{} mismatch", Failed("crash", "it died"), "crash", True, "it died"),
        ("*/evals_key/* mismatch", Failed("crash", "it died"), "crash", True, "it died"),
        ("{} crash", Ok(KEY), "unexpected-pass", True, "it passed, but line 1 of the known"),
        ("*/evals_key/* crash", Ok(KEY), "passed", False, ""),
        ("{} unsupported", Unsupported("no"), "expected-failure", False, "no"),
        ("{} crash", Unsupported("no"), "unsupported", True, "no, but line 1 of the known"),
        ("{} mismatch #aa543c57", OTHER, "expected-failure", False, "at /evals_key"),
        ("{} mismatch #88cc8e6c", OTHER, "mismatch", True, "(#aa543c57 now, #88cc8e6c there): at /evals_key"),
        ("*/evals_key/* mismatch #88cc8e6c", OTHER, "mismatch", True, "at /evals_key"),
        ("{} wrong-error #88cc8e6c", ERROR, "wrong-error", True, "its wrong answer is not the one on line 1"),
        ("{} wrong-error #03988268", ERROR, "expected-failure", False, "RewardFileEmptyError"),
        ("# vectors: 0.0.9 of harbor-0.13.1\n", OTHER, "not-counted", False, "at /evals_key"),
        ("# vectors: 0.0.9 of harbor-0.13.1\n", Unsupported("no"), "not-counted", False, "no"),
        ("# vectors: 0.0.9 of harbor-0.13.1\n", Ok(KEY), "passed", False, ""),
        ("# vectors: 0.0.9 of harbor-0.13.1\n{} crash", OTHER, "mismatch", True, "at /evals_key"),
        ("# vectors: 0.1.0 of harbor-0.13.1\n", OTHER, "mismatch", True, "at /evals_key"),
    ],
)  # fmt: skip
def test_what_is_known_of_a_failure(known, listed, answer, outcome, failed, sentence) -> None:
    vector = known["evals_key"]
    vector = replace(vector, file=vectors_dir(DEFAULT_SPEC) / "evals_key.json")  # as if it were the kit's
    listed = listed.format(vector.id)
    found = verdict(vector, answer, listed=listed)
    assert (str(found.outcome), found.failed) == (outcome, failed)
    assert sentence in found.sentence
    if outcome == "expected-failure":
        assert str(found.actual) == listed.split()[1]
        assert found.expected_by == " ".join(listed.split()[:2])
    assert (found.actual is None) is (outcome not in ("expected-failure", "not-counted"))


def test_what_a_runner_says_is_cut(known) -> None:
    assert len(verdict(known["evals_key"], Unsupported("x" * 10_000)).sentence) < 600


def test_an_answer_is_judged_in_each_environment() -> None:
    """Right in one that answers so, and wrong in all where none does; a runner is right in one alone."""
    told = [vector for vector in load_spec(SPECS[0]) if vector.variants]
    for vector in told:
        ((name, other),) = vector.variants.items()
        for answer, right in ((vector.expected, {MAIN}), (other, {name}), ({"ok": {}}, set())):
            assert answer is not None
            reply = Reply(vector.id, Ok(answer["ok"]), 0.0)
            found = judge_in_each(vector, reply, BYTES)
            assert {one for one, each in found.each.items() if not each.failed} == right, vector.id
            assert found.failed is (not right)
            assert len(found.each) == 2
    assert told
    assert best_explaining(SPECS[0], [{MAIN}, {name}, {name}]) == name
    assert best_explaining(SPECS[0], [{MAIN}, {name}]) == MAIN


def changed(value):
    """The value with one leaf changed, or None where it has none."""
    if isinstance(value, dict | list):
        other = copy.deepcopy(value)
        for key in reversed(list(value) if isinstance(value, dict) else range(len(value))):
            if (new := changed(value[key])) is not None:
                other[key] = new
                return other
        return None
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1 if abs(value) < 2**52 else 0
    return "x" if value is None else f"x{value}"


def wrong_answers(expected):
    if "ok" in expected:
        ok = expected["ok"]
        yield ERROR
        yield Ok(ok | {"another": 1})
        yield from (Ok({name: ok[name] for name in ok if name != key}) for key in list(ok)[:1])
        yield from (Ok(other) for other in [changed(ok)] if other is not None)
    else:
        error = expected["error"]
        yield Ok({})
        yield Refused(error["type"] + "s", error["reason_code"], "")
        yield Refused(error["type"], f"{error['reason_code']}s", "")


@pytest.mark.parametrize("spec", SPECS)
def test_a_wrong_answer_to_any_vector_fails(spec) -> None:
    every = load_spec(spec)
    asked = every[:: 1 + len(every) // 120]
    for vector in asked:
        for answer in wrong_answers(vector.expected):
            assert verdict(vector, answer, VALUE).failed, (vector.id, answer)
    assert len({vector.op.name for vector in asked}) > 1
