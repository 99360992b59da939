"""Jobs that published releases wrote: no finding; with one number changed, one at its place."""

import json
from pathlib import Path

import pytest

from conformance.extensions.audit.formats import JOB_FORMS, LIVE, RECORD_FORMS, Record, Report
from conformance.oracle import environments
from tests.extensions.audit.auditing import JOB, audited, edit, found, grave, report
from tools.jobs import described
from tools.jobs.kept import kept, key, releases, with_result, write
from tools.jobs.one_number import changes, finished, is_found
from tools.jobs.releases import written_by

FEW = ("0.4.0", "0.25.0", "0.26.0")
"""Releases of three of the job file's generations; what is quick is quick for these."""
EVERY = ("0.1.3", "0.1.45", "0.3.0", "0.4.0", "0.5.0", "0.6.2", "0.14.0", "0.25.0", "0.26.0")
"""Releases of which every number of some jobs is changed."""


def marked(release, *more):
    return pytest.param(release, *more, marks=() if release in FEW else pytest.mark.slow)


MEMBERS = json.loads(Path(described.__file__).with_name("members.json").read_text("utf-8"))


def generations(release):
    """Those of the job's file and of the records."""
    return [
        one
        for family in (JOB_FORMS, RECORD_FORMS)
        for one in family
        if key(one.name.split(" to ")[0]) <= key(release) <= key(one.name.split(" to ")[-1])
    ]


LAST = [*{tuple(one.name for one in generations(release)): release for release in releases()}.values()]
"""The last release of each pair of forms of the job's file and the records."""


def without_rewards(files):
    return {path: text for path, text in files.items() if "/verifier/" not in path}


def test_releases_of_each_generation_are_here() -> None:
    assert len(releases()) >= 20
    assert sum(key(release) < (0, 9) for release in releases()) >= 8
    here = {one.name for release in releases() for one in generations(release)}
    assert here == {one.name for one in (*JOB_FORMS, *RECORD_FORMS)}
    for release in releases():
        assert len(with_result(release)) >= 20
        for name, made in kept(release).items():
            assert "out_of_reach" not in made, (release, name)
            assert JOB in made["files"] or made["errors"], (release, name)


@pytest.mark.parametrize(
    ("release", "silent"), [*(marked(one, False) for one in releases()), *(marked(one, True) for one in LAST)]
)
def test_no_finding(release, silent, tmp_path) -> None:
    """Nor without reward files, in the last release of each form."""
    jobs = with_result(release)
    if silent:
        jobs = {name: without_rewards(files) for name, files in finished(release)}
    options = ["--level", "value"] if silent else []
    document = report(*options, *(write(files, tmp_path / name) for name, files in jobs.items()))
    job_generation, record_generation = (one.name for one in generations(release))
    for (name, files), job in zip(jobs.items(), document["jobs"], strict=True):
        assert grave(job) == [], name
        trials = [path for path in files if path.count("/") == 1 and path.endswith("/result.json")]
        assert job["trials"] == len(trials), name
        assert job["generations"][f"job file: {job_generation}"] == 1, name
        assert sum(job["generations"].values()) == 1 + len(trials), name
        assert any(record_generation in one for one in job["generations"]) or not trials, name
        assert sum(group["records"] for group in job["groups"]) == len(trials), name
        stated = json.loads(files[JOB])
        if len(job["groups"]) == 1:
            assert job["groups"][0]["planned"] == stated["n_total_trials"], name


@pytest.mark.once
@pytest.mark.parametrize(
    ("release", "all_of_them"),
    [
        *(pytest.param(release, False, marks=pytest.mark.slow) for release in LAST),
        *(pytest.param(release, True, marks=pytest.mark.release) for release in EVERY),
    ],
)
def test_a_number_changed_is_found_at_its_place(release, all_of_them, tmp_path) -> None:
    """All of some jobs, or each kind of number where the release has it first."""
    seen = {}
    for name, files in finished(release):
        for change in changes(files):
            if not all_of_them or name in ("attempts", "errors", "agents", "metrics", "slash", "package"):
                seen.setdefault(len(seen) if all_of_them else change.kind, (name, files, change))
    assert list(unfound(tmp_path / "whole", seen.values())) == []
    records = [] if all_of_them else [one for one in seen.values() if one[2].file != JOB]
    assert list(unfound(tmp_path / "alone", records, alone=True)) == []
    assert len(seen) > 10


