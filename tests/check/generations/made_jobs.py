"""Small jobs in the form of each generation, counted here by code that knows neither audit nor reference."""

import json
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Files = dict[str, str]
FORMS = ("0.1.2", "0.4.0", "0.6.0", "0.6.2")
"""The first release of each generation of the job's file."""
AGENT, MODEL, SOURCE = "nop", "gpt", "bench"


@dataclass
class Made:
    """A trial."""

    name: str
    rewards: dict[str, float] | None
    exception: str | None = None
    task: str = ""
    source: str | None = SOURCE
    model: str | None = MODEL

    def record(self, form: str) -> dict[str, Any]:
        exception = None
        if self.exception is not None:
            exception = {
                "exception_type": self.exception,
                "exception_message": "",
                "exception_traceback": "",
                "occurred_at": "2025-11-11T01:00:00",
            }
        model = None if self.model is None else {"name": self.model, "provider": "p"}
        made = {
            "id": "00000000-0000-4000-8000-000000000000",
            "task_name": self.task or self.name.partition("__")[0],
            "trial_name": self.name,
            "trial_uri": "file:///trial",
            "task_id": {"path": "tasks/t"},
            "source": self.source,
            "task_checksum": "0",
            "config": {},
            "agent_info": {"name": AGENT, "version": "1", "model_info": model},
            "agent_result": None,
            "verifier_result": None if self.rewards is None else {"rewards": self.rewards},
            "exception_info": exception,
            "started_at": f"2025-11-11T00:00:00.{int(self.name.rpartition('__')[2]):06d}",
            "finished_at": "2025-11-11T01:00:00",
            "environment_setup": None,
            "agent_setup": None,
            "agent_execution": None,
            "verifier": None,
        }
        if form in ("0.6.0", "0.6.2"):
            made["step_results"] = None
        return made


@dataclass
class Group:
    """What is counted of a group."""

    trials: list[Made] = field(default_factory=list)

    def entry(self, form: str, metrics: bool) -> dict[str, Any]:
        lists: dict[str, dict[str, list[str]]] = {}
        errors: dict[str, list[str]] = {}
        for trial in self.trials:
            for key, value in (trial.rewards or {}).items():
                lists.setdefault(key, {}).setdefault(repr(value), []).append(trial.name)
            if trial.exception is not None:
                errors.setdefault(trial.exception, []).append(trial.name)
        total = sum(
            (Fraction(next(iter(trial.rewards.values()))) for trial in self.trials if trial.rewards),
            Fraction(0),
        )
        entry = {
            "n_trials": sum(trial.rewards is not None for trial in self.trials),
            "n_errors": sum(map(len, errors.values())),
            "metrics": [{"mean": float(total / len(self.trials))}] if metrics else [],
            "pass_at_k": {},
            "reward_stats": lists,
            "exception_stats": errors,
        }
        if form == "0.1.2":
            del entry["pass_at_k"]
        return entry


def result(trials: list[Made], form: str, metrics: bool = True) -> dict[str, Any]:
    """The job's file, its tasks all different. With `metrics` each group has its mean."""
    groups: dict[str, Group] = {}
    for trial in trials:
        key = "__".join(filter(None, (AGENT, trial.model, trial.source or "adhoc")))
        key = key.replace("/", "-") if form == "0.1.2" else key
        groups.setdefault(key, Group()).trials.append(trial)
    evals = {key: group.entry(form, metrics) for key, group in groups.items()}
    errored = sum(trial.exception is not None for trial in trials)
    totals = dict.fromkeys(("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd"))
    stats: dict[str, Any] = {"n_trials": len(trials), "n_errors": errored, "evals": evals}
    if form == "0.6.0":
        stats |= totals
    if form == "0.6.2":
        stats = {"n_completed_trials": len(trials), "n_errored_trials": errored}
        stats |= dict.fromkeys(("n_running_trials", "n_pending_trials", "n_cancelled_trials", "n_retries"), 0)
        stats |= {"evals": evals, **totals}
    made = {"id": "00000000-0000-4000-8000-000000000001", "started_at": "2025-11-11T00:00:00"}
    if form == "0.6.2":
        made["updated_at"] = "2025-11-11T02:00:00"
    return {**made, "finished_at": "2025-11-11T02:00:00", "n_total_trials": len(trials), "stats": stats}


def text(document: Any) -> str:
    return json.dumps(document, indent=4, ensure_ascii=False)


def files(document: Any, trials: list[Made], form: str, datasets: Any = None) -> Files:
    """A job's directory: its file, its configuration and its trials' records."""
    config = {"metrics": [], "datasets": [{"path": f"d/{SOURCE}"}] if datasets is None else datasets}
    records = {f"{trial.name}/result.json": text(trial.record(form)) for trial in trials}
    return {"result.json": text(document), "config.json": text(config), **records}


def some(count: int, first: int = 0, unscored: int = 10, passing: int = 3) -> list[Made]:
    """Trials of different tasks: every third passes, every tenth has no rewards and an exception."""
    made = []
    for number in range(first, first + count):
        rewards = None if number % unscored == 7 else {"reward": float(number % passing == 0)}
        exception = "AgentTimeoutError" if rewards is None or number % 11 == 0 else None
        made.append(Made(f"t{number}__{number:07d}", rewards, exception))
    return made
