"""How `check` compares with harbor itself loading the same trials: python tests/benchmarks/audit.py

For each size a job is made: trials of four attempts a task, in records and reward files as harbor
writes them. Then, each in a process of its own,

- harbor: the real one reads every record (`TrialResult.model_validate_json`), assembles the
  statistics, metrics and pass@k, and writes result.json; imports are not counted;
- check: `harbor-conformance check` audits the directory, start-up included, and must find nothing; once
  with the processes that it starts for a large job by itself, once with none.

Times are seconds of the clock and of the processor; memory is the largest resident set. Each
figure is told beside its aim.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from conformance.assessment.benchmarks import Figure, write_benchmark
from tools.jobs.kept import JOBS

ATTEMPTS = 4
WHO = ("harbor", "check", "alone")
SECONDS = 3600.0

HARBOR = """
import json, os, resource, sys, time
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
from pathlib import Path
from harbor.metrics.mean import Mean
from harbor.models.job.result import JobResult, JobStats
from harbor.models.trial.result import TrialResult
from harbor.utils.pass_at_k import compute_pass_at_k_by_evals
folder = Path(sys.argv[1])
clock, processor = time.perf_counter(), time.process_time()
names = sorted(path.name for path in folder.iterdir() if path.is_dir())
trials = [TrialResult.model_validate_json((folder / name / "result.json").read_text()) for name in names]
loaded = time.perf_counter()
stats = JobStats.from_trial_results(trials, n_total_trials=len(trials))
assembled = time.perf_counter()
for key in stats.evals:
    stats.evals[key].metrics = [Mean().compute([trial.verifier_result.rewards for trial in trials])]
for key, values in compute_pass_at_k_by_evals(trials).items():
    stats.evals[key].pass_at_k = values
moment = "2000-01-01T00:00:00"
job = JobResult(id="0" * 32, started_at=moment, updated_at=moment, finished_at=moment,
                n_total_trials=len(trials), stats=stats)
(folder / "result.json").write_text(job.model_dump_json(indent=4, exclude={"trial_results"}))
print(json.dumps({
    "clock": time.perf_counter() - clock,
    "processor": time.process_time() - processor,
    "from_trial_results": assembled - loaded,
    "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
}))
"""

CHECK = """
import json, resource, sys, time
from conformance.check.trials import helpers
from conformance.cli import main
if sys.argv.pop(1) == "alone":
    helpers.WORTH_IT = sys.maxsize
code = 0
try:
    main()
except SystemExit as stop:
    code = stop.code
