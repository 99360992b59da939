"""The real harbor runs every dataset, scripts and all, and gives what the manifest says."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance.check.dataset.judge import Finding, Judge, join_repeated
from conformance.check.dataset.manifest import Manifest
from conformance.oracle import environments

SECONDS = 600
Cli = Callable[..., "subprocess.CompletedProcess[str]"]
PROGRAM = Path(__file__).parents[3] / "tools" / "local_environment.py"


@pytest.fixture(scope="module")
def jobs(folder: Path, manifest: Manifest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of job directories, one for each dataset, as the pinned harbor leaves them."""
    jobs = tmp_path_factory.mktemp("jobs")
    python = environments.ensure(lambda _: None).python
    runs = [f"{folder / expected.name}:{expected.attempts}" for expected in manifest.datasets]
    done = subprocess.run(
        [str(python), str(PROGRAM), str(jobs), *runs],
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return jobs


def findings(manifest: Manifest, job: Path) -> Iterator[Finding]:
    court = Judge(manifest)
    for record in sorted(job.glob("*/result.json")):
        yield from court.trial(record.parent.name, json.loads(record.read_text("utf-8")))
    yield from court.finish(
        json.loads((job / "result.json").read_text("utf-8"), object_pairs_hook=join_repeated)
    )
    assert court.seen == [job.name]


@pytest.mark.oracle
def test_harbor_conforms_to_the_manifest(manifest: Manifest, jobs: Path) -> None:
    for expected in manifest.datasets:
        assert list(findings(manifest, jobs / expected.name)) == []


@pytest.mark.oracle
def test_check_finds_nothing_in_the_jobs_and_says_what_was_not_run(
    folder: Path, jobs: Path, cli: Cli
) -> None:
    every = sorted(jobs.iterdir())
    done = cli("check", "--dataset", folder, *every)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("level bytes: 12 clean\n")
    assert "not run" not in done.stdout
    done = cli("check", "--dataset", folder, jobs / "text")
    assert done.returncode == 0
    assert done.stdout.startswith("not run, and so not judged: json, files, ")


@pytest.mark.oracle
def test_check_finds_a_naive_sum(folder: Path, jobs: Path, cli: Cli, tmp_path: Path) -> None:
    job = tmp_path / "tenths"
    shutil.copytree(jobs / "tenths", job)
    result = job / "result.json"
    text = result.read_text("utf-8")
    assert text.count('"mean": 0.1\n') == 1
    result.write_text(text.replace('"mean": 0.1\n', '"mean": 0.09999999999999999\n'), "utf-8")
    report = json.loads(cli("check", "--json", "--dataset", folder, job).stdout)
    found = {finding["kind"]: finding["path"] for finding in report["jobs"][0]["findings"]}
    place = "/stats/evals/nop__tenths/metrics"
    assert found == {"dataset-job": place, "metric": f"{place}/0/mean"}


@pytest.mark.oracle
def test_check_names_the_task_and_the_rule(folder: Path, jobs: Path, cli: Cli, tmp_path: Path) -> None:
    job = tmp_path / "text"
    shutil.copytree(jobs / "text", job)
    (record,) = job.glob("txt-minus-zero__*/result.json")
    text = record.read_text("utf-8")
    assert text.count('"reward": -0.0') == 1
    record.write_text(text.replace('"reward": -0.0', '"reward": 0.0'), "utf-8")
    done = cli("check", "--findings", 3, "--dataset", folder, job)
    assert done.returncode == 1
    assert "task: text/txt-minus-zero\n" in done.stdout
    assert "vector: harbor-0.13.1/reward/txt-minus-zero\n" in done.stdout
    assert "(text/txt-minus-zero)\n" in done.stdout
    assert "note: the figures of text are not held to the manifest: a trial differs\n" in done.stdout
