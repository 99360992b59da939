"""Random whole jobs: finished trials, with rewards or with the files of verifiers; and metrics to resolve."""

from typing import Any

from conformance.drawing.random_values import KEYS, ValueGenerator
from conformance.wire.numbers import spell

__all__ = ["JobGenerator"]

_WORDS = (
    "a",
    "b",
    "nop",
    "m",
    "x",
    "data",
    "adhoc",
    "ds__",
    "my__data",
    "a___b",
    "_",
    "__",
    "m_",
    "",
    "d\n",
    "é/名",
)
_SOURCES = (*_WORDS, "d", "d", "d", "e")
_TRIALS = (
    "t",
    "t__1",
    "",
    'q"\\/',
    "\x00\x08\x0c\x1f\x7f\x80",
    "\u2028\ufeff\uffff",
    "\U0001f600é",
    "<&>'",
    "tab\t",
)
_EXCEPTIONS = (
    "CancelledError",
    "AgentTimeoutError",
    "ValueError",
    "OSError",
    "cancellederror",
    "É",
    "10",
    "9",
)
_METRICS = ("mean", "max", "min", "sum")
_IDS = ("00000000-0000-0000-0000-000000000000", "0123abcd-ef01-4aaa-8bbb-0123456789ab")
_TIMES = (
    *("2000-01-01T00:00:00", "2026-02-28T23:59:59.000001", "2026-03-01T00:00:00.120000Z"),
    *("1999-12-31T23:59:59+02:00", "2024-02-29T12:00:00.999999-11:30", "0001-01-01T00:00:00Z"),
)
_COSTS = (0, 1, -0.0, 0.1, 0.1, 0.2, 0.3, 0.7, 1e-7, 1e16, 1e308, 2**53 + 1, "NaN", "Infinity")