usage = resource.getrusage(resource.RUSAGE_SELF)
children = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({
    "code": code,
    "processor": usage.ru_utime + usage.ru_stime + children.ru_utime + children.ru_stime,
    "memory": usage.ru_maxrss * 1024,
    "memory_of_a_helper": children.ru_maxrss * 1024,
}))
"""


def record_and_config() -> tuple[str, str]:
    """A trial's record and a job's configuration, from a job of the real harbor."""
    files = JOBS["pass-and-fail"]
    return files["t0__0000000/result.json"], files["config.json"]


def make(folder: Path, count: int) -> None:
    """Writes a job of `count` trials, without its result."""
    record, config = record_and_config()
    chance = random.Random(count)
    for index in range(count):
        task = f"task-{index % max(count // ATTEMPTS, 1):06d}"
        name = f"{task}__{index:07d}"
        passed = chance.random() < 0.4
        cost = round(chance.uniform(0.001, 2), 6)
        text = record.replace("t0__0000000", name).replace("datasets/d/t0", f"datasets/d/{task}")
        text = text.replace('"task_name": "t0"', f'"task_name": "{task}"')
        text = text.replace('"reward": 1.0', f'"reward": {float(passed)}')
        text = text.replace('"cost_usd": null', f'"cost_usd": {cost!r}', 1)
        text = text.replace('"n_input_tokens": null', f'"n_input_tokens": {chance.randrange(10**6)}', 1)
        (folder / name / "verifier").mkdir(parents=True)
        (folder / name / "result.json").write_text(text, encoding="utf-8")
        (folder / name / "verifier" / "reward.txt").write_text("1\n" if passed else "0\n")
    (folder / "config.json").write_text(config, encoding="utf-8")


def harbor(python: Path, folder: Path) -> dict[str, Any]:
    """The real harbor's turn."""
    done = subprocess.run(
        [str(python), "-I", "-c", HARBOR, str(folder)], check=True, stdout=subprocess.PIPE, timeout=SECONDS
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def check(folder: Path, who: str = "helped") -> dict[str, Any]:
    """The turn of `check`, `alone` in its process or with whatever helps it."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", CHECK, who, "check", str(folder)],
        check=True,
        stdout=subprocess.PIPE,
        timeout=SECONDS,
    )
    clock = time.perf_counter() - began
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if found["code"] != 0:
        sys.exit(f"check found something:\n{done.stdout.decode()[:4000]}")
    return {**found, "clock": clock}


def reference(folder: Path) -> float:
    """Seconds that the reference's statistics take over the same trials, loaded already."""
    from reference_impl import JobStatistics, Trial, VerifierResult
    from reference_impl.agent_result import AgentResult

    trials = []
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            said = json.loads((path / "result.json").read_bytes())
            agent = said["agent_result"]
            report = AgentResult(agent["n_input_tokens"], None, None, agent["cost_usd"])
            rewards = VerifierResult(said["verifier_result"]["rewards"])
            trials.append(
                Trial(said["task_name"], said["trial_name"], "d", "nop", None, rewards, None, report)
            )
    began = time.perf_counter()
    statistics = JobStatistics()
    for trial in trials:
        statistics.add(trial)
    return time.perf_counter() - began


def main() -> None:
    """Makes the jobs, measures, prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--trials", type=int, default=10_000, help="the smaller job; the larger has ten times as many"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where to make the jobs (default: a temporary folder)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write figures and times there too")
    options = parser.parse_args()
    from conformance.oracle import environments

    python = environments.ensure(lambda sentence: print(sentence, file=sys.stderr)).python
    results = {}
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        for count in (options.trials, 10 * options.trials):
            folder = Path(name) / str(count)
            make(folder, count)
            os.sync()
            rounds = [
                (harbor(python, folder), check(folder), check(folder, "alone")) for _ in range(options.rounds)
            ]
            best = {
                who: {
                    key: min(one[index][key] for one in rounds) for key in rounds[0][index] if key != "code"
                }
                for index, who in enumerate(WHO)
            }
            best["reference"] = {"from_trial_results": reference(folder)}
            results[count] = best
    for count, best in results.items():
        print(f"{count} trials, best of {options.rounds}:")
        for who in WHO:
            one = best[who]
            print(
                f"  {who:7} {one['clock']:8.2f} s   {one['processor']:8.2f} s of processor"
                f"   {one['memory'] / 2**20:6.0f} MiB"
            )
        for key in ("clock", "processor"):
            for who in WHO[1:]:
                print(f"  harbor / {who}, {key}: {best['harbor'][key] / best[who][key]:.1f}")
        print(
            f"  statistics alone: harbor {best['harbor']['from_trial_results']:.2f} s,"
            f" reference {best['reference']['from_trial_results']:.2f} s"
        )
    small, large = results.values()
    print(f"peak of both processes: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MiB")
    figures = [
        Figure(
            "harbor's processor time over that of check alone, the larger job",
            large["harbor"]["processor"] / large["alone"]["processor"],
            "times",
            5.0,
            at_most=False,
        ),
        Figure("memory of check, the larger job", large["check"]["memory"] / 2**20, "MiB", 200.0),
        Figure(
            "harbor's time over check's, the larger job",
            large["harbor"]["clock"] / large["check"]["clock"],
            "times",
            1.0,
            at_most=False,
        ),
        Figure(
            "check of ten times the trials",
            large["alone"]["processor"] / small["alone"]["processor"],
            "times as long",
            12.0,
        ),
    ]
    for figure in figures:
        print(figure.line())
    if options.json:
        write_benchmark(options.json, "audit", figures, {"rounds": options.rounds, "results": results})


if __name__ == "__main__":
    main()
