"""Times that harbor's own models read conform; others do not."""

import json
import subprocess

import pytest

from conformance.oracle import environments
from tests.extensions.audit.auditing import JOB, T0, edit, found, report
from tools.jobs.kept import JOBS, write

GOOD = """2024-02-29T00:00:00 2000-02-29T23:59:59.999999Z 0001-01-01T00:00:00
    9999-12-31T23:59:59.999999-23:59 2026-01-01T00:00:00+23:59"""
BAD = """2026-02-30T25:61:00Z 2026-02-29T00:00:00 1900-02-29T00:00:00 2026-04-31T00:00:00Z
    2026-13-01T00:00:00 2026-00-10T00:00:00 2026-01-00T00:00:00 0000-00-00T00:00:00 0000-01-01T00:00:00
    2026-01-01T24:00:00 2026-01-01T23:60:00 2026-01-01T23:59:60 2026-01-01T00:00:00+24:00
    2026-01-01T00:00:00+05:60"""
TIMES = {**dict.fromkeys(GOOD.split(), True), **dict.fromkeys(BAD.split(), False)}
"""Whether harbor 0.13.1 reads them, as its own models said; `test_harbor_says_the_same` asks them again."""

_ASK = """
import json, sys
from harbor.models.job.result import JobResult
from harbor.models.trial.result import TrialResult
job, trial, times = json.load(sys.stdin)
def reads(model, document, time):
    try:
        return bool(model.model_validate_json(json.dumps({**document, "started_at": time})))
    except ValueError:
        return False
told = {time: [reads(JobResult, job, time), reads(TrialResult, trial, time)] for time in times}
late = {**job, "started_at": "2026-01-02T00:00:00", "finished_at": "2026-01-01T00:00:00"}
told["late"] = [reads(JobResult, late, late["started_at"])] * 2
json.dump(told, sys.stdout)
"""


@pytest.mark.oracle
def test_harbor_says_the_same() -> None:
    documents = [json.loads(JOBS["pass-and-fail"][path]) for path in (JOB, f"{T0}/{JOB}")]
    done = subprocess.run(
        [str(environments.ensure(lambda _: None).python), "-s", "-c", _ASK],
        input=json.dumps([*documents, list(TIMES)]),
        capture_output=True,
        check=True,
        text=True,
        timeout=300,
    )
    due = {time: [read, read] for time, read in TIMES.items()}
    assert json.loads(done.stdout) == {**due, "late": [True, True]}


@pytest.mark.parametrize("file", [JOB, f"{T0}/{JOB}"])
def test_times(file, tmp_path) -> None:
    was = "2000-01-01T00:00:00" if file == JOB else "2000-01-01T00:00:00Z"
    folders = [write(JOBS["pass-and-fail"], tmp_path / str(number)) for number in range(len(TIMES))]
    for folder, time in zip(folders, TIMES, strict=True):
        edit(folder / file, (was, time))
    for (time, read), job in zip(TIMES.items(), report("--level", "value", *folders)["jobs"], strict=True):
        every = found(job, "kind", "file", "found", "path")
        places = [one[:3] for one in every if one[0] != "time"]  # the job and its trial are far apart
        assert places == ([] if read else [("schema", file, f'"{time}"')] * (3 if file == JOB else 10)), time
