"""Which disagreements are one."""

import pytest

from conformance.diagnosis.giving import MistakeMatcher
from conformance.fuzz.causes import Causes, Disagreement, kind_of
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import find_mistakes, made
from conformance.registry.ops import OPS
from conformance.wire.messages import Failed, Ok, Refused

NONE = frozenset[str]()
OVERFLOW = Refused("OverflowError", None)


@pytest.mark.parametrize(
    ("expected", "actual", "kind"),
    [
        (Ok({"mean": 0.5}), Ok({"mean": 0.5}), None),
        (Ok({"mean": 0.3}), Ok({"mean": 0.30000000000000004}), "at /*: a number with other last digits"),
        (Ok({"mean": 0.3}), Ok({"mean": 0.4}), "at /*: another number"),
        (Ok({"mean": 1.0}), Ok({"mean": 1}), "at /*: an int for a float or the reverse"),
        (Ok({"sum": 2**53 + 1}), Ok({"sum": 2**53}), "at /*: only an equal double"),
        (Ok({"mean": "NaN"}), Ok({"mean": 0.0}), "at /*: another number, one of the two not finite"),
        (Ok({"mean": 0.5}), Ok({}), "at /*: the key is missing"),
        (Ok({"a": 1, "b": 2}), Ok({"b": 2, "a": 1}), "at the root: the keys' order"),
        (Ok({"mean": 0.5}), OVERFLOW, "the error OverflowError where a value is expected"),
        (OVERFLOW, Ok({"mean": 0.5}), "a value where the error OverflowError is expected"),
        (OVERFLOW, Refused("ValueError", None), "the error ValueError instead of OverflowError"),
        (OVERFLOW, Refused("OverflowError", "x"), "the reason_code x instead of None"),
        (OVERFLOW, Refused("OverflowError", None, "words"), None),
        (OVERFLOW, Failed("timeout", "no reply within 10 s"), "timeout: no reply within N s"),
    ],
)
def test_the_kind_of_a_disagreement(expected, actual, kind) -> None:
    assert kind_of("aggregate", expected, actual, NONE, Level.BYTES) == kind


def test_what_may_differ_is_no_disagreement() -> None:
    one, other = Ok({"mean": 1.0}), Ok({"mean": 1})
    assert kind_of("aggregate", one, other, NONE, Level.VALUE) is None
    one, other = (Ok({"verifier_result": {"rewards": dict.fromkeys(keys, 1)}}) for keys in ("ab", "ba"))
    free = frozenset({"/verifier_result/rewards"})
    assert kind_of("multi_step_reward", one, other, free, Level.BYTES) is None
    assert kind_of("multi_step_reward", one, other, NONE, Level.BYTES) is not None


class FixedMatcher(MistakeMatcher):
    """Knows which mistakes explain an input by the input's own word for it."""

    def matching(self, op, given, *_):
        return frozenset(given)

    def still_matching(self, names, op, given, *_, all_of_them):
        return frozenset(names) & frozenset(given)


def disagreement(number, given):
    return Disagreement(number, "aggregate", given, None, Ok({"mean": 1.0}), Ok({"mean": 2.0}), NONE)


def test_which_disagreements_are_one_cause_and_how_many_are_kept() -> None:
    causes = Causes(Level.BYTES, FixedMatcher(Level.BYTES))
    given = enumerate(["ab", "b", "c", "", "bc", "", "cx", "d"], start=1)
    new = [causes.add(disagreement(number, one), "at /*: another number")[1] for number, one in given]
    assert new == [True, False, True, True, False, False, False, True]
    found = [("".join(cause.mistakes), cause.count) for cause in causes.found]
    assert found == [("b", 3), ("c", 2), ("", 2), ("d", 1)]
    assert causes.count == 8
    causes = Causes(Level.BYTES, FixedMatcher(Level.BYTES))
    for number in range(3000):  # other kinds are other causes
        causes.add(disagreement(number, ""), f"kind {number % 500}")
    assert causes.count == sum(cause.count for cause in causes.found) == 3000
    assert (causes.found[0].kind, causes.found[1].kind, causes.found[0].count) == ("kind 0", "kind 1", 6)
    assert len(causes.found) <= 200
    assert max(len(cause.examples) for cause in causes.found) <= 20


def test_causes_with_the_same_small_input_are_merged() -> None:
    causes = Causes(Level.BYTES, FixedMatcher(Level.BYTES))
    first, _ = causes.add(disagreement(1, "a"), "kind")
    second, _ = causes.add(disagreement(2, "b"), "kind")
    first.smallest = second.smallest = disagreement(3, "ab")
    assert causes.merge_if_repeated(second)
    assert [(cause.count, cause.mistakes) for cause in causes.found] == [(2, frozenset())]


@pytest.mark.slow
def test_the_mistake_that_gives_the_answer_is_a_suspect() -> None:
    given = {"metric": "mean", "rewards": [{"reward": 0.1}, {"reward": 0.2}, {"reward": 0.3}]}
    naive = made(*find_mistakes("naive-sum")).answer("aggregate", given)
    matcher = MistakeMatcher(Level.BYTES)
    both = {"naive-sum", "exact-sum"}
    assert matcher.still_matching(both, OPS["aggregate"], given, naive, all_of_them=True) == {"naive-sum"}
    assert matcher.still_matching(both, OPS["aggregate"], given, naive, all_of_them=False) == both
    assert "naive-sum" in matcher.matching(OPS["aggregate"], given, naive) or matcher.cut_short
    assert matcher.matching(OPS["aggregate"], given, Failed("crash", "it crashed")) == frozenset()
