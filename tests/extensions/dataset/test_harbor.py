"""The real harbor runs every dataset, scripts and all, and gives what the manifest says."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conformance.oracle import environments
from tests.extensions.dataset.conftest import TABLES

SECONDS = 600
PROGRAM = Path(__file__).parents[3] / "tools" / "local_environment.py"

pytestmark = pytest.mark.oracle


@pytest.fixture(scope="module")
def jobs(folder, manifest, shared):
    """A folder of job directories, one for each dataset, as the pinned harbor leaves them; of all workers."""
    jobs, whole = shared.folder("dataset-jobs"), shared.root / "dataset-jobs.whole"
    with shared.alone(whole):
        if not whole.exists():
            datasets = [f"{folder / name}:{one.attempts}" for name, one in manifest.datasets.items()]
            done = subprocess.run(
                [str(environments.ensure(lambda _: None).python), str(PROGRAM), str(jobs), *datasets],
                env={name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
            assert done.returncode == 0, done.stderr[-2000:]
            whole.touch()
    return jobs


def test_check_finds_nothing_in_the_jobs_and_says_what_was_not_run(folder, jobs, cli) -> None:
    done = cli("check", "--dataset", folder, *sorted(jobs.iterdir()))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].startswith("clean: 179 trials, ")
    assert "not run" not in done.stdout
    done = cli("check", "--dataset", folder, jobs / "text")
    assert done.returncode == 0
    assert "\ndatasets that no job ran: json, files, " in done.stdout


@pytest.mark.parametrize("row", TABLES["figures"], ids=str)
def test_figures_that_the_trials_do_not_give_are_found_by_the_audit(jobs, cli, tmp_path, row) -> None:
    """Against a manifest or not: they follow from the trials."""
    name, member, value, kind = row.values()
    job = tmp_path / name
    shutil.copytree(jobs / name, job)
    result = json.loads((job / "result.json").read_text("utf-8"))
    evals = result["stats"]["evals"]
    ((key, group),) = evals.items()
    if member is None:
        evals[value] = evals.pop(key)
    else:
        group[member] = value
    (job / "result.json").write_text(json.dumps(result, indent=4), "utf-8")
    report = json.loads(cli("check", "--json", job).stdout)
    assert kind in {finding["kind"] for finding in report["jobs"][0]["findings"]}


def test_check_names_the_task_and_the_rule(folder, jobs, cli, tmp_path) -> None:
    job = shutil.copytree(jobs / "text", tmp_path / "text")
    (path,) = job.glob("txt-minus-zero__*/result.json")
    path.write_text(path.read_text("utf-8").replace('"reward": -0.0', '"reward": 0.0'), "utf-8")
    done = cli("check", "--findings", 3, "--dataset", folder, job)
    assert done.returncode == 1
    assert re.search(r"task: +text/txt-minus-zero\n", done.stdout)
    assert re.search(r"vector: +harbor-0.13.1/reward/txt-minus-zero\n", done.stdout)
