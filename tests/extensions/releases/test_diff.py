"""``kit spec diff``: fake releases that differ in known ways, then real ones; what is found and written."""

import dataclasses
import itertools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from conformance.extensions.releases import asking, comparing
from conformance.extensions.releases.asking import Question, Side, questions
from conformance.extensions.releases.changes import Sort, what_changed
from conformance.extensions.releases.comparing import Comparison, NothingToAskError
from conformance.oracle.of_specs import oracle_command
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import OPS, ops_of
from conformance.runner.conversation import Settings
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Failed, Ok, Refused

TABLES = yaml.safe_load(Path(__file__).with_name("tables.yaml").read_text("utf-8"))
RELEASE = Path(__file__).parents[2] / "runners" / "release.py"


def command(way):
    """A fake release."""
    return (sys.executable, str(RELEASE), way)


@pytest.fixture(autouse=True)
def patient(monkeypatch) -> None:
    """On a busy machine too, examples are made as small as they get."""
    monkeypatch.setattr(comparing, "_SMALL_SECONDS", 900.0)
    monkeypatch.setattr(comparing, "_EXAMPLE_SECONDS", 300.0)


@pytest.fixture(scope="session")
def some_vectors():
    """A part of the kit's vectors, of every section."""
    return [vector for vector in load_spec(DEFAULT_SPEC) if "large" not in vector.flags][::5]


@pytest.fixture
def compared(some_vectors):
    """A comparison that was run to its end."""

    def run(old, new, inputs=300, vectors=some_vectors):
        sides = [Side(str(way), Settings(way, DEFAULT_SPEC, 60.0)) for way in (old, new)]
        made = Comparison(*sides, DEFAULT_SPEC, vectors, ops_of(DEFAULT_SPEC), 1, inputs)
        made.run()
        return made

    return run


def of_op(found, op):
    return [change for change in found.changes.ranked() if change.op == op]


@pytest.mark.slow
def test_each_change_is_one_however_many_inputs_show_it_and_is_made_small(compared) -> None:
    found = compared(command("old"), command("new"), 1500)
    [refused] = of_op(found, "parse_reward")
    error = "the error VerifierOutputParseError, before an answer"
    assert (refused.sort, refused.what) == (Sort.REFUSED, error)
    assert refused.count > 1
    assert min(refused.examples[0].input["files"]) == "reward.json"
    [digits] = of_op(found, "aggregate")
    assert (digits.sort, digits.what) == (Sort.NUMBER, "at /*: a number with other last digits")
    [key] = of_op(found, "evals_key")
    assert key.sort is Sort.TEXT
    made = [example for example in digits.examples if example.small]
    assert made, "random inputs are"
    smallest = min((example.input for example in made), key=lambda given: len(json.dumps(given)))
    assert len(smallest["rewards"]) == 1
    whole = [example for example in digits.examples if not example.small]
    assert all(example.question.vector is not None for example in whole), "short vectors stay as they are"
    again = compared(command("old"), command("old"))
    assert not again.changes
    assert again.asked["random"] == 300 < again.asked["vectors"]


@pytest.mark.slow
def test_what_one_side_does_not_answer_is_told_and_costs_nothing_of_the_rest(compared, monkeypatch) -> None:
    """``mute`` can't be asked one op and lacks another; ``crash`` dies of every job without trials."""
    monkeypatch.setattr(asking, "_MOST_FAILURES", 2)
    mute = compared(command("old"), command("mute"))
    assert mute.counts["plan_trials"].same == mute.counts["plan_trials"].differ == 0
    assert mute.unsupported[0] == {}
    assert mute.unsupported[1]["plan_trials"].total() == mute.counts["plan_trials"].not_compared > 0
    assert "scores" in mute.lacking(mute.new)
    assert "scores" not in mute.counts
    crash = compared(command("old"), command("crash"), 600)
    died = of_op(crash, "aggregate")
    assert {change.what[:20] for change in died if change.sort is Sort.FAILED} == {"crash of the new one"}
    assert {change.sort for change in crash.changes.values()} == {Sort.FAILED}
    not_compared = sum(count.not_compared for count in crash.counts.values())
    assert crash.compared + not_compared == crash.asked.total()
    assert crash.counts["parse_reward"].same > 50
    assert crash.new.given_up == {"aggregate": "it failed to answer 2 times"}
    assert not crash.old.failures


def test_the_stream_is_the_same_for_the_same_seed_and_asks_nothing_twice(some_vectors) -> None:
    def drawn(seed):
        return [one for one in questions(some_vectors, seed, 1000) if one.kind == "random"]

    assert repr(drawn(3)) == repr(drawn(3)) != repr(drawn(4))
    assert len(drawn(1)) == 1000
    assert 0.4 < sum(one.base is not None for one in drawn(1)) / 1000 < 0.6, "half are changed vectors"
    twice = [*some_vectors, *(dataclasses.replace(one, id=f"{one.id}-again") for one in some_vectors)]
    assert len(list(questions(twice, 1, 0))) == len(list(questions(some_vectors, 1, 0)))


@pytest.mark.slow
def test_two_without_an_op_in_common(compared) -> None:
    hello = '{"id":0,"ok":{"runner":"r","version":"1","protocol":1,"ops":["%s"]}}'
    with pytest.raises(NothingToAskError, match="offer no operation of harbor"):
        compared(("echo", hello % "scores"), ("echo", hello % "evals_key"))


