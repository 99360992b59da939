"""Random inputs for every op, drawn from random values; plain protocol values, as ``input`` holds them."""

from collections.abc import Callable
from typing import Any

from conformance.drawing.random_jobs import JobGenerator
from conformance.drawing.random_values import KEYS

__all__ = ["InputGenerator"]

_NAMES = ("agent", "oracle", "a__b", "x", "d", "x__d", "", "ds__", "m_", "gpt-4.1", "y/z", "名前", "a b", "0")
_CODES = (
    *("harbor_broker_connection_failed", "harbor_cancelled_error", "harbor_environment_start_timeout_error"),
    *("terminal_bench_broker_ref_missing", "terminal_bench_job_dir_missing", "terminal_bench_lease_expired"),
    *(
        "harbor_agent_timeout_error",
        "harbor_nonzero_exit",
        "harbor_result_invalid",
        "harbor_result_malformed",
    ),
    *("harbor_result_missing", "harbor_result_partial", "harbor_reward_empty", "harbor_reward_missing"),
    *("harbor_reward_parse_error", "harbor_submission_code_failed", "harbor_trial_failed"),
    *("harbor_trial_result_malformed", "harbor_trial_result_missing", "harbor_verifier_timeout_error"),
    *("agent_timeout_error", "cancelled_error", "canceled_error", "environment_start_timeout_error"),
    *("submission_code_failure", "verifier_timeout_error", "connection_refused", "connection_reset"),
    *("broker_connection", "reward_missing", "reward_empty", "reward_parse", "reward_malformed"),
    *("submission_code", "submission_runtime", "reward_file_empty_error", "reward_file_not_found_error"),
)


