"""Compares `check` with harbor itself loading the same trials: python -m tools.benchmarks.audit

For each size a job is made: trials of four attempts a task, in records and reward files as harbor
writes them. Then, each in a process of its own,

- harbor: the real one reads every record (`TrialResult.model_validate_json`), assembles the
  statistics, metrics and pass@k, and writes result.json; imports are not counted;
- check: `harbor-conformance check` audits the directory, start-up included, and must find nothing; once
  with the processes that it starts for a large job by itself;
- alone: the same in a single process (`--jobs 1`).

Times are seconds of the clock and of the processor; memory is the largest resident set.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from conformance.assessment.benchmarks import Figure
from conformance.oracle import environments
from tools.benchmarks.measuring import SECONDS, new_table, parse_options, report_figures, run_kit
from tools.jobs.kept import JOBS

ATTEMPTS = 4

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
stats = JobStats.from_trial_results(trials, n_total_trials=len(trials))
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
    "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
}))
"""


def write_job(folder: Path, count: int) -> None:
    """Writes a job with `count` trials, without its result."""
    files = JOBS["pass-and-fail"]
    record, config = files["t0__0000000/result.json"], files["config.json"]
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


def run_harbor(python: Path, folder: Path) -> dict[str, Any]:
    done = subprocess.run(
        [str(python), "-I", "-c", HARBOR, str(folder)], check=True, stdout=subprocess.PIPE, timeout=SECONDS
    )
    cost: dict[str, Any] = json.loads(done.stdout)
    return cost


def main() -> None:
    size = {"type": int, "default": 10_000, "help": "the smaller job; the larger has ten times as many"}
    chosen = parse_options(__doc__, 3, {"--trials": size})
    python = environments.ensure(lambda sentence: print(sentence, file=sys.stderr)).python
    results: dict[int, dict[str, dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        for count in (chosen.trials, 10 * chosen.trials):
            folder = Path(name) / str(count)
            write_job(folder, count)
            os.sync()
            rounds = [
                {
                    "harbor": run_harbor(python, folder),
                    "check": run_kit("check", folder)[0],
                    "alone": run_kit("check", "--jobs", 1, folder)[0],
                }
                for _ in range(chosen.rounds)
            ]
            results[count] = {
                subject: {key: min(round_[subject][key] for round_ in rounds) for key in costs}
                for subject, costs in rounds[0].items()
            }
    table = new_table(f"best of {chosen.rounds}", "trials", "who", "s", "s of processor", "MiB")
    for count, best in results.items():
        for subject, cost in best.items():
            cells = (f"{cost['clock']:.2f}", f"{cost['processor']:.2f}", f"{cost['memory'] / 2**20:.0f}")
            table.add_row(f"{count:,}", subject, *cells)
    small, large = results.values()
    print(f"peak of both processes: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MiB")
    processor = large["harbor"]["processor"] / large["alone"]["processor"]
    clock = large["harbor"]["clock"] / large["check"]["clock"]
    longer = large["alone"]["processor"] / small["alone"]["processor"]
    title = "harbor's processor time over that of check alone, the larger job"
    figures = [
        Figure(title, processor, "times", 5.0, at_most=False),
        Figure("memory of check, the larger job", large["check"]["memory"] / 2**20, "MiB", 200.0),
        Figure("harbor's time over check's, the larger job", clock, "times", 1.0, at_most=False),
        Figure("check of ten times the trials", longer, "times as long", 12.0),
    ]
    report_figures(chosen, "audit", figures, {"rounds": chosen.rounds, "results": results}, table)


if __name__ == "__main__":
    main()
