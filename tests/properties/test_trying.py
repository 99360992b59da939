"""Trying one property, without any process: what is found, shrunk, counted and given up."""

import functools
import itertools
import json
import os
from types import SimpleNamespace

import hypothesis
import pytest
from hypothesis import configuration

from conformance.drawing.kept import drawn_by
from conformance.mistakes.plain import reference_answer
from conformance.properties import trying
from conformance.properties.asking import Asker, fail
from conformance.properties.registry import EXAMPLES, Check, checks
from conformance.properties.trying import seed_of, try_property
from conformance.registry.ops import SPECS
from conformance.suite.properties import load_properties
from conformance.wire.messages import Failed, Ok, Refused, Reply, Unsupported


def lists(source):
    return source.items(lambda source: source.below(51), (20,))


def key(asker, given):
    return asker.ok("evals_key", {"agent": str(given), "model": None, "source": None})["evals_key"]


def asks_once(asker, given) -> None:
    asker.holds(key(asker, given) == "right", "not right")


def runner(answer):
    return lambda op, given: Reply("", answer(given["agent"]), 0.0)


def right(_):
    return Ok({"evals_key": "right"})


def large(agent):
    return any(number >= 7 for number in json.loads(agent))


def wrong_if_large(agent):
    return Ok({"evals_key": "wrong" if large(agent) else "right"})


def tried(answer, given=lists, function=asks_once, **options):
    return try_property(Check(given, function), runner(answer), **{"seed": 1, **options})


def failure_of(trial):
    assert trial.failure is not None
    return trial.failure


BOTH = pytest.mark.parametrize("searching", [False, True])
"""By a seed alone, and by hypothesis."""


def test_what_holds_passes_and_a_sentence_is_cut_and_printable() -> None:
    trial = tried(right)
    assert (trial.failure, trial.unsupported) == (None, None)
    assert 10 < trial.examples == len(trial.passed) <= EXAMPLES
    with pytest.raises(Exception, match=r"^x\\x1by+… \(cut, 1002 characters in all\)$"):
        fail("x\x1b" + "y" * 1000)


@BOTH
def test_a_failure_is_shrunk_and_nothing_is_printed(searching, tmp_path, monkeypatch, capfd) -> None:
    monkeypatch.chdir(tmp_path)
    before = getattr(configuration, "__hypothesis_home_directory", None)
    failure = failure_of(tried(wrong_if_large, searching=searching))
    assert (failure.given, failure.outcome, failure.sentence) == ([7], "mismatch", "not right")
    assert [exchange.input["agent"] for exchange in failure.exchanges] == ["[7]"]
    assert capfd.readouterr() == ("", "")
    assert os.listdir(tmp_path) == []
    assert getattr(configuration, "__hypothesis_home_directory", None) == before


@BOTH
def test_the_seed_decides_what_and_the_option_how_many(searching) -> None:
    def seen(seed):
        agents = []
        tried(lambda agent: agents.append(agent) or right(agent), seed=seed, searching=searching)
        return agents

    assert seen(1) == seen(1) != seen(2)
    assert 150 < tried(right, examples=300, searching=searching).examples <= 300
    assert len({seed_of("a", 0), seed_of("b", 0), seed_of("a", 1)}) == 3
    assert seed_of("a", 0) == seed_of("a", 0)


@BOTH
def test_no_question_is_asked_twice_while_shrinking(searching) -> None:
    """So a runner that answers now so, now so, is told of as it answered."""
    agents = []

    def fickle(agent):
        agents.append(agent)
        return Ok({"evals_key": "wrong" if len(agents) % 3 == 0 else "right"})

    assert tried(fickle, searching=searching).failure is not None
    assert len(set(agents)) == len(agents)


@pytest.mark.parametrize("outcome", ["crash", "timeout", "protocol-error", "not-run"])
def test_silence_is_its_own_outcome_and_soon_left_alone(outcome) -> None:
    """Also in a batch, of which nothing behind it is waited for."""
    silent = []

    def answer(agent):
        if not large(agent):
            return right(agent)
        silent.append(agent)
        return Failed(outcome, "it was silent")

    once = {"silences": 1}
    for options, most in (({}, trying.MOST_SILENCES), (once, 1), ({**once, "searching": True}, 1)):
        silent.clear()
        failure = failure_of(tried(answer, **options))
        assert (failure.outcome, failure.sentence) == (outcome, "it was silent")
        assert 1 <= len(silent) <= most
    silent.clear()
    failure = failure_of(at_once(answer, silences=1)[0])
    assert (failure.outcome, len(silent)) == (outcome, 1)


