"""Holes that random misreadings showed: each is a deviation, and the vector beside it catches it."""

import functools

import pytest

from conformance.deviations import References, answer, space_of
from conformance.deviations.space import vectors_of
from conformance.diagnosis.evidence import agree
from conformance.judging.comparison import Level
from conformance.registry.ops import OPS

STEP, TRIAL = "trials/*/step_results/*/agent_result", "trials/*/agent_result"
HOLES = {
    "job_result": [
        (f"{STEP}/cost_usd:zero-is-null", "usage-of-a-step-zero"),
        (f"{TRIAL}/cost_usd:at-least-0.0", "cost-negative-alone"),
        (f"{TRIAL}/n_cache_tokens:abs", "tokens-negative-alone"),
        (f"{TRIAL}/cost_usd:half-up-2", "cost-of-three-digits"),
        (f"{TRIAL}/cost_usd:null-is-nan", "cost-and-a-null-cost"),
        (f"{TRIAL}/cost_usd:round-8", "cost-tiny"),
        (f"{TRIAL}/cost_usd:significant-6", "cost-of-nine-digits"),
        (f"{TRIAL}/cost_usd:infinite-is-absent", "cost-infinite-beside-a-null"),
        (f"{TRIAL}/n_cache_tokens:through-double", "tokens-beyond-doubles"),
        (f"{TRIAL}/n_output_tokens:wrap-32", "tokens-beyond-doubles"),
        ("trials/*/step_results:one-is-null", "usage-of-one-step"),
        ("trials/*/trial_name:strip", "names-of-blanks"),
        ("trials/*/trial_name:cut-64", "names-long"),
        ("trials/*/agent_info/model_info/name:before-first-:", "model-with-a-colon"),
        ("trials/*/agent_info/model_info/name:before-first-@", "model-with-at-signs"),
        ("trials/*/source:no-slash-after", "source-with-a-slash-behind"),
        ("trials/*/source:nfc", "names-decomposed"),
        ("trials/*/trial_name:lower", "cancelled-of-names-that-differ-by-case"),
        ("trials/*/trial_name:word-is-null", "names-of-trials-of-all-kinds"),
        ("trials/*/exception_info/exception_type:no-controls", "exceptions-of-all-kinds"),
        ("trials/*/agent_info/name:no-zero-widths", "groups-of-all-kinds"),
        ("trials/*/task_name:nbsp-is-blank", "tasks-that-look-alike"),
        (f"{TRIAL}/n_output_tokens:double-beyond-64-bits", "tokens-beyond-64-bits"),
        (f"{STEP}/cost_usd:significant-15", "tokens-of-a-step-beyond-doubles-next-to-one"),
        ("trials/*/exception_info:first-only", "exceptions-of-trials-of-all-kinds"),
    ],
    "pipeline": [
        ("trials/*/files/reward.json/@json/mean:negative-is-null", "pipeline-values-of-reward-json"),
        ("trials/*/files/reward.json/@json:nan-is-null", "pipeline-whole-values-of-reward-json"),
        ("trials/*/steps/*/min_reward/mean:of-percent", "pipeline-steps-gates-of-the-key-mean"),
        ("trials/*/exception_info/exception_type:drop-newline", "pipeline-exceptions-of-trials-of-all-kinds"),
        ("trials/*/agent_info/name:empty-is-null", "pipeline-groups-named-by-line-ends"),
        ("trials:sorted-by.steps", "pipeline-trials-of-steps-in-between"),
    ],
    "multi_step_reward": [
        ("steps/*/min_reward/reward:is-absent", "gate-object-of-the-key-reward"),
        ("steps/*/min_reward/*:nan-is-0", "gate-nan-of-a-key-without-result"),
        ("steps/*/min_reward/*:clamp-01", "gate-infinite-of-a-key"),
        ("steps/*/min_reward/*:negative-is-absent", "gate-negative-without-result"),
        ("steps/*/min_reward/*:above-1-of-percent", "gate-of-two"),
        ("steps/*/min_reward/*:round-6", "gate-tiny-of-an-empty-key"),
        ("steps/*/exception:blank-is-null", "stop-on-a-blank-exception"),
        ("steps:sorted-by.name", "steps-named-out-of-order"),
    ],
    "parse_reward": [("files/reward.json/@json/reward:near-1-is-1", "json-almost-one")],
    "aggregate": [("rewards/*:keys-strip", "key-of-blanks")],
    "outcome": [
        ("result.json/@json/n_total_trials:round-9", "result-total-of-2-9999999996"),
        ("result.json/@json/stats/evals/*/metrics/*:no-null-members", "result-null-mean-beside-another"),
    ],
    "scores": [("trials/*/exception/type:word-is-null", "exceptions-of-all-kinds")],
    "harness.evaluate": [
        ("metrics/*/measure/raises/message:cut-255", "messages-of-all-kinds"),
        ("metrics:sorted-by.measure.returns", "metrics-that-could-be-sorted"),
    ],
    "harness.json": [("cases/*/scores/*/scoring_duration_ms:round-3", "numbers-of-all-kinds")],
    "read_outcome": [("stdout/@line/score:infinite-is-0", "read-completed-minus-infinity")],
}


@functools.cache
def vector_ids(op):
    vectors = vectors_of(OPS[op].spec)[op]
    return {vector.id.rpartition("/")[2]: place for place, vector in enumerate(vectors)}


@pytest.mark.parametrize(
    ("op", "deviation", "vector"),
    [
        pytest.param(op, f"{op}:input/{one}", slug, id=f"{op}-{one}")
        for op, rows in HOLES.items()
        for one, slug in rows
    ],
)
def test_a_hole_is_closed_by_its_vector(op, deviation, vector) -> None:
    spec = OPS[op].spec
    space, reference = space_of(spec, op), References(spec)
    found = space.find(deviation)
    assert found is not None
    place = vector_ids(op)[vector]
    asked, unordered = space.asked[place], vectors_of(spec)[op][place].unordered
    wrong = answer(asked, [found], reference)
    assert not agree(space.op, answer(asked, (), reference), wrong, Level.BYTES, unordered)
