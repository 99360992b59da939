"""The catalogue of known mistakes: each is caught by its class, each differs from the others, none leaks.

What they answer is stored (``conformance.diagnosis.known_answers``); what is outdated there is listed.
``tests/diagnosis/test_known_answers.py`` asks some of them again.
"""

import functools
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from conformance.diagnosis.departures import departures as departures_of
from conformance.diagnosis.departures import marks
from conformance.diagnosis.evidence import expected_answer
from conformance.diagnosis.known_answers import known_answers, question_digest
from conformance.judging.comparison import Level, differences
from conformance.judging.verdict import Outcome, judge
from conformance.mistakes import MistakeError, all_mistakes, find_mistakes
from conformance.mistakes.__main__ import main
from conformance.mistakes.catalogue import made, mistake
from conformance.mistakes.removed import MISREADINGS, TABLE, removed_mistakes
from conformance.mistakes.variant import Variant
from conformance.registry.ops import OPS, SPEC_TABLE, SPECS, classes_of, ops_of
from conformance.suite.clauses import statements
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Ok, Refused, Reply, encode_tail, parse_reply, request_line

FLOOR = {"harbor-0.13.1": 300, "harbor-metric": 15, "evsys": 22, "harness-evals": 28}
"""The catalogue may grow; it does not shrink unnoticed."""
PYTHON_ERRORS = {"AttributeError", "IndexError", "KeyError", "NameError", "TypeError", "UnboundLocalError"}
"""Signs of a fault in an entry, unless the vector expects them."""
RAISING = set(json.loads(Path(__file__).with_name("raising.json").read_text("utf-8")))
"""Mistakes that answer with such an error where another answer is due, and are meant to."""
ALONE = [spec for spec in SPECS if SPEC_TABLE[spec].base is None]
"""The others are differences to one of these: tests/mistakes/test_overlays.py."""
MISTAKES = {name: one for spec in ALONE for name, one in all_mistakes(spec).items()}
VECTORS = {vector.id: vector for spec in ALONE for vector in load_spec(spec)}


def passes(vector, answer):
    return judge(vector, Reply(vector.id, answer, 0.0), Level.BYTES).outcome is Outcome.PASSED


def alike(vector, left, right):
    if isinstance(left, Ok) and isinstance(right, Ok):
        return not differences(vector.op, left.value, right.value, vector.unordered)
    if isinstance(left, Refused) and isinstance(right, Refused):
        return (left.type, left.reason_code) == (right.type, right.reason_code)
    return False


def deviations(variant, vectors):
    """The wrong answers among those to the vectors, by id."""
    answers = ((vector, variant.answer(vector.op.name, vector.input)) for vector in vectors)
    return {vector.id: answer for vector, answer in answers if not passes(vector, answer)}


@functools.cache
def profiles(spec):
    """What each mistake of a spec departs in, by vector: from the memo, which is as if they were asked."""
    memo = known_answers(spec)
    assert not memo.unknown, f"the memo of {spec} is stale: run harbor-conformance kit precompute"
    found = {name: {} for name in all_mistakes(spec)}
    for vector in VECTORS.values():
        if vector.op.spec == spec:
            asked = (vector.op.name, vector.input, expected_answer(vector), vector.unordered)
            for places, names in memo.rows[question_digest(*asked)]:
                for name in names:
                    found[name][vector.id] = {path: mark for path, (_, mark) in places.items()}
    return found


def own_deviations(name):
    """Where the answers of a mistake to its own class depart, by vector."""
    one = MISTAKES[name]
    every = profiles(one.spec)[name]
    return {key: at for key, at in every.items() if VECTORS[key].conformance_class == one.conformance_class}


def namespaces():
    """What every name of the reference itself stands for, classes' members included."""
    found = {}
    for path in sorted(name for name in sys.modules if name.startswith("reference_impl.")):
        module = sys.modules[path]
        if isinstance(module, ModuleType):
            for name, value in vars(module).items():
                found[module.__name__, name] = id(value)
                if isinstance(value, type) and value.__module__ == module.__name__:
                    found |= {(module.__name__, name, member): id(it) for member, it in vars(value).items()}
                if isinstance(value, dict) and not name.startswith("__"):
                    found |= {(module.__name__, name, str(key)): id(it) for key, it in value.items()}
    return found


