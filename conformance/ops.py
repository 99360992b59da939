"""The operations of the runner protocol: each one's class, and where its messages hold numbers and files.

A path is a tuple of keys from the root of ``input`` or ``ok``; ``"*"`` stands for every key or index.
A number position may also hold a number's spelling as a string (PROTOCOL.md, "Numbers"). The schemas
``op-<op>.schema.json`` say the same at length; a test holds the two together.
"""

from dataclasses import dataclass

__all__ = ["CLASSES", "OPS", "Op", "Path"]

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Op:
    """One operation of the protocol."""

    name: str
    conformance_class: str
    """The class whose claim this op's vectors decide."""
    input_numbers: tuple[Path, ...] = ()
    ok_numbers: tuple[Path, ...] = ()
    ok_files: tuple[Path, ...] = ()
    """Where ``ok`` holds a file's content: compared as JSON below level ``bytes``."""
    ok_lines: tuple[Path, ...] = ()
    """Where ``ok`` holds a ``PREFIX=json`` line: compared as prefix and JSON below level ``bytes``."""


_USAGE = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")
_COUNTS = "n_total_trials n_retries"


def _usage(*places: str) -> str:
    """The paths of what an agent used, at each place."""
    return " ".join(f"{place}/agent_result/{name}" for place in places for name in _USAGE)


def _op(name: str, conformance_class: str, **paths: str) -> Op:
    split = {field: tuple(tuple(path.split("/")) for path in text.split()) for field, text in paths.items()}
    return Op(name, conformance_class, **split)


OPS: dict[str, Op] = {
    op.name: op
    for op in (
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
}

CLASSES: tuple[str, ...] = tuple(dict.fromkeys(op.conformance_class for op in OPS.values()))
