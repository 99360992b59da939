"""The files of a trial, and the job's `config.json`, member by member as the releases write them."""

from job_files import ZONED, Job, Json, Made, moment

GIT = "https://github.example/terminal-tasks/terminal-tasks.git"
COMMIT = "1a6ffa9674b571da0ed040c470cb40c4d85f9b9b"


# Files


def timing(began: float, ended: float, zoned: bool) -> Json:
    """When a phase began and ended."""
    return {"started_at": moment(began, zoned), "finished_at": moment(ended, zoned)}


def task_config(job: Job, trial: Made) -> Json:
    """A task in a configuration."""
    if job.packaged:
        made: Json = {"path": None, "git_url": None, "git_commit_id": None}
        made |= {"name": f"terminal-bench/{trial.task}", "ref": f"sha256:{sum(trial.task.encode()):064x}"}
    else:
        made = {"path": trial.task, "git_url": GIT, "git_commit_id": COMMIT}
        if job.release >= (0, 3):
            made |= {"name": None, "ref": None}
    return {**made, "overwrite": False, "download_dir": None, "source": job.source}


def agent_config(job: Job) -> Json:
    """The agent in a configuration."""
    own = job.agent in ("warp-drive", "my__agent")
    model = job.model if job.provider is None else f"{job.provider}/{job.model}"
    made: Json = {
        "name": None if own else job.agent,
        "import_path": "agents.own:OwnAgent" if own else None,
        "model_name": model,
        "override_timeout_sec": None,
    }
    if job.release >= (0, 3):
        made["override_setup_timeout_sec"] = None
    made |= {"max_timeout_sec": None, "kwargs": {"parser_name": "xml"} if job.agent == "terminus-2" else {}}
    return made if job.release < (0, 3) else {**made, "env": {}}


def environment_config(job: Job) -> Json:
    """Where trials ran."""
    made: Json = {"type": "daytona"}
    if job.release >= (0, 3):
        made["import_path"] = None
    made |= {"force_build": False, "delete": True, "override_cpus": None, "override_memory_mb": None}
    made["override_storage_mb"] = None
    if job.release >= (0, 3):
        made |= {"override_gpus": None, "suppress_override_warnings": False, "mounts_json": None, "env": {}}
    return {**made, "kwargs": {}}


VERIFIER: Json = {"override_timeout_sec": None, "max_timeout_sec": None, "disable": False}
MULTIPLIERS = ("agent", "verifier", "agent_setup", "environment_build")


def trial_config(job: Job, trial: Made) -> Json:
    """A trial's `config.json`."""
    made: Json = {
        "task": task_config(job, trial),
        "trial_name": trial.name,
        "trials_dir": f"jobs/{job.place.rpartition('/')[2]}",
        "timeout_multiplier": 1.0,
    }
    if job.release >= (0, 3):
        made |= {f"{name}_timeout_multiplier": None for name in MULTIPLIERS}
    made |= {"agent": agent_config(job), "environment": environment_config(job), "verifier": VERIFIER}
    if job.release >= (0, 3):
        made["artifacts"] = []
    return {**made, "job_id": job.id}


def job_config(job: Job) -> Json:
    """The job's `config.json`."""
    retry: Json = {
        "max_retries": 0,
        "include_exceptions": None,
        "exclude_exceptions": ["AgentTimeoutError", "RewardFileNotFoundError", "VerifierTimeoutError"],
        "wait_multiplier": 1.0,
        "min_wait_sec": 1.0,
        "max_wait_sec": 60.0,
    }
    made: Json = {
        "job_name": job.place.rpartition("/")[2],
        "jobs_dir": "jobs",
        "n_attempts": job.attempts,
        "timeout_multiplier": 1.0,
        "debug": False,
    }
    if job.release < (0, 3):
        running = {
            "type": "local",
            "n_concurrent_trials": job.concurrent,
            "quiet": False,
            "retry": retry,
            "kwargs": {},
        }
        made["orchestrator"] = running
    else:
        made |= {"n_concurrent_trials": job.concurrent, "quiet": False, "retry": retry}
    made |= {"environment": environment_config(job), "verifier": VERIFIER, "metrics": []}
    made["agents"] = [agent_config(job)]
    wanted: Json = {"task_names": None, "exclude_task_names": None}
    registry = {"name": None, "url": "https://registry.example/registry.json"}
    where: Json = {"registry": registry} if job.release < (0, 3) else {"ref": None, "registry_path": None}
    dataset = {**wanted, **where, "name": job.source, "version": "2.0", "overwrite": False}
    made["datasets"] = [{**dataset, "download_dir": None}] if job.source else []
    once = {trial.task: trial for trial in job.trials}.values()
    made["tasks"] = [] if job.source else [task_config(job, trial) for trial in once]
    return made