Variant().modules()
REFERENCE = namespaces()


def test_there_are_enough_of_every_class_and_entries_are_complete() -> None:
    for spec in ALONE:
        of_spec = all_mistakes(spec)
        assert len(of_spec) >= FLOOR.get(spec, 1)
        assert {one.conformance_class for one in of_spec.values()} == set(classes_of(spec))
    assert {one.op for one in MISTAKES.values()} == {op.name for spec in ALONE for op in ops_of(spec)}
    own = {name for name, one in all_mistakes().items() if one.spec not in ALONE}
    assert MISTAKES.keys() | own == all_mistakes().keys()
    assert not MISTAKES.keys() & own
    known = {spec: statements(spec) for spec in ALONE}
    for one in MISTAKES.values():
        rules = [one.clause in known[one.spec], len(one.name) <= 45, one.why.endswith(".")]
        rules.append(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", one.name) is not None)
        for text in (one.says, one.why, one.invited_by):
            rules += [text != "", text.isprintable(), text == text.strip(), len(text) <= 120]
        rules += [not re.search(r"[^.]\.\Z", text) for text in (one.says, one.invited_by)]
        assert all(rules), (one.name, rules)
    said = [one.says for one in MISTAKES.values()]
    assert sorted(set(said)) == sorted(said)


def test_every_mistake_is_caught_by_its_own_class_and_raises_no_python_error_of_its_own() -> None:
    signs = {mark_of_error(kind): kind for kind in PYTHON_ERRORS}
    wrong = {name: own_deviations(name) for name in MISTAKES}
    missed = [(name, MISTAKES[name].conformance_class) for name, found in wrong.items() if not found]
    assert not missed, f"no vector of their class catches {missed}"
    raising = {name for name in wrong if any(at.get("") in signs for at in wrong[name].values())}
    assert raising == RAISING


def mark_of_error(kind):
    """The mark of an answer that is an error of this type where another answer is due."""
    op = OPS["aggregate"]
    return marks(departures_of(op, Ok({}), Refused(kind, None), Level.BYTES))[""]


def same(left, right):
    """Whether two mistakes answer alike: marks do not tell all (-0 from 0), so they are asked."""
    one, other = made(MISTAKES[left]), made(MISTAKES[right])
    wrong = [VECTORS[key] for key in profiles(MISTAKES[left].spec)[left]]
    return all(one.answer(v.op.name, v.input) == other.answer(v.op.name, v.input) for v in wrong)


@pytest.mark.parametrize("spec", ALONE)
def test_any_two_mistakes_differ_at_some_vector(spec) -> None:
    alike = {}
    for name, profile in profiles(spec).items():
        alike.setdefault(json.dumps(profile, sort_keys=True), []).append(name)
    pairs = [pair for names in alike.values() for pair in itertools.combinations(names, 2)]
    assert not [pair for pair in pairs if same(*pair)]


def changed():
    """What no longer stands where it stood at import; later modules and the last hello's spec don't count."""
    now = namespaces()
    return [place for place, value in REFERENCE.items() if now.get(place) != value and "_talk" not in place]


@pytest.mark.slow
def test_no_change_reaches_the_reference_or_another_copy() -> None:
    assert not changed()
    for one in list(MISTAKES.values())[::10]:
        one.change(Variant())
        assert not changed()
    for package in ("evsys", "harness_evals"):
        Variant().module(f"{package}.operations")
    assert not changed()
    assert not [name for name in sys.modules if name.startswith("_reference")]
    assert not deviations(Variant(), list(VECTORS.values())[::7])


TRIED = ("naive-sum+pass-at-1-included", "script-empty-output-as-object")
TRIED += ("evsys-micro-mean+evsys-naive-sum", "harness-threshold-exclusive+harness-rounded-half-up")


def run(*arguments, requests=b""):
    command = [sys.executable, "-m", "conformance.mistakes", *arguments]
    return subprocess.run(command, input=requests, capture_output=True, timeout=300, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("names", TRIED)
def test_the_runner_answers_what_the_copy_in_process_answers(names) -> None:
    mistakes = find_mistakes(names)
    vectors = [VECTORS[key] for one in mistakes for key in list(own_deviations(one.name))[:5]]
    tails = [encode_tail(vector.op.name, vector.input) for vector in vectors]
    requests = b"".join(request_line(number, tail) for number, tail in enumerate(tails, start=1))
    finished = run(names, requests=b'{"id":0,"op":"hello","protocol":1,"spec":"x"}\n' + requests)
    assert finished.returncode == 0
    assert not finished.stderr
    hello, *replies = finished.stdout.splitlines()
    assert json.loads(hello)["ok"]["runner"] == f"mistake:{names}"
    variant = made(*mistakes)
    for number, (vector, line) in enumerate(zip(vectors, replies, strict=True), start=1):
        answer = parse_reply(line, number)
        assert alike(vector, answer, variant.answer(vector.op.name, vector.input))
        assert not passes(vector, answer)


@pytest.mark.slow
def test_the_runner_refuses_other_names_in_one_sentence() -> None:
    for arguments in (("naive-sum+no-such",), (), ("naive-sum", "text-before-json")):
        finished = run(*arguments)
        assert (finished.returncode, finished.stdout) == (1, b"")
        assert re.fullmatch(r"(there is no known mistake '.*':|usage:) .*\n", finished.stderr.decode())


def test_mistakes_are_found_by_name() -> None:
    """An entry needs a free name and a known op."""
    found = find_mistakes("naive-sum + pass-at-1-included + naive-sum")
    assert [one.name for one in found] == ["naive-sum", "pass-at-1-included"]
    both = r"both replace cpython312\.summation\.compensated_sum .*; run one after the other$"
    for names, sentence in (
        ("naive", "no known mistake 'naive'"),
        ("naive-sum+exact-sum", both),
        ("nan-rewards-not-listed+nan-rewards-merged", r"; try nan-rewards-merged\+nan-rewards-not-listed$"),
    ):
        with pytest.raises(MistakeError, match=sentence):
            find_mistakes(names)
    before = dict(all_mistakes())
    for name, op in (("naive-sum", "aggregate"), ("Naive", "aggregate"), ("new", "no-op")):
        with pytest.raises(ValueError, match=name):
            mistake(name, says="x", op=op, clause="x", why="x.", invited_by="x")(lambda _: None)
    all_mistakes.cache_clear()
    assert all_mistakes() == before


READ = [
    one for path in sorted(MISREADINGS.glob("*.json")) for one in json.loads(path.read_bytes())["misreadings"]
]
ROWS = json.loads(TABLE.read_bytes())["removed"]
TOGETHER = [*ROWS, *(one for one in READ if "caught_by" in one)]
NAME = "harness-tags-sorted"
SENTENCE = (
    f"the known mistake '{NAME}' was removed: the vector harness-evals/json/tags"
    " catches a runner that makes it (tags are sorted by name)"
)


def test_what_was_removed_names_a_vector_of_its_operation_or_a_mistake() -> None:
    ops = {vector.id: vector.op.name for spec in SPECS for vector in load_spec(spec)}
    wrong = [one["name"] for one in TOGETHER if ops.get(one["caught_by"]) != one["op"]]
    assert not wrong, f"no vector of the operation is named for {wrong}: name another that catches it"
    assert len(ROWS) >= 829
    assert len(TOGETHER) - len(ROWS) == 1303
    assert len(removed_mistakes()) == len(TOGETHER), "two have one name"
    assert not removed_mistakes().keys() & all_mistakes().keys()
    assert all(one["says"] for one in TOGETHER)
    same = {one["name"]: one["same_as"] for one in READ if one["became"] == "same"}
    assert same
    assert set(same.values()) <= all_mistakes().keys() | removed_mistakes().keys()
    assert all(one["op"] in OPS for one in READ)
    unseen = [one for one in READ if one["became"] in ("equivalent", "limit")]
    assert [one["name"] for one in unseen if not one["reason"]] == []


@pytest.mark.parametrize("names", [NAME, f"naive-sum+{NAME}", f"{NAME}+no-such"])
def test_a_removed_mistake_is_answered_in_one_sentence(names, cli, monkeypatch) -> None:
    with pytest.raises(MistakeError) as refused:
        find_mistakes(names)
    assert str(refused.value) == SENTENCE
    done = cli("run", "--runner", f"mistake:{names}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.rstrip().endswith(SENTENCE)
    monkeypatch.setattr("sys.argv", ["mistakes", names])
    with pytest.raises(SystemExit, match="was removed") as ended:
        main()
    assert ended.value.code == SENTENCE
