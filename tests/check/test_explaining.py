"""`check --explain`: how each kind of number comes about."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from types import ModuleType
from typing import Any

import pytest

from conformance.check.audit import Audit
from conformance.check.explaining import AskedError, Explanation, as_json, explained, lines, narrowed, wanted
from conformance.check.findings import Finding, Findings
from conformance.check.reading.limits import Limits
from conformance.check.report import Checked
from conformance.check.reporting.names import named
from conformance.check.submissions.discovery import JobPlace
from conformance.check.work import Terms, checked
from conformance.judging.comparison import Level
from conformance.paths import DEFAULT_SPEC
from conformance.suite.clauses import statements

Cli = Callable[..., "CompletedProcess[str]"]
Faults = Callable[[str, Any], list[str]]
Written = Callable[..., Path]

TERMS = Terms(Level.BYTES, keep_working=True)
GROUP = "/stats/evals/nop__d"
NUMBERS = ("metric", "counter", "total", "pass-at-k")


def mutations() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutations", Path(__file__).with_name("test_mutations.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mutations"] = module  # its dataclass asks for it
    spec.loader.exec_module(module)
    return module


MUTATIONS = mutations().MUTATIONS


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def explain(folder: Path, asked: str | None = None) -> Explanation:
    """The explanation of a place, or of the one finding there is."""
    place = JobPlace("job", str(folder))
    job = checked(place, TERMS)
    if asked is None:
        assert job.audit is not None
        (finding,) = job.audit.findings.ordered()
        asked = next(name for name, one in named(job) if one == finding)
    return explained(wanted(asked, [place], [job]), job.audit, Limits(), statements(DEFAULT_SPEC))


def said(explanation: Explanation) -> list[str]:
    """All but the head."""
    told = list(lines(explanation))
    return told[told.index("") + 1 :]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_every_finding_is_explained(mutation: Any, written: Written, faults: Faults) -> None:
    folder = written(mutation.job)
    mutation.change(folder)
    explanation = explain(folder)
    assert explanation.finding is not None
    assert explanation.steps
    assert faults("check-explanation", as_json(explanation)) == []
    assert all(line.isprintable() for line in lines(explanation))
    if explanation.finding.kind in NUMBERS and explanation.result is not None:
        assert explanation.finding.expected == explanation.result
        assert any(explanation.result in step.says for step in explanation.steps)


# Each kind of number


def test_a_mean(written: Written) -> None:
    assert said(explain(written("pass-at-k"), f"job:{GROUP}/metrics/0/mean")) == [
        "the reward of each of the 10 trials:",
        "    5  reward 0.0: t0__0000002, t0__0000004, t1__0000007, … 2 more",
        "    3  reward 1.0: t0__0000000, t1__0000001, t1__0000003",
        "    2  not scored, counts as 0: t1__0000005, t0__0000006",
        "their sum: 5 × 0.0 + 3 × 1.0 + 2 × 0 = 3.0",
        "the mean, over all trials: 3.0 / 10 = 0.3",
        "over the 8 scored trials alone it would be 0.375",
        "due: 0.3",
    ]


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("max", "the largest of them, the first of equal ones: "),
        ("min", "the smallest of them, the first of equal ones: "),
        ("sum", "their sum: "),
    ],
)
def test_other_metrics(name: str, last: str, written: Written) -> None:
    folder = written("all-metrics")
    metrics = json.loads((folder / "result.json").read_text())["stats"]["evals"]["nop__d"]["metrics"]
    index = next(number for number, one in enumerate(metrics) if name in one)
    explanation = explain(folder, f"job:{GROUP}/metrics/{index}/{name}")
    assert explanation.result == str(metrics[index][name])
    says = [step.says for step in explanation.steps]
    assert any(one.startswith(last) and explanation.result in one for one in says)


def test_a_sum_that_is_compensated(written: Written) -> None:
    """Twelve tenths: added plainly, rounding errors pile up."""
    folder = written("twelve-trials")
    for file in folder.glob("*/verifier/reward.txt"):
        file.unlink()
    for record in folder.glob("*/result.json"):
        document = json.loads(record.read_text())
        document["verifier_result"] = {"rewards": {"reward": 0.1}}
        record.write_text(json.dumps(document, indent=4))
    told = said(explain(folder, f"job:{GROUP}/metrics/0/mean"))
    (carried,) = (line for line in told if "plainly" in line)
    assert carried.startswith(
        f"added plainly from left to right it would be {sum_plainly(12)}; the sum of CPython"
    )
    assert "their sum: 12 × 0.1 = 1.2000000000000002" in told


def sum_plainly(count: int) -> float:
    total = 0.0
    for _ in range(count):
        total += 0.1
    return total


def test_rewards_of_several_keys(written: Written) -> None:
    folder = written("several-keys")
    (metric,) = json.loads((folder / "result.json").read_text())["stats"]["evals"]["nop__d"]["metrics"]
    key = next(iter(metric))
    explanation = explain(folder, f"job:{GROUP}/metrics/0/{key}")
    assert explanation.result == str(metric[key])
    assert f"has a number for each of them: {json.dumps(list(metric))}" in explanation.steps[0].says
    assert len(explain(folder, f"job:{GROUP}/metrics").steps) > len(explanation.steps)


def test_pass_at_k(written: Written) -> None:
    assert said(explain(written("pass-at-k"), f"job:{GROUP}/pass_at_k/2")) == [
        "2 tasks have 5 trials at least: k are the powers of two from 2 and the multiples of 5 up to that: "
        "2, 4, 5",
        "pass@2 of each task, 1 - product of (n - c - i) / (n - i) for i from 0 to 1:",
        "    1  5 trials, 1 passed: 1 - 4/5 × 3/4 = 0.3999999999999999: t0",
        "    1  5 trials, 2 passed: 1 - 3/5 × 2/4 = 0.7: t1",
        "pass@2, the mean over tasks: 1.0999999999999999 / 2 = 0.5499999999999999",
        "due: 0.5499999999999999",
    ]
    assert said(explain(written("fractions", "other"), f"job:{GROUP}/pass_at_k"))[0].startswith(
        "no pass@k: every trial needs one reward, 0 or 1"
    )


@pytest.mark.parametrize(
    ("path", "last"),
    [
        ("/n_total_trials", "planned, by lock.json where that is needed, else as many as are there: 10"),
        ("/stats/n_completed_trials", "every trial that ended counts, scored or not: 10"),
        ("/stats/n_errored_trials", "with an exception: 2"),
        ("/stats/n_cancelled_trials", "with CancelledError, each name once: 0"),
        ("/stats/n_running_trials", "a job that has finished runs no trial: 0"),
        ("/stats/n_pending_trials", "planned less completed, 0 at least: 10 - 10 gives 0"),
        ("/stats/n_retries", "nothing in the trials tells n_retries; it is taken as it stands"),
        (f"{GROUP}/n_trials", "n_trials of a group counts those with rewards, whatever they are: 8"),
        (f"{GROUP}/n_errors", "with an exception: 2"),
        ("/stats/n_input_tokens", "no trial reports any, so the total is null, not 0"),
        (
            "/stats/evals/other",
            "agent, model and dataset make the key, joined by __; without a model it is left out",
        ),
        ("/started_at", "no number of the job is at that place, or it is none that the trials give"),
    ],
)
def test_counters(path: str, last: str, written: Written) -> None:
    assert explain(written("pass-at-k"), f"job:{path}").steps[-1].says == last


def test_totals(written: Written) -> None:
    folder = written("tokens-and-cost")
    stats = json.loads((folder / "result.json").read_text())["stats"]
    for name in ("n_input_tokens", "cost_usd"):
        explanation = explain(folder, f"job:/stats/{name}")
        assert explanation.result == str(stats[name])
        assert explanation.steps[-1].says.endswith(f" = {stats[name]}")
        assert "added in the order of the file" in explanation.steps[-1].says


def test_lists(written: Written) -> None:
    folder = written("pass-at-k")
    change(folder / "result.json", '"t0__0000000",\n', "")
    told = said(explain(folder))
    assert "each scored trial is listed under its reward, in the order of the trials" in told
    assert told[-2:] == [
        "1 trials that the file lists otherwise:",
        '    1  listed nowhere, due under "1.0": t0__0000000',
    ]


def test_a_reward_file_and_its_record(written: Written) -> None:
    folder = written("pass-and-fail")
    trial = next(folder.glob("*/verifier")).parent.name
    (folder / trial / "verifier" / "reward.txt").write_text("0.25\x1b")
    told = said(explain(folder))
    assert any("verifier/reward.txt holds 5 bytes: '0.25\\\\x1b'" in line for line in told)
    assert any("by harbor's rules it gives VerifierOutputParseError" in line for line in told)
    assert told[0].startswith(f'the record of "{trial}" says: rewards {{"reward": ')
    assert told[-1].startswith('the job\'s result.json lists it in "nop__d" with rewards {"reward": ')


def test_steps(written: Written) -> None:
    folder = written("steps-mean")
    change(folder / "m__0000000" / "result.json", '"reward": 0.5', '"reward": 0.75')
    told = said(explain(folder))
    assert 'step "s0": {"reward": 1.0}' in told
    assert 'the mean over the verified steps, key by key, a missing key as 0: {"reward": 0.5}' in told


def test_trials_that_are_missing_or_too_many(written: Written) -> None:
    folder = written("pass-at-k")
    shutil.rmtree(folder / "t0__0000000")
    told = said(explain(folder))
    assert told[0] == 'there is no directory "t0__0000000"'
    assert told[1] == 'the job\'s result.json lists it in "nop__d" with rewards {"reward": "1.0"}'


def test_an_outcome_line(written: Written) -> None:
    folder = written("pass-and-fail")
    (folder / "job.log").write_text('BASE_BENCHMARK_RESULT={"score": 0.6}\n')
    told = said(explain(folder))
    assert '    1  {"mean": 0.5} of "nop__d"' in told
    assert "resolved, score × 2 planned trials, rounded half to even: 1" in told


def test_records_that_are_not_taken_as_they_are(written: Written) -> None:
    folder = written("pass-at-k")
    change(folder / "t0__0000000" / "result.json", '"reward": 1.0', '"reward": 0.0')
    (folder / "t0__0000000" / "verifier" / "reward.txt").write_text("0.0")
    change(folder / "result.json", '"n_trials": 8', '"n_trials": 9')
    place = JobPlace("job", str(folder))
    job = checked(place, TERMS)
    assert job.audit is not None
    assert {one.kind for one in job.audit.findings.ordered()} == {"counter", "record"}
    asked = wanted(f"job:{GROUP}/n_trials", [place], [job])
    told = said(explained(asked, job.audit, Limits(), {}))
    assert told[:2] == [
        "the report takes some trials as result.json lists or counts them, not as records have them:",
        "    1  taken so: t0__0000000",
    ]


def test_a_job_that_has_not_finished(written: Written) -> None:
    (step,) = explain(written("killed-half-way"), "job:/stats/n_errored_trials").steps
    assert step.says == "the job has not finished, so its numbers depend on timing, and nothing is worked out"


def test_long_lists_are_cut(written: Written) -> None:
    folder = written("pass-at-k")
    document = json.loads((folder / "t0__0000000" / "result.json").read_text())
    for number in range(300):
        name = f"x__{number:07}"
        (folder / name).mkdir()
        document["trial_name"] = name
        document["verifier_result"] = {"rewards": {"reward": number / 1000}}
        (folder / name / "result.json").write_text(json.dumps(document))
    explanation = explain(folder, f"job:{GROUP}/metrics/0/mean")
    assert len(explanation.steps[0].shares) == 200
    assert explanation.steps[0].left_out > 90
    assert len(said(explanation)) < 25
    assert len(json.dumps(as_json(explanation))) < 40_000


# What is asked


def places(*names: str) -> list[JobPlace]:
    return [JobPlace(name, name) for name in names]


def test_a_place_needs_one_job_alone() -> None:
    every = places("a", "a:/b", "c/d")
    assert narrowed("a:/stats", every) == every[:1]
    assert narrowed("a:/b:/stats", every) == every[1:2]
    assert narrowed("c/d:/stats", every) == every[2:]
    assert narrowed("0123", every) == every


def test_a_job_is_known_by_its_shortened_name(written: Written) -> None:
    """As the report has it: below the folder that all names are in; a whole name goes first."""
    every = [
        JobPlace(name, name, name.rpartition("/")[0])
        for name in ("b/l/s/1", "b/l/s/2", "b/l/t/1", "b/l/b/l/s/1")
    ]
    assert narrowed("s/2:/stats", every) == every[1:2]
    assert narrowed("b/l/s/1:/stats", every) == every[:1]
    assert narrowed("t/1:/stats", every) == every[2:3]
    with pytest.raises(AskedError, match="no job has the name"):
        narrowed("1:/stats", every)
    folder = written("pass-and-fail")
    place = JobPlace("b/l/s/2", str(folder), "b/l/s")
    for asked in ("s/2", "l/s/2", "b/l/s/2"):
        assert wanted(f"{asked}:/n_total_trials", [place], [checked(place, TERMS)]).path == "/n_total_trials"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("metric", "is no finding's name"),
        ("0123456789a", "is no finding's name"),
        ("nobody:/stats", "no job has the name before the colon"),
        ("ffff", "no finding's name begins with 'ffff'"),
    ],
)
def test_what_there_is_not(asked: str, words: str, cli: Cli, written: Written) -> None:
    done = cli("check", "--explain", asked, written("pass-and-fail"))
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_more_than_one_is_told() -> None:
    audit = Audit("job", Findings(Level.BYTES))
    for number in range(40):
        audit.findings.add(Finding("schema", f"t{number}", "", "", "", None))
    jobs = [Checked("job", audit)]
    first = Counter(name[0] for name, _ in named(jobs[0])).most_common(1)[0][0]
    with pytest.raises(AskedError, match="findings have names that begin with"):
        wanted(first, places("job"), jobs)


def test_no_more_jobs_are_audited_than_needed(written: Written) -> None:
    folder = written("pass-and-fail")
    change(folder / "result.json", '"mean": 0.5', '"mean": 0.6')
    place = JobPlace("job", str(folder))
    job = checked(place, TERMS)
    assert job.audit is not None
    ((name, _),) = named(job)

    def jobs() -> Any:
        yield job
        raise AssertionError("this one was not needed")

    assert wanted(name, [place, place], jobs()).name == name


def test_the_command(cli: Cli, written: Written, faults: Faults) -> None:
    folder = written("pass-and-fail")
    change(folder / "result.json", '"mean": 0.5', '"mean": 0.6')
    report = json.loads(cli("check", "--json", folder).stdout)
    name = report["jobs"][0]["findings"][0]["id"]
    done = cli("check", "--explain", name[:4], folder)
    assert done.returncode == 0
    assert "the mean, over all trials: 1.0 / 2 = 0.5" in done.stdout
    document = json.loads(cli("check", "--explain", name, "--json", folder).stdout)
    assert faults("check-explanation", document) == []
    assert (document["id"], document["result"], document["found"]) == (name, "0.5", "0.6")
