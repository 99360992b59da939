"""Writes a leaderboard: submissions with jobs of many releases, most correct, some wrong in known ways.

    python -m tools.jobs.leaderboard DIR [--jobs 250] [--seed 0] [--small] [--audit]

`DIR/leaderboard` is the input of an audit; `DIR/manifest.json` lists the expected findings, and each
submission's roll-up. With `--audit`, `check` must find exactly what the manifest lists, with one process and
with two. This code is independent of the audit and the reference: it counts results itself, so that it
detects an audit that counts wrongly.
"""

import argparse
import datetime
import heapq
import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

from tools.jobs import faults
from tools.jobs.faults import FAULTS, OLD, PLAIN, SHAPES, Fault
from tools.jobs.model import BEGIN, Job, Json, Release, Trial, cpython_sum, record_of, result_of

LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
AGENTS = (
    *("terminus-2", "openhands", "claude-code", "mini-swe-agent", "codex", "gemini-cli", "goose"),
    *("Ångström", "my__agent", "warp-drive", "opencode"),
)
MODELS = (
    *(("anthropic", "claude-sonnet-4-5"), ("openai", "gpt-5.1-codex"), ("google", "gemini-3-pro-preview")),
    *(("openrouter", "moonshotai/kimi-k2-thinking"), ("together_ai", "智谱/GLM-4.6"), ("xai", "grok-4")),
    *(("fireworks_ai", "accounts/fireworks/models/minimax-m2"), ("openai", "gpt-5-nano@2025-08-07")),
)
EXCEPTIONS = ("AgentTimeoutError", "AgentTimeoutError", "AgentTimeoutError", "NonZeroAgentExitCodeError")
NO_REWARD = ("VerifierTimeoutError", "RewardFileNotFoundError", "DaytonaError", "RuntimeError")
FIRST = ("fix", "build", "train", "polyglot", "crack", "extract", "recover", "port", "schedule", "configure")
SECOND = ("git-server", "cython-ext", "qemu-alpine", "password-hash", "sqlite-gcov", "fasttext", "pypi_index")
THIRD = ("", "-extended-with-a-very-long-task-name", "__v2", ".large")
NEED_ONE_AND_ZERO = (faults.flipped, faults.unscored_as_zero, faults.wrong_pass, faults.excused)
"""The faults that need the rewards 1.0 and 0.0."""
Role = tuple[Fault | None, Release | None]
"""A job's fault or unusual shape, and the release that wrote it."""


def task_names(count: int) -> list[str]:
    names = [f"{a}-{b}{c}" for c in THIRD for b in SECOND for a in FIRST]
    return names[: count - 2] + names[-2:]


def assign_times(
    chance: random.Random, trials: list[Trial], concurrent: int, begin: float, retries: bool
) -> float:
    """Assigns times to trials, several of which run at once; returns when the last one ended."""
    free = [begin] * concurrent
    heapq.heapify(free)
    for trial in trials:
        begun = heapq.heappop(free) + 0.001 + chance.random() / 100
        if retries and chance.random() < 0.1:  # only the last try leaves files, and it started later
            begun += chance.uniform(100, 3000)
        trial.began = begun
        trial.ended = begun + chance.uniform(30, 1800)
        heapq.heappush(free, trial.ended)
    return max(trial.ended for trial in trials) if trials else begin


@dataclass(slots=True)
class Submission:
    """A submission's name, the results of its trials, and its jobs, by attempts."""

    folder: str
    agent: str
    provider: str | None
    model: str | None
    jobs: list[int]
    passes: float
    unscored: float = 0.006
    rewards: tuple[float, ...] = (1.0, 0.0)
    source: str | None = "terminal-bench"
    release: Release = OLD
    """The release of its ordinary jobs."""


def submissions(chance: random.Random, count: int) -> list[Submission]:
    """The submissions; on average, three of them have 10 jobs."""
    listed = []
    for number in range(count):
        agent, (provider, model) = AGENTS[number % len(AGENTS)], MODELS[number % len(MODELS)]
        folder = f"{agent}__{model.replace('/', '-')}-{number:02d}"
        jobs = ([1] * 5, [1] * 5, [1, 2, 2], [1] * 5, [5], [2, 3], [1] * 5, [5])[number % 8]
        # more attempts in fewer jobs
        entry = Submission(folder, agent, provider, model, list(jobs), chance.triangular(0.2, 0.95, 0.8))
        if number == 1:  # 39.8 % with unscored trials as zero, 73.4 % without
            entry.passes, entry.unscored = 0.734, 0.457
        elif number == 2:
            entry.rewards = (1, 0)
        elif number == 4:
            entry.rewards = (0.1, 0.2, 0.3, 0.7, 1 / 3, 0.00001)
        elif number == 5:
            entry.provider, entry.model = None, None
        elif number == 6:
            entry.source = "terminal-bench/terminal-bench-2"
        elif number == 7:
            entry.source = None
        elif number == 9:
            entry.source, entry.release = "terminal-bench/terminal-bench-2-1", (0, 21, 0)
        listed.append(entry)
    return listed