class JobGenerator(ValueGenerator):
    """Draws the inputs of the ops that concern whole jobs."""

    def job_result(self) -> Any:
        """A job of finished trials, mostly of values that a few of them share."""
        values = self._values()
        keys = [self.pick(KEYS) for _ in range(self.pick((1, 1, 1, 2, 4)))]

        def rest() -> dict[str, Any]:
            rewards: dict[str, Any] | None = {}
            if self.chance(0.05):
                rewards = None
            elif self.chance(0.95):
                rewards = {key: self.pick(values) for key in keys if len(keys) == 1 or self.chance(0.7)}
            steps = None
            if self.chance(0.2):
                steps = [{"agent_result": self._usage()} for _ in range(self._random.randrange(4))]
            return {
                "step_results": steps,
                "verifier_result": None if self.chance(0.1) else {"rewards": rewards},
            }

        return self._job(rest)

    def pipeline(self) -> Any:
        """A job whose rewards are still in files."""
        kind, number = self._random.random(), self.numbers()

        def files() -> dict[str, Any] | None:
            if self.chance(0.1):
                return None
            if kind < 0.25:
                return {"reward.txt": {"text": self.pick(("1", "0", "1\n", "0\n"))}}
            if kind < 0.65 and self.chance(0.95):
                value = str(spell(number()))
                if self.chance(0.3):
                    return {"reward.txt": {"text": value + "\n"}}
                return {"reward.json": {"text": f'{{"reward": {value}}}'}}
            return self.reward_files()

        def rest() -> dict[str, Any]:
            if self.chance(0.8):
                return {"files": files(), "steps": None, "strategy": None}
            steps = [
                {
                    "files": files(),
                    "exception": self.pick(_EXCEPTIONS) if self.chance(0.15) else None,
                    "min_reward": self._gate(),
                    "agent_result": self._usage(),
                }
                for _ in range(self._random.randrange(4))
            ]
            # The agent of a multi-step trial reports by step.
            strategy = self.pick(("mean", "final", None))
            return {"agent_result": None, "files": None, "steps": steps, "strategy": strategy}

        return self._job(rest)

    def resolve_metrics(self) -> Any:
        """Datasets of every kind, some of one name."""
        kinds = ("mean", "max", "min", "sum", "uv-script")

        def metrics() -> list[str]:
            return [self.pick(kinds) for _ in range(self.pick((0, 0, 1, 2, 3)))]

        datasets = []
        for _ in range(self._random.randrange(6)):
            kind = self.pick(("local", "package", "registry"))
            name = self.pick(("d", "e", "adhoc", "my__data", "名", "10"))
            datasets.append(
                {
                    "name": f"o/{name}" if kind == "package" else name,
                    "kind": kind,
                    "metrics": metrics() if kind == "registry" else [],
                    "metric_py": self.chance(0.5),
                }
            )
        return {"datasets": datasets, "job_metrics": metrics()}

    def reward_files(self) -> dict[str, Any]:
        """What a verifier may leave, broken files included."""
        files: dict[str, Any] = {}
        kind = self._random.random()
        if kind < 0.5 or kind > 0.97:
            files["reward.txt"] = self.content(self.reward_text() if self.chance(0.97) else "")
        if kind >= 0.5:
            files["reward.json"] = self.content(self._reward_json() if self.chance(0.97) else "")
        return files if self.chance(0.99) else {}

    def _reward_json(self) -> str:
        if self.chance(0.1):
            return self.mutated(self.json_text(self.json_value()))
        mostly = self._random.random()
        members = {
            self.pick(KEYS): self.number() if self.chance(mostly) else self.json_value()
            for _ in range(self._random.randrange(1, 4))
        }
        return self.mutated(self.json_text(members))

    def _values(self) -> list[Any]:
        share = self._random.random()
        if share < 0.3:
            return [0, 1, 0.0, 1.0, -0.0]
        if share < 0.5:
            return [self.double() for _ in range(5)] + [0, 1]
        if share < 0.75:
            number = self.numbers()
            return [number() for _ in range(self.pick((3, 8)))]
        values = [self.number() for _ in range(self.pick((2, 6)))]
        if self.chance(0.8):  # else most jobs would end with an OverflowError
            values = [v if isinstance(v, str) or abs(v) < 10**300 else 1 for v in values]
        return values

    def _gate(self) -> Any:
        if self.chance(0.7):
            return None
        gate = self.pick((0, 1, 0.5, -0.0, "NaN", "-Infinity", 2**53 + 1))
        return gate if self.chance(0.5) else {self.pick(KEYS): gate}

    def _usage(self) -> Any:
        if self.chance(0.3):
            return None
        counts = ("n_input_tokens", "n_cache_tokens", "n_output_tokens")
        usage = {name: self.pick((None, 0, 1, 7, 2**53 + 1, 2**63 - 1, 10**20)) for name in counts}
        return usage | {"cost_usd": None if self.chance(0.4) else self.pick(_COSTS)}

    def _job(self, rest: Any) -> dict[str, Any]:
        """A job, each trial of which ``rest`` completes."""
        agents, sources = (
            [self.pick(options) for _ in range(self.pick((1, 1, 2, 4)))] for options in (_WORDS, _SOURCES)
        )
        models = [None, None, *(self.pick(_WORDS) for _ in range(2))]
        tasks = [f"task-{index}" for index in range(self.pick((1, 1, 2, 5)))]
        datasets = {*sources, *(name.split("__")[-1] for name in sources), "adhoc", "_d"}
        count = self._random.randrange(1, 41) if self.chance(0.3) else self._random.randrange(1, 9)
        trials = []
        for index in range(count if self.chance(0.98) else 0):
            trial = {
                "task_name": self.pick(tasks),
                "trial_name": self.pick(_TRIALS) if self.chance(0.1) else f"t{index}",
                "source": None if self.chance(0.05) else self.pick(sources),
                "agent_info": {"name": self.pick(agents), "model_info": None},
                "agent_result": self._usage() if self.chance(0.5) else None,
                "exception_info": None,
            }
            model = self.pick(models)
            if model is not None:
                trial["agent_info"]["model_info"] = {"name": model}
            if self.chance(0.1):
                trial["exception_info"] = {"exception_type": self.pick(_EXCEPTIONS)}
            trials.append(trial | rest())
        return {
            "id": self.pick(_IDS),
            "started_at": self.pick(_TIMES),
            "updated_at": self.pick((*_TIMES, None)),
            "finished_at": self.pick((*_TIMES, None)),
            "n_total_trials": max(0, len(trials) + self.pick((0, 0, 0, 1, 5, -1))),
            "n_retries": self.pick((0, 0, 1, 7)),
            "metrics": {
                name: [self.pick(_METRICS) for _ in range(self.pick((0, 1, 1, 1, 2, 4)))]
                for name in sorted(datasets)
                if self.chance(0.85)
            },
            "trials": trials,
        }
