"""A job held to the datasets' manifest: what conforms gives no finding, one change gives its own."""

from types import SimpleNamespace

import pytest

from conformance.extensions.audit.against_dataset import AgainstDataset
from conformance.extensions.audit.findings import Findings
from conformance.extensions.dataset.tasks import DATASETS
from conformance.judging.comparison import Level
from tests.extensions.dataset.conftest import TABLES


def shaped(value, name=None):
    """A record with attributes, as `records.Record` has them; the members of rewards stay keys."""
    if isinstance(value, list):
        return [shaped(one) for one in value]
    if not isinstance(value, dict) or name == "rewards":
        return value
    made = SimpleNamespace(**{key: shaped(one, key) for key, one in value.items()})
    made.steps = getattr(made, "step_results", None)
    return made


@pytest.fixture(scope="session")
def judge(manifest):
    def judged(trials):
        found = Findings(Level.BYTES)
        court = AgainstDataset(manifest, found)
        for folder, record in trials:
            court.trial(folder, shaped(record))
        court.finish()
        found.flush()
        return found.stored

    return judged


@pytest.fixture(scope="session")
def one(judge):
    def only(trials):
        (finding,) = judge(trials)
        return finding

    return only


def put(document, path, value):
    *parents, last = path.split(".")
    for key in parents:
        document = document[int(key) if isinstance(document, list) else key]
    document[last] = value


def trial_of(trials, task):
    return next(record for _, record in trials if record["task_name"] == task)


@pytest.mark.parametrize("name", [dataset.name for dataset in DATASETS])
def test_a_job_that_conforms_has_no_finding(name, conforming, judge) -> None:
    trials = conforming(name)
    assert judge(trials) == judge(reversed(trials)) == []


REWARD = "verifier_result.rewards.reward"


@pytest.mark.parametrize("row", TABLES["changes"], ids=str)
def test_one_change_in_a_trial_is_found_there_and_nowhere_else(row, conforming, one) -> None:
    dataset, task, path, value = row.values()
    trials = conforming(dataset)
    record = trial_of(trials, task)
    put(record, path, value)
    finding = one(trials)
    assert (finding.kind, finding.file) == ("dataset-task", f"{record['trial_name']}/result.json")
    place = {"exception_info.exception_type": "exception_info"}
    assert finding.path == f"/{place.get(path, path).replace('.', '/')}"
    assert finding.clause.startswith("003-")
    assert finding.found != finding.expected
    assert finding.likely
    assert finding.rule
    assert (finding.task == f"{dataset}/{task}") is ("agent" not in path)


def test_what_is_another_job_is_one_finding(conforming, one, judge) -> None:
    trials = conforming("tenths")
    extra = ("other__1", {"task_name": "other", "source": "tenths"})
    assert one([*trials, extra]).path == "/task_name"
    trials = conforming("binary")
    finding = one(trials[1:])
    assert finding.found == f"trials: 4 of {trials[0][1]['task_name']}"
    assert finding.expected == "5 trials of each task of binary"
    finding = one(trials[: len(trials) // 5])
    assert finding.likely == "The job was not run with 5 attempts (-k 5)."
    assert one([]).found == "no trial of the dataset"
    trials = conforming("tenths")
    for _, record in trials:
        record["source"] = None  # the task's name still finds the dataset
    assert "/task_name" not in {finding.path for finding in judge(trials)}
    trials = conforming("tenths") + conforming("files")
    assert judge(trials) == [], "a job over several datasets"


def test_the_kind_of_a_number_and_the_sign_of_zero_break_level_exact(conforming, judge) -> None:
    trials = conforming("text")
    for task, reward in (("txt-one", 1), ("txt-minus-zero", 0), ("txt-plus-one", 1.5)):
        put(trial_of(trials, task), REWARD, reward)
    found = {finding.task: finding.breaks for finding in judge(trials)}
    exact = dict.fromkeys(("text/txt-one", "text/txt-minus-zero"), Level.EXACT)
    assert found == {**exact, "text/txt-plus-one": Level.VALUE}