def trials_of(
    chance: random.Random, submission: Submission, tasks: Sequence[str], attempts: int, steps: bool
) -> list[Trial]:
    trials = []
    for attempt in range(attempts):
        for number, task in enumerate(tasks):
            hard = (number % 7 - 3) / 12
            exception = None
            rewards: dict[str, float] | None = {"reward": submission.rewards[0]}
            parts: list[float] = []
            if chance.random() > submission.passes + hard:
                rewards = {"reward": chance.choice(submission.rewards[1:])}
            if chance.random() < 0.137:
                exception = chance.choice(EXCEPTIONS)
            if chance.random() < submission.unscored:
                rewards, exception = None, chance.choice(NO_REWARD)
            elif steps and number % 10 == 3:
                parts = [1.0, float(chance.random() < 0.5)]
                rewards = {"reward": cpython_sum(parts) / 2}
            tokens = None
            if exception not in NO_REWARD and chance.random() < 0.97:
                used = chance.randrange(10**4, 10**7)
                tokens = (used, used // 3, used // 50, round(used / 700_000, 6))
            name = f"{task[:32]}__{''.join(chance.choices(LETTERS, k=7))}"
            trial = Trial(name, task, rewards, exception, tokens=tokens, steps=parts, attempt=attempt)
            trial.id = str(UUID(int=chance.getrandbits(128), version=4))
            trials.append(trial)
    return trials


def roles(small: bool, total: int) -> list[Role]:
    """The special feature of each job, if any, and its release."""
    which = 2 if small else 1
    listed: list[Role] = []
    for row in (*FAULTS, *SHAPES):
        listed += [(row[0], row[3])] * row[which]
    for plain in PLAIN:
        listed += [(None, plain[0])] * plain[which]
    return listed + [(None, None)] * max(total - len(listed), 0)


def can_have_role(role: Fault | None, attempts: int, submission: Submission) -> bool:
    """Whether a job of that submission can have the feature."""
    if role is faults.wrong_pass and attempts < 2:
        return False
    if submission.unscored > 0.1:
        return role is None
    if submission.rewards != (1.0, 0.0) and role in NEED_ONE_AND_ZERO:
        return False
    has_metrics = "/" not in (submission.source or "")
    return has_metrics or role not in (faults.stale_mean, faults.flipped)


def jobs(count: int, seed: int, small: bool) -> Iterator[Job]:
    chance = random.Random(seed)
    tasks = task_names(10 if small else 89)
    waiting = roles(small, count)
    chance.shuffle(waiting)
    count_made = 0
    entrants = submissions(chance, count)
    for submission in entrants:
        before: Job | None = None
        for attempts in submission.jobs:
            if count_made == count:
                return
            possible = [role for role in waiting if can_have_role(role[0], attempts, submission)]
            role = possible[0] if possible else (None, submission.release)
            if possible:
                waiting.remove(role)
            began = 86_400.0 * count_made + chance.randrange(80_000)
            job = made_job(chance, submission, role, tasks, attempts, began)
            if before is not None and role[0] is None and before.fault is None and count_made % 3 == 0:
                counted_again(job, before)
            yield job
            before = job
            count_made += 1


def counted_again(job: Job, before: Job) -> None:
    """Replaces a trial by a copy of one from the previous job."""
    twice = before.trials[0]
    job.trials = [twice, *(trial for trial in job.trials if (trial.task, trial.attempt) != (twice.task, 0))]
    job.result = result_of(job)
    job.records = {trial.name: record_of(job, trial) for trial in job.trials}
    job.records[twice.name] = record_of(before, twice)


def made_job(
    chance: random.Random,
    submission: Submission,
    role: Role,
    tasks: Sequence[str],
    attempts: int,
    began: float,
) -> Job:
    """One job of a submission."""
    fault, release = role[0], role[1] or submission.release
    steps = release >= (0, 13)
    if fault is faults.unscored_as_zero:
        trials = trials_of(chance, replace(submission, unscored=0.1), tasks, attempts, steps)
        trials[0].rewards = None
        trials[1].rewards = {"reward": 0.0}
    else:
        trials = trials_of(chance, submission, tasks, attempts, steps)
    if fault is faults.flipped:
        trials[0].rewards = {"reward": 0.0}
    if fault is faults.excused:
        trials[0].exception, trials[0].rewards = EXCEPTIONS[0], {"reward": 1.0}
    concurrent, retries = chance.choice((1, 4, 32, 100)), chance.random() < 0.2
    if chance.random() < 0.25 and len(trials) > 5:  # resumed: the earlier trials come first, in no order
        cut = chance.randrange(2, len(trials) - 2)
        before, after = trials[:cut], trials[cut:]
        ended = assign_times(chance, before, concurrent, began, retries)
        chance.shuffle(before)
        assign_times(chance, after, concurrent, ended + 4000, retries)
        trials = before + after
    else:
        assign_times(chance, trials, concurrent, began, retries)
    date = BEGIN + datetime.timedelta(seconds=began)
    path = f"submissions/terminal-bench/2.0/{submission.folder}/{date:%Y-%m-%d__%H-%M-%S}"
    names = (submission.agent, submission.provider, submission.model, submission.source)
    job = Job(path, release, trials, *names, len(trials), attempts, concurrent)
    if job.provider is None and job.release < (0, 6):
        job.model = None
    job.id = str(UUID(int=chance.getrandbits(128), version=4))
    job.build()
    if fault is not None:
        job.fault = fault.__name__
        fault(job, chance)
    return job


def manifest_entry(job: Job) -> Json:
    return {
        "release": ".".join(map(str, job.release)),
        "state": job.state,
        "fault": job.fault,
        "findings": job.find,
        "trials": len(job.records),
    }


def rolled_up(submitted: Sequence[Job], tasks: int) -> Json:
    """A submission's numbers, from the existing records; a trial in two jobs counts twice."""
    trials = [trial for job in submitted for trial in job.trials]
    scored = [trial for trial in trials if trial.rewards is not None]
    counts = Counter(trial.name for trial in trials)
    doubles = sorted(name for name, count in counts.items() if count > 1)
    return {
        "jobs": len(submitted),
        "records": len(trials),
        "scored": len(scored),
        "sum": cpython_sum([value for trial in scored for value in (trial.rewards or {}).values()]),
        "exceptions": sum(trial.exception is not None for trial in trials),
        "tasks": tasks,
        "tries": dict(Counter(trial.task for trial in trials)),
        "doubles": doubles,
    }


def make(top: Path, count: int = 250, seed: int = 0, small: bool = False) -> Json:
    """Writes a leaderboard and its manifest; returns the manifest."""
    top.mkdir(parents=True, exist_ok=True)
    manifest: Json = {"jobs": {}, "submissions": {}}
    together: dict[str, list[Job]] = {}
    for job in jobs(count, seed, small):
        job.write(top / "leaderboard")
        manifest["jobs"][job.place] = manifest_entry(job)
        job.records, job.raw, job.result = {}, {}, {}
        together.setdefault(job.place.rpartition("/")[0], []).append(job)
    for name, submitted in together.items():
        metadata = f"agent_url: https://agent.example\nagent_display_name: {submitted[0].agent}\n"
        metadata += f"models:\n  - model_name: {json.dumps(submitted[0].model, ensure_ascii=False)}\n"
        (top / "leaderboard" / name / "metadata.yaml").write_text(metadata, encoding="utf-8")
        manifest["submissions"][name] = rolled_up(submitted, 10 if small else 89)
    (top / "manifest.json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False), encoding="utf-8")
    return manifest


def findings(job: Json) -> Counter[tuple[str, ...]]:
    names = ("severity", "kind", "file", "path")
    return Counter(tuple(finding[name] for name in names) for finding in job["findings"])


def audit(top: Path, manifest: Json, processes: str) -> None:
    """Audits a leaderboard; ends the program if the findings differ from the manifest's."""
    words = ["-c", "from conformance.cli import main; main()", "check", "--json", "--level", "value"]
    words += ["--jobs", processes, str(top / "leaderboard")]
    began = time.monotonic()
    done = subprocess.run([sys.executable, *words], stdout=subprocess.PIPE, check=False)
    actual = {job["path"]: findings(job) for job in json.loads(done.stdout)["jobs"]}
    wanted = {path: findings(job) for path, job in manifest["jobs"].items()}
    if wrong := sorted(path for path in actual | wanted if actual.get(path) != wanted.get(path)):
        sys.exit(f"not judged as the manifest says: {', '.join(wrong)}")
    seconds = time.monotonic() - began
    print(f"{len(actual)} jobs judged as the manifest says, by {processes}, in {seconds:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--small", action="store_true", help="40 jobs of ten tasks")
    parser.add_argument("--audit", action="store_true", help="compare the findings with the manifest")
    options = parser.parse_args()
    count = options.jobs or (40 if options.small else 250)
    manifest = make(options.folder, count, options.seed, options.small)
    trials = sum(job["trials"] for job in manifest["jobs"].values())
    wrong = sum(bool(job["findings"]) for job in manifest["jobs"].values())
    print(f"{len(manifest['jobs'])} jobs, {trials} trials, {wrong} of them with something to find")
    for processes in ("1", "2") if options.audit else ():
        audit(options.folder, manifest, processes)


if __name__ == "__main__":
    main()