class InputGenerator(JobGenerator):
    """Draws inputs from one seeded source."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._draw: dict[str, Callable[[], Any]] = {
            "parse_reward": lambda: {"files": self.reward_files()},
            "terminal_bench_reward": lambda: {"exit_code": self._random.randrange(256)},
            "aggregate": self._aggregate,
            "evals_key": self._evals_key,
            "pass_at_k": self._pass_at_k,
            "multi_step_reward": self._multi_step_reward,
            "plan_trials": self._plan_trials,
            "resolve_metrics": self.resolve_metrics,
            "job_result": self.job_result,
            "pipeline": self.pipeline,
            "outcome": self._outcome,
            "reason_code": self._reason_code,
            "read_outcome": self._read_outcome,
        }

    @property
    def ops(self) -> tuple[str, ...]:
        """The ops that inputs can be drawn for."""
        return tuple(self._draw)

    def draw(self, op: str) -> Any:
        """One input for ``op``."""
        return self._draw[op]()

    def _aggregate(self) -> Any:
        one_key, number = self.chance(0.6), self.numbers()
        keys = [self.pick(KEYS) for _ in range(self.pick((2, 2, 3)))]
        rewards: list[Any] = []
        for _ in range(self._random.randrange(self.pick((3, 6, 12, 12, 41)))):
            if self.chance(0.07):
                rewards.append(None)
            elif one_key:
                rewards.append({"reward": number()})
            elif self.chance(0.5):
                rewards.append({key: number() for key in keys})
            else:
                rewards.append(self.rewards(number=number))
        return {"metric": self.pick(("mean", "mean", "mean", "sum", "sum", "max", "min")), "rewards": rewards}

    def _evals_key(self) -> Any:
        model, source = (None if self.chance(0.3) else self.pick(_NAMES) for _ in range(2))
        return {"agent": self.pick(_NAMES), "model": model, "source": source}

    def _pass_at_k(self) -> Any:
        tasks = [
            self.pick(("t", "u", "10", "9", "__proto__", "é")) + str(i)
            for i in range(self.pick((1, 2, 3, 7)))
        ]
        share, spoilt = self._random.random(), self.chance(0.15)
        trials = []
        for _ in range(self._random.randrange(self.pick((4, 30, 90)))):
            rewards: dict[str, Any] | None = {
                "reward": self.pick((1, 1.0) if self.chance(share) else (0, 0.0, -0.0))
            }
            if self.chance(0.05):
                rewards = None
            elif spoilt and self.chance(0.05):
                rewards = self.rewards()
            trials.append({"task": self.pick(tasks), "rewards": rewards})
        return {"trials": trials}

    def _step(self, keys: list[str], number: Callable[[], Any]) -> Any:
        minimum: Any = None
        if self.chance(0.3):
            minimum = number() if self.chance(0.5) else self.rewards(number=number)
        rewards = None
        if self.chance(0.85):
            rewards = {key: number() for key in keys} if self.chance(0.6) else self.rewards(number=number)
        return {
            "verifier_result": None if self.chance(0.15) else {"rewards": rewards},
            "exception": self.pick(("RuntimeError", "AgentTimeoutError")) if self.chance(0.15) else None,
            "min_reward": minimum,
        }

    def _multi_step_reward(self) -> Any:
        keys, number = ["reward", self.pick(KEYS)][: self.pick((1, 2))], self.numbers()
        steps = [self._step(keys, number) for _ in range(self._random.randrange(7))]
        return {"strategy": self.pick(("mean", "final", None)), "steps": steps}

    def _plan_trials(self) -> Any:
        tasks, agents = (
            [self.pick(("t1", "t2", "b", "a")) for _ in range(self._random.randrange(4))] for _ in range(2)
        )
        return {"n_attempts": self._random.randrange(-1, 5), "tasks": tasks, "agents": agents}

    def _reason_code(self) -> Any:
        if self.chance(0.35):
            return {"text": self.mutated(self._spelt_code())}
        return {"text": None if self.chance(0.02) else self.text()}

    def _spelt_code(self) -> str:
        """A known code, alias or phrase, in one of the spellings that people use."""
        code = str(self.pick(_CODES))
        joint = self.pick(("_", "-", " ", "", "\t", "_", "  "))
        if self.chance(0.2):
            code = (
                self.pick(("Error: ", "harbor_", "x", "\u2003", ""))
                + code
                + self.pick(("", ".", " at /a/b", "s"))
            )
        if self.chance(0.2):
            code = code.title()
        return code.replace("_", joint)

    def _read_outcome(self) -> Any:
        return {
            "stdout": "".join(
                self._stdout_line() + self.pick(("\n", "\n", "\r\n", "\r", "\x0b", "\x85", "\u2028", ""))
                for _ in range(self._random.randrange(4))
            ),
            "returncode": self.pick((0, 0, 0, 1, -9, 137)),
            "timed_out": self.chance(0.1),
        }

    def _stdout_line(self) -> str:
        if self.chance(0.2):
            return self.text()
        payload: dict[str, Any] = {
            "status": self.pick(("completed", "completed", "failed", "error", None, 1)),
            "score": self.pick(
                (0.0, 1.0, 0.5, 1, 0, -0.0, True, "1", None, 2, 1.0000000000000002, self.number())
            ),
            "reason_code": self.pick((None, "", 7, self.text(), "harbor_reward_empty", " ")),
            "total": 1,
        }
        for key in list(payload):
            if self.chance(0.05):
                del payload[key]
        text = self.json_text(payload if self.chance(0.97) else self.json_value())
        return str(self.pick(("BASE_BENCHMARK_RESULT=",) * 9 + (" BASE_BENCHMARK_RESULT=",))) + self.mutated(
            text
        )

    def _count(self) -> Any:
        if self.chance(0.8):
            return self._random.randrange(12)
        return self.pick(
            (None, "", "3", " 4 ", "٣", "3.7", 3.7, True, -1, [], {}, self.integer(), self.number())
        )

    def _metric(self) -> Any:
        if self.chance(0.05):
            return self.pick((None, [], "mean", "", 1, ["mean"], {}))
        keys = ("mean",) if self.chance(0.7) else ("max", "sum", "accuracy", "speed", "mean")
        value = (lambda: self.json_value(2)) if self.chance(0.08) else self._score
        return {self.pick(keys): value() for _ in range(self.pick((1, 1, 2, 3)))}

    def _score(self) -> float:
        """A metric's value: a share of a few trials, often half a trial, or any double."""
        if self.chance(0.5):
            return self.double()
        trials = self._random.randrange(1, 12)
        shift: float = self.pick((0, 0.5, 0.5, -0.5))
        return (self._random.randrange(trials + 1) + shift) / trials

    def _outcome(self) -> Any:
        if self.chance(0.01):
            return {"result.json": None}
        evals = {
            f"g{index}": {"metrics": [self._metric() for _ in range(self.pick((0, 1, 1, 1, 2)))]}
            for index in range(self._random.randrange(4))
        }
        stats = {
            "n_completed_trials": self._count(),
            "n_errored_trials": self.pick((0, 0, self._count())),
            "evals": evals,
        }
        result: dict[str, Any] = {"n_total_trials": self._count(), "stats": stats}
        for part in (result, stats):
            if self.chance(0.08):
                part[self.pick(sorted(part))] = self.json_value()
            if self.chance(0.05):
                del part[self.pick(sorted(part))]
        return {
            "result.json": self.content(self.mutated(self.json_text(result)) if self.chance(0.99) else "")
        }