def unfound(top, every, alone=False):
    """The changes that no finding of severity wrong names at its place.

    Those `alone` are of records whose reward files are not there; each is found in the record, or in what the
    job's file has of it. One in the job's file is the only finding, where there are no reward files.
    """
    kinds = []
    for number, (name, files, change) in enumerate(every):
        silent = change.kind == "invalid reward" or (name, change.kind) == ("steps-final", "step reward")
        if alone and ("/verifier/" in change.file or silent):
            continue  # only its reward file tells of a step that is not the last one, or an invalid reward
        there = without_rewards(files) if alone else files
        folder = write({**there, change.file: change.text}, top / str(number))
        kinds.append((name, change, folder, False))
        if change.file == JOB and not alone:
            folder = write({**without_rewards(files), JOB: change.text}, top / f"{number}-records")
            kinds.append((name, change, folder, True))
    told = report("--level", "value", *(folder for *_, folder, _ in kinds))["jobs"] if kinds else []
    for (name, change, _, single), job in zip(kinds, told, strict=True):
        expected = ((change.file, ""), (JOB, "/stats")) if alone else change.expected
        wrong = [one for one in job["findings"] if one["severity"] == "wrong"]
        if not is_found(job["findings"], expected) or (single and len(wrong) != 1):
            yield f"{name}: {change.kind}: {change.file}#{change.path}: {found(job)}"


@pytest.mark.parametrize("release", [*map(marked, releases())])
@pytest.mark.parametrize("keys", ["several-keys", "no-keys"])
def test_before_0_6_0_a_metric_takes_one_key_alone(release, keys, tmp_path) -> None:
    files, late = with_result(release).get(keys), key(release) >= key("0.6.0")
    if files is None:
        assert not late
        return
    document = json.loads(files[JOB])
    assert (document["finished_at"] is not None) is late
    document["finished_at"] = document["started_at"]
    folder = write({**without_rewards(files), JOB: json.dumps(document, indent=4)}, tmp_path)
    kinds = found(audited(folder, "--level", "value"), "kind")
    assert (("never-finishes",) in kinds) is not late


def test_each_published_release_has_the_members_of_its_generation() -> None:
    def modelled(model):
        """The members of a release's model, as its sources have them."""
        runs = (
            run for run in MEMBERS["models"][model] if key(run["first"]) <= key(release) <= key(run["last"])
        )
        return [name for name in next(runs, {}).get("members", ()) if name != LIVE]

    assert len(MEMBERS["releases"]) >= 72
    for release in MEMBERS["releases"]:
        job, record = generations(release)
        models = [
            modelled(one)
            for one in ("JobResult", "JobStats", "AgentDatasetStats", "TrialResult", "AgentContext")
        ]
        due = [*map(list, (job.job, job.stats, job.group, record.members(Record), record.members(Report)))]
        assert models == due, release


def test_a_file_between_two_generations_is_of_the_nearest(tmp_path) -> None:
    """One that lacks a member of its own, or has one of another generation's or of nobody."""
    last, first = (f"job file: {one.name}" for one in (JOB_FORMS[-1], JOB_FORMS[0]))
    late, early = with_result("0.26.0")["agents"], with_result("0.1.3")["agents"]
    total = '    "n_total_trials"'
    for number, (files, edits, expected) in enumerate(
        (
            (late, {'    "updated_at": "2000-01-01T00:00:00",\n': ""}, last),
            (late, {'"n_completed_trials"': '"n_trials"', '"n_errored_trials"': '"n_errors"'}, last),
            (late, {'"n_retries": 0': '"score": 1,\n        "n_retries": 0'}, last),
            (early, {total: f'    "updated_at": null,\n{total}'}, first),
            (early, {'"stats": {': '"agent_info": {},\n    "stats": {'}, first),
        )
    ):
        folder = write(files, tmp_path / str(number))
        edit(folder / JOB, *edits.items())
        assert expected in audited(folder)["generations"], number


@pytest.mark.oracle
def test_the_release_still_writes_the_same() -> None:
    """Of the release whose environment is there anyway; `python -m tools.jobs.releases` asks all of them."""
    python, few = environments.ensure(print).python, ("rewards", "attempts", "both-files", "unfinished")
    many = ("pass-at-k", "not-a-number", "resumed", "steps-gate", "agents-and-models")
    played = {name: described.ALL[name] for name in few} | {name: described.MANY[name] for name in many}
    due = {name: kept("0.13.1")[name] for name in few} | {name: kept("many")[name] for name in many}
    assert written_by(python, played) == due
