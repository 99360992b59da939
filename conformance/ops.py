"""The operations of the runner protocol: each one's class, and where its messages hold numbers and files.

Those of harbor 0.13.1 stand here, those of the other specs in ``profile_ops``. The schemas
``op-<op>.schema.json`` say the same at length; a test holds the two together.
"""

from conformance.op import Op, Path, ops_of
from conformance.profile_ops import PROFILE_OPS

__all__ = ["OPS", "SPECS", "Op", "Path", "classes_of", "classes_text"]

_USAGE = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")
_COUNTS = "n_total_trials n_retries"


def _usage(*places: str) -> str:
    """The paths of what an agent used, at each place."""
    return " ".join(f"{place}/agent_result/{name}" for place in places for name in _USAGE)


_op = ops_of("harbor-0.13.1")

_HARBOR_OPS: tuple[Op, ...] = (
    _op("parse_reward", "reward", ok_numbers="rewards/*"),
    _op("terminal_bench_reward", "reward", input_numbers="exit_code", ok_files="reward.txt"),
    _op("aggregate", "aggregation", input_numbers="rewards/*/*", ok_numbers="*"),
    _op("evals_key", "job"),
    _op("pass_at_k", "pass-at-k", input_numbers="trials/*/rewards/*", ok_numbers="*"),
    _op(
        "multi_step_reward",
        "multi-step",
        input_numbers="steps/*/verifier_result/rewards/* steps/*/min_reward steps/*/min_reward/*",
        ok_numbers="verifier_result/rewards/* steps_run",
    ),
    _op("plan_trials", "job", input_numbers="n_attempts"),
    _op("resolve_metrics", "aggregation"),
    _op(
        "job_result",
        "job",
        input_numbers=f"{_COUNTS} {_usage('trials/*', 'trials/*/step_results/*')} "
        "trials/*/verifier_result/rewards/*",
        ok_files="result.json",
    ),
    _op(
        "pipeline",
        "job",
        input_numbers=f"{_COUNTS} {_usage('trials/*', 'trials/*/steps/*')} "
        "trials/*/steps/*/min_reward trials/*/steps/*/min_reward/*",
        ok_files="result.json",
        ok_lines="line",
    ),
    _op("outcome", "outcome", ok_lines="line"),
    _op("reason_code", "outcome"),
    _op("read_outcome", "outcome", input_numbers="returncode", ok_numbers="score"),
)

OPS: dict[str, Op] = {op.name: op for op in (*_HARBOR_OPS, *PROFILE_OPS)}
"""Every operation of every spec; a runner is asked those of the spec that it is checked against."""

SPECS: tuple[str, ...] = tuple(dict.fromkeys(op.spec for op in OPS.values()))
"""The specs that the kit knows: the values of ``--spec``, and the folders of ``vectors``."""


def classes_of(spec: str) -> tuple[str, ...]:
    """The classes of a spec, in the protocol's order."""
    return tuple(dict.fromkeys(op.conformance_class for op in OPS.values() if op.spec == spec))


def classes_text() -> str:
    """Every spec with its classes, for people."""
    return "; ".join(f"{spec}: {', '.join(classes_of(spec))}" for spec in SPECS)
