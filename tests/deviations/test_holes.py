"""Holes that random misreadings showed: each is a deviation, and a vector catches it now."""

import pytest

from conformance.deviations import References, answer, space_of, touches
from conformance.deviations.space import vectors_of
from conformance.diagnosis.evidence import agree
from conformance.judging.comparison import Level
from conformance.registry.ops import OPS

STEP, TRIAL = "trials/*/step_results/*/agent_result", "trials/*/agent_result"
HOLES = {
    "job_result": [
        *(f"{STEP}/cost_usd:zero-is-null", f"{TRIAL}/cost_usd:at-least-0.0", f"{TRIAL}/n_cache_tokens:abs"),
        *(f"{TRIAL}/cost_usd:half-up-2", f"{TRIAL}/cost_usd:null-is-nan", f"{TRIAL}/cost_usd:round-8"),
        *(f"{TRIAL}/cost_usd:significant-6", f"{TRIAL}/cost_usd:infinite-is-absent"),
        *(f"{TRIAL}/n_cache_tokens:through-double", f"{TRIAL}/n_output_tokens:wrap-32"),
        *("trials/*/step_results:one-is-null", "trials/*/trial_name:strip", "trials/*/trial_name:cut-64"),
        "trials/*/agent_info/model_info/name:before-first-:",
        *("trials/*/agent_info/model_info/name:before-first-@", "trials/*/source:no-slash-after"),
        *("trials/*/source:nfc", "trials/*/trial_name:lower", "trials/*/trial_name:word-is-null"),
        *("trials/*/exception_info/exception_type:no-controls", "trials/*/agent_info/name:no-zero-widths"),
        *("trials/*/task_name:nbsp-is-blank", f"{TRIAL}/n_output_tokens:double-beyond-64-bits"),
        *(f"{STEP}/cost_usd:significant-15", "trials/*/exception_info:first-only"),
    ],
    "pipeline": [
        "trials/*/files/reward.json/@json/mean:negative-is-null",
        *("trials/*/files/reward.json/@json:nan-is-null", "trials/*/steps/*/min_reward/mean:of-percent"),
        *("trials/*/exception_info/exception_type:drop-newline", "trials/*/agent_info/name:empty-is-null"),
        "trials:sorted-by.steps",
    ],
    "multi_step_reward": [
        *("steps/*/min_reward/reward:is-absent", "steps/*/min_reward/*:nan-is-0"),
        *("steps/*/min_reward/*:clamp-01", "steps/*/min_reward/*:negative-is-absent"),
        *("steps/*/min_reward/*:above-1-of-percent", "steps/*/min_reward/*:round-6"),
        *("steps/*/exception:blank-is-null", "steps:sorted-by.name"),
    ],
    "parse_reward": ["files/reward.json/@json/reward:near-1-is-1"],
    "aggregate": ["rewards/*:keys-strip"],
    "outcome": [
        "result.json/@json/n_total_trials:round-9",
        "result.json/@json/stats/evals/*/metrics/*:no-null-members",
    ],
    "scores": ["trials/*/exception/type:word-is-null"],
    "harness.evaluate": [*("metrics/*/measure/raises/message:cut-255", "metrics:sorted-by.measure.returns")],
    "harness.json": ["cases/*/scores/*/scoring_duration_ms:round-3"],
    "read_outcome": ["stdout/@line/score:infinite-is-0"],
}


@pytest.mark.parametrize(("op", "hole"), [(op, hole) for op, holes in HOLES.items() for hole in holes])
def test_a_hole_is_closed_by_a_vector(op, hole) -> None:
    spec = OPS[op].spec
    space, reference = space_of(spec, op), References(spec)
    found = space.find(f"{op}:input/{hole}")
    assert found is not None

    def caught(request, vector):
        right, wrong = answer(request, (), reference), answer(request, [found], reference)
        return not agree(space.op, right, wrong, Level.BYTES, vector.unordered)

    every = zip(space.requests, vectors_of(spec)[op], strict=True)
    assert any(caught(request, vector) for request, vector in every if touches(found, request))