def test_shrinking_ends_in_time(monkeypatch) -> None:
    monkeypatch.setattr(trying, "SHRINKING_SECONDS", 2.5)
    wrong = []

    def slow(agent):
        if len(agent) > 20:
            wrong.append(agent)
            return Ok({"evals_key": "wrong"})
        return right(agent)

    monkeypatch.setattr(trying, "time", SimpleNamespace(monotonic=lambda: float(len(wrong))))
    trial = tried(slow, lambda source: [source.below(51), *source.items(lambda one: one.below(51), (39,))])
    assert len(wrong) == 1 + 3
    assert len(str(failure_of(trial).given)) > 21


def test_unsupported_is_neither_passed_nor_failed_and_a_failure_counts_more() -> None:
    """Nor is a mismatch shrunk into a crash."""
    trial = tried(lambda agent: Unsupported("not here") if "7" in agent else right(agent))
    assert (trial.failure, trial.unsupported) == (None, ("evals_key", "not here"))
    trial = tried(lambda agent: Unsupported("not here") if "3" in agent else wrong_if_large(agent))
    assert (failure_of(trial).outcome, trial.unsupported) == ("mismatch", None)

    def answer(agent):
        if len(agent) < 8:
            return Failed("crash", "it died")
        return Ok({"evals_key": "wrong"}) if "7" in agent else right(agent)

    trial = tried(answer, lambda source: [source.between(7, 9) for _ in range(source.between(4, 9))])
    assert failure_of(trial).outcome == "mismatch"


def test_what_is_no_value_of_the_ops_shape_breaks_it() -> None:
    for answer, sentence in (
        (Refused("ValueError", None), "evals_key gives the error ValueError where a value is expected"),
        (Ok({"key": 1}), "an answer does not have the op's shape: KeyError('evals_key')"),
    ):
        assert failure_of(tried(lambda agent, answer=answer: answer)).sentence == sentence


def test_a_users_profile_changes_nothing() -> None:
    how = {"max_examples": 3, "deadline": 1, "derandomize": True}
    hypothesis.settings.register_profile("users", verbosity=hypothesis.Verbosity.debug, **how)
    before = tried(right, searching=True).examples
    hypothesis.settings.load_profile("users")
    try:
        assert tried(right, searching=True).examples == before
    finally:
        hypothesis.settings.load_profile("kit")


@BOTH
def test_ctrl_c_ends_it(searching) -> None:
    def interrupts(agent):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tried(interrupts, searching=searching)


def at_once(answer, function=asks_once, **options):
    """A trial that asks for many inputs at once, and how many requests each time."""
    sizes = []
    ask = runner(answer)

    def ask_all(requests):
        sizes.append(len(requests))
        replies = []
        for request in requests:
            replies.append(ask(*request))
            if isinstance(replies[-1].answer, Failed):
                break
        return replies

    return tried(answer, function=function, ask_all=ask_all, **options), sizes


def asks_thrice(asker, given) -> None:
    for number in range(3):
        asker.holds(key(asker, [*given, number]) == "right", f"request {number} is not answered right")


@pytest.mark.parametrize("function", [asks_once, asks_thrice])
@pytest.mark.parametrize("answer", [right, wrong_if_large])
def test_at_once_finds_what_one_by_one_finds(function, answer) -> None:
    _, sizes = at_once(lambda _: Ok({"evals_key": "wrong"}), shrinking=False)
    assert sizes == [1]  # a runner that is always wrong is asked little at first
    single = tried(answer, function=function)
    many, sizes = at_once(answer, function=function)
    assert many.failure == single.failure
    assert many.examples == single.examples
    assert (max(sizes) > 20) == (answer is right)
    if answer is right:
        assert sorted(map(repr, many.passed)) == sorted(map(repr, single.passed))
        assert len(sizes) == (4 if function is asks_once else 12)  # each batch, request after request


def test_an_answer_that_asks_for_more_is_followed() -> None:
    """What is asked second depends on the answer to what was asked first."""

    def follows(asker, given) -> None:
        asker.holds(key(asker, key(asker, given)) == "right", "not right")

    seen = []

    def answer(agent):
        seen.append(agent)
        return Ok({"evals_key": "right" if agent == "second" else "second"})

    trial, _ = at_once(answer, function=follows)
    assert trial.failure is None
    assert seen.count("second") == trial.examples


@pytest.mark.parametrize("spec", [*SPECS[:1], pytest.param(SPECS[1], marks=pytest.mark.slow), *SPECS[2:]])
def test_a_check_leaves_its_input_as_it_is(spec) -> None:
    """So it can be begun again when answers have come."""
    its = functools.partial(reference_answer, spec)
    earlier = {one.slug for other in SPECS[: SPECS.index(spec)] for one in load_properties(other)}
    for slug in (one.slug for one in load_properties(spec) if one.slug not in earlier):
        check, few = checks()[slug], 3 if slug.startswith("metric-script") else 12
        for given, _ in itertools.islice(drawn_by(check.draw, 5), few):
            before = repr(given)
            check.function(Asker(lambda op, asked: Reply("", its(op, asked), 0.0)), given)
            assert repr(given) == before, slug