def traceback(exception: str, message: str) -> str:
    """About two kilobytes."""
    frame = '  File "/opt/venv/lib/python3.12/site-packages/harbor/trial/trial.py", line {}, in {}\n'
    inner = "    raise error from None\n    ~~~~~~^^^^^^^^^^^^^^\n"
    calls = "".join(frame.format(90 + 37 * i, f"_step_{i}") + inner for i in range(12))
    return f"Traceback (most recent call last):\n{calls}harbor.errors.{exception}: {message}\n"


def agent_result(job: Job, trial: Made, tokens: tuple[int, int, int, float]) -> Json:
    """What the agent reported."""
    made: Json = dict(
        zip(("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd"), tokens, strict=True)
    )
    if job.release >= (0, 23):
        made["model_usage"] = None
    made["rollout_details" if job.release >= (0, 1, 13) else "output_logprobs"] = None
    times = [round(1000 + 37.25 * i + tokens[2] % 977 / 7, 3) for i in range(30)]
    made["metadata"] = {"n_episodes": 30, "api_request_times_msec": times, "summarization_count": 0}
    return made


def record_of(job: Job, trial: Made) -> Json:
    """A trial's `result.json`."""
    zoned = job.release >= ZONED
    known = {"name": job.model, "provider": job.provider} if job.model else None
    if job.provider is None and job.release < (0, 6):
        known = None
    failed = None
    if trial.exception is not None:
        message = f"{trial.exception}: after 900.0 seconds ({trial.task}) “as told”"
        failed = {
            "exception_type": trial.exception,
            "exception_message": message,
            "exception_traceback": traceback(trial.exception, message),
            "occurred_at": moment(trial.ended - 20, job.release >= (0, 21)),
        }
    began, ended = trial.began, trial.ended
    part = (ended - began) / 8
    whole = trial.tokens is not None and not trial.steps
    task: Json = {"git_url": GIT, "git_commit_id": COMMIT, "path": trial.task}
    if job.packaged:
        task = {"org": "terminal-bench", "name": trial.task, "ref": f"sha256:{sum(trial.task.encode()):064x}"}
    made: Json = {
        "id": trial.id,
        "task_name": f"terminal-bench/{trial.task}" if job.packaged else trial.task,
        "trial_name": trial.name,
        "trial_uri": f"file:///home/user/jobs/{job.place.rpartition('/')[2]}/{trial.name}",
        "task_id": task,
        "source": job.source,
        "task_checksum": f"{sum(trial.task.encode()):064x}",
        "config": trial_config(job, trial),
        "agent_info": {"name": job.agent, "version": "2.0.0", "model_info": known},
        "agent_result": agent_result(job, trial, trial.tokens) if whole and trial.tokens else None,
        "verifier_result": None if trial.rewards is None else {"rewards": trial.rewards},
    }
    if job.release >= (0, 21):
        made["verifier_environment_mode"] = "shared"
    made["exception_info"] = failed
    made |= timing(began, ended, zoned)
    made["environment_setup"] = timing(began + part, began + 2 * part, zoned)
    made["agent_setup"] = timing(began + 2 * part, began + 3 * part, zoned)
    made["agent_execution"] = timing(began + 3 * part, began + 6 * part, zoned)
    made["verifier"] = timing(began + 6 * part, began + 7 * part, zoned) if trial.rewards else None
    if job.release >= (0, 5):
        made["step_results"] = steps_of(job, trial) or None
    return made


def steps_of(job: Job, trial: Made) -> list[Json]:
    """The steps of a trial of several."""
    return [
        {
            "step_name": f"step-{number}",
            "agent_result": agent_result(job, trial, trial.tokens) if trial.tokens else None,
            "verifier_result": {"rewards": {"reward": reward}},
            "exception_info": None,
            "agent_execution": timing(trial.began, trial.ended, True),
            "verifier": None,
        }
        for number, reward in enumerate(trial.steps, 1)
    ]
