"""Jobs of the real harbor give no finding, however they are read."""

import json
import re
from pathlib import Path

import pytest

from conformance.extensions.audit import job
from conformance.extensions.audit.findings import kinds
from conformance.paths import DEFAULT_SPEC
from conformance.suite.clauses import statements
from conformance.suite.schemas import first_fault
from tests.extensions.audit.auditing import JOB, edit, report
from tools.jobs.kept import JOBS, write

HALF = [[*JOBS][::2], [*JOBS][1::2]]


def test_there_are_jobs_of_all_kinds() -> None:
    states = {name: json.loads(files[JOB])["finished_at"] is None for name, files in JOBS.items()}
    assert len(states) >= 50
    assert sum(states.values()) >= 4
    text = json.dumps(JOBS)
    assert "/playback" in text
    assert not any(word in text for word in ("/tmp/", "/home/", "/var/folders/"))


@pytest.mark.parametrize("names", HALF, ids=["even", "odd"])
@pytest.mark.parametrize(
    "how",
    ["whole", pytest.param("without configuration and lock", marks=pytest.mark.slow), "in another layout"],
)
def test_no_finding(how, names, tmp_path) -> None:
    """In another layout a record is not read the quick way; what is found of its text is all there is."""
    folders = [write(JOBS[name], tmp_path / name) for name in names]
    for folder in folders:
        for file in ("config.json", "lock.json") if how.startswith("without") else ():
            (folder / file).unlink()
        for record in folder.glob("*/result.json") if how.startswith("in") else ():
            edit(record, (": ", " :"))
    assert {job["path"]: job["counts"] for job in report(*folders)["jobs"] if job["counts"]} == {}


def test_results_and_records_are_what_their_schemas_say() -> None:
    schemas = {0: "result-json", 1: "trial-result"}
    for name, files in JOBS.items():
        for path, content in files.items():
            if path.endswith(JOB):
                assert first_fault(schemas[path.count("/")], json.loads(content)) is None, (name, path)


def test_kinds_and_clauses_are_known(written) -> None:
    assert all(kinds().values())
    document = report(written("pass-and-fail"))
    for kind in [*kinds(), "no such kind"]:
        document["jobs"][0]["counts"] = {kind: 1}
        assert (first_fault("check-report", document) is None) is (kind in kinds())
    sources = Path(job.__file__).parent.glob("*.py")
    named = {
        clause for path in sources for clause in re.findall(r'"(003-[0-9.]+-[a-z0-9-]+)"', path.read_text())
    }
    assert len(named) > 30
    assert named <= statements(DEFAULT_SPEC).keys()