KINDS = {"ok": Ok, "error": lambda parts: Refused(*parts), "failed": lambda parts: Failed(*parts)}


@pytest.mark.parametrize("row", TABLES["changes"], ids=str)
def test_the_sort_of_a_change(row) -> None:
    given = {"metric": "sum", "rewards": []}
    answers = (KINDS[kind](value) for side in ("old", "new") for kind, value in row[side].items())
    found = what_changed(Question(1, "aggregate", OPS["aggregate"], given), given, *answers)
    assert (found and found[0].name) == row["sort"]


def test_numbers_make_no_other_cause() -> None:
    given = {"metric": "sum", "rewards": []}
    question = Question(1, "aggregate", OPS["aggregate"], given)
    codes = itertools.chain(range(3), (139,))
    failed = (Failed("crash", f"the runner exited with code {code}") for code in codes)
    assert len({what_changed(question, given, Ok({"sum": 1.0}), one) for one in failed}) == 1


# The command


@pytest.fixture
def diffed(cli, tmp_path, faults):
    """Runs the command; what was printed, and the JSON, which its schema accepts."""

    def run(old, new, code, *words):
        done = cli("kit", "spec", "diff", old, new, *words, "--json", "diff.json")
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stdout + done.stderr
        document = json.loads((tmp_path / "diff.json").read_text())
        assert faults("spec-diff", document) == []
        assert document["exit_code"] == code
        return done.stdout, document

    return run


@pytest.mark.slow
def test_what_changed_is_told_rule_by_rule(diffed, tmp_path) -> None:
    old, new = (shlex.join(command(way)) for way in ("old", "new"))
    words = ("--inputs", 200, "--seed", 1, "--markdown", "diff.md")
    text, document = diffed(old, new, 1, *words)
    assert re.search(r"^\d\. +1 failure: aggregate: at /\*: a number with other last digits$", text, re.M)
    assert re.search(r"^  why: +shown by \d+ vectors?, \d+ random inputs?", text, re.M)
    assert re.search(r"^aggregate +003-\S+ +another number +\d+ +\d+$", text, re.M)
    assert re.search(r"^  example 1: +input  .*\n +before .*\n +now    ", text, re.M)
    assert re.search(r"plan_trials +\d+ +reference_impl has no", text)
    summary = r"\d+ changes: \d+ inputs of [0-9,]+ vectors, 200 random inputs answered differently\.?"
    assert re.fullmatch(summary, text.splitlines()[-1])
    assert document["ended"] == "complete"
    assert {change["op"] for change in document["changes"]} >= {"parse_reward", "aggregate", "evals_key"}
    page = (tmp_path / "diff.md").read_text()
    assert "### What changed, by rule" in page
    assert "before" in page


@pytest.mark.slow
def test_nothing_differs_or_nothing_can_be_tried(diffed) -> None:
    text, _ = diffed("reference", "reference", 0, "--inputs", 50, "--seed", 1)
    assert text.splitlines()[-1].startswith("nothing differs: ")
    for new, words in (
        ("no-such-runner", "no-such-runner: the command 'no-such-runner' does not exist"),
        ("false", "false: the runner exited with code 1 before it answered hello"),
    ):
        text, document = diffed("reference", new, 2)
        assert words in text
        assert document["ended"] == "not-tried"


@pytest.mark.slow
def test_an_interruption_keeps_what_was_found(tmp_path, faults) -> None:
    program = "from conformance.cli import main; main()"
    asked = tmp_path / "asked"
    asked.touch()
    old, new = (shlex.join(command(way)) for way in ("old", "new"))
    watched = shlex.join(["sh", "-c", f"tee {asked} | {new}"])
    words = ["kit", "spec", "diff", old, watched, "--inputs", "100000000", "--json", "diff.json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", program, *words], cwd=tmp_path, **pipes)
    while asked.read_bytes().count(b"\n") < 1000:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert "interrupted: more may differ" in out
    document = json.loads((tmp_path / "diff.json").read_text())
    assert faults("spec-diff", document) == []
    assert (document["ended"], document["exit_code"]) == ("interrupted", 130)
    assert document["changes"]
    assert all(change["examples"] for change in document["changes"])


@pytest.mark.oracle
def test_what_changed_from_0_13_1_to_0_25_0(compared, some_vectors, monkeypatch) -> None:
    """Only finite numbers are rewards since 0.23, and a job has an attempt; nothing else that these show."""
    monkeypatch.setitem(os.environ, "PYTHONHASHSEED", "0")
    asked = [one for one in some_vectors if one.op.name in ("parse_reward", "pass_at_k", "plan_trials")]
    found = compared(oracle_command("harbor-0.13.1"), oracle_command("harbor-0.25.0"), 60, asked)
    assert [side.failures for side in found.sides] == [{}, {}]
    [refused] = [one for one in of_op(found, "parse_reward") if one.sort is Sort.REFUSED]
    assert refused.what == "the error VerifierOutputParseError, before an answer"
    assert len(refused.examples) > 1, "more than one thing is refused"
    assert found.changes.ops <= {"parse_reward", "plan_trials"}
