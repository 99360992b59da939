"""A job's first metric: the vectors say of it what a whole job comes to, played by the real harbor."""

import json
from pathlib import Path

import pytest

from conformance.oracle.of_specs import oracle_command
from conformance.suite.vectors import load_spec
from tests.specs.comparing import answers, ask, compared, kinds

SPEC = "harbor-metric"
VECTORS = [vector for vector in load_spec(SPEC) if vector.input.get("first") and any(vector.input["rewards"])]
PLAYED = {
    (one.expected.get("error") or {"type": number % 3})["type"]: one
    for number, one in enumerate(VECTORS)
    if one.expected
}.values()
"""One of each error, and three of those that give a value: a job takes half a second."""


def job(script):
    """A job of one trial whose first metric is the script."""
    play = {"files": {"reward.txt": {"text": "1.0"}}}
    return {"tasks": [{"name": "t", "plays": [play]}], "metrics": [{"type": "uv-script", "script": script}]}


@pytest.mark.oracle
def test_a_whole_job_dies_where_its_first_metric_is_an_error() -> None:
    *command, adapter = oracle_command(SPEC)
    jobs = [job(vector.input["script"]["text"]) for vector in PLAYED]
    lines = [json.dumps({"id": n, "op": "play_job", "input": one}).encode() for n, one in enumerate(jobs)]
    answers = ask([*command, str(Path(adapter).with_name("harbor.py"))], *lines)
    replies = [answer["ok"] for answer in answers]
    for vector, played in zip(PLAYED, replies, strict=True):
        error = vector.expected.get("error")
        assert played["finished"] is (error is None), vector.id
        assert error is None or error["type"] in played["errors"], vector.id
    assert len(VECTORS) > 20
    assert len(PLAYED) > 5


@pytest.mark.oracle
def test_reference_and_harbor_agree_on_random_inputs() -> None:
    run = compared(SPEC, oracle_command(SPEC), 530, 7)
    assert (run.agreed.total(), run.disagreed.total()) == (530, 0)


@pytest.mark.slow
def test_errors_of_scripts_are_drawn() -> None:
    drawn = kinds(answers(SPEC, {"metric_script": 30}, 7))
    assert {"RuntimeError", "FileNotFoundError", "JSONDecodeError"} < set(drawn)
