"""`check --explain`: how each kind of number comes about."""

import json
from collections import Counter

import pytest

from conformance.extensions.audit.discovery import JobPlace
from conformance.extensions.audit.explain import Target
from conformance.extensions.audit.explain import lines as explanation
from conformance.extensions.audit.reading import Number, parse, pointer, walk
from conformance.extensions.audit.report import Options
from conformance.extensions.audit.sources import Place
from conformance.extensions.audit.work import audit_place
from conformance.judging.comparison import Level
from tests.extensions.audit.auditing import JOB, T0, audited, edit, explained, found, put, report, run
from tools.jobs.kept import JOBS, kept, write

GROUP = "/stats/evals/nop__d"
NOT_OF_THE_TRIALS = ("n_retries", "scored", "schema_version")
"""What no trial tells, and what a script computes."""


def said(folder, place=""):
    """All but the head of what is said of a place, or of the one finding there is."""
    if not place:
        ((asked,),) = found(audited(folder), "id")
    return explained(f"{folder}:{place}" if place else asked, folder)


PLACES = {
    "pass-at-k": [
        f"{GROUP}/metrics/0/mean",
        f"{GROUP}/pass_at_k/2",
        "/n_total_trials",
        "/started_at",
        "/stats/cost_usd",
    ],
    "all-metrics": [f"{GROUP}/metrics/{one}" for one in ("0/mean", "1/max", "2/min", "3/sum")],
    "several-keys": (f"{GROUP}/metrics/0/a", f"{GROUP}/metrics/0", f"{GROUP}/metrics"),
    "killed-half-way": ("/stats/n_errored_trials",),
    "fractions": (f"{GROUP}/pass_at_k",),
}


@pytest.mark.parametrize("situation", PLACES)
def test_each_kind_of_number(situation, written, snapshot) -> None:
    folder = written(situation)
    assert "\n\n".join("\n".join([place, *said(folder, place)]) for place in PLACES[situation]) == snapshot


def test_a_sum_that_is_compensated(written) -> None:
    """Twelve tenths: added plainly, rounding errors pile up."""
    folder, plain = written("twelve-trials"), 0.0
    for record in folder.glob("*/result.json"):
        (record.parent / "verifier/reward.txt").unlink(missing_ok=True)
        put(record, **{"/verifier_result/rewards/reward": 0.1})
        plain += 0.1
    told = said(folder, f"{GROUP}/metrics/0/mean")
    (carried,) = (line for line in told if "from left to right" in line)
    assert carried.startswith(f"added from left to right they give {plain}; CPython 3.12's sum")
    assert "their sum: 12 × 0.1 = 1.2000000000000002" in told


def test_records_that_are_not_taken_as_they_are(written) -> None:
    file = written("pass-and-fail", "file")
    (file / T0 / "verifier/reward.txt").write_text("0.25\x1b")
    assert said(file) == ["it is a reward file that contradicts the trial's record"]
    folder = written("pass-at-k")
    edit(folder / T0 / JOB, ('"reward": 1.0', '"reward": 0.0'))
    (folder / T0 / "verifier/reward.txt").write_text("0.0")
    edit(folder / JOB, ('"mean": 0.3', '"mean": 0.35'))
    assert {*found(audited(folder), "kind")} == {("metric",), ("record",)}
    assert said(folder, f"{GROUP}/metrics/0/mean")[:2] == [
        "the report takes some trials from result.json, not from their records:",
        "    1  from result.json: t0__0000000",
    ]


@pytest.mark.slow
def test_long_lists_are_cut(written) -> None:
    folder = written("pass-at-k")
    document = json.loads((folder / T0 / JOB).read_text())
    for number in range(300):
        name = f"x__{number:07}"
        document |= {"trial_name": name, "verifier_result": {"rewards": {"reward": number / 1000}}}
        write({f"{name}/result.json": json.dumps(document)}, folder)
    told = said(folder, f"{GROUP}/metrics/0/mean")
    assert any(line.endswith(" more") for line in told)
    assert len(told) < 25


@pytest.mark.slow
@pytest.mark.parametrize("release", ["0.1.2", "0.4.0", "0.6.0", "0.9.0", "0.25.0", "0.26.0"])
def test_every_number_that_a_release_wrote_comes_out(release, tmp_path) -> None:
    count = 0
    for situation, made in kept(release).items():
        folder = write(made["files"], tmp_path / situation)
        place = JobPlace(situation, Place(str(folder)))
        job = audit_place(place, Options(Level.VALUE, keep_computation=True))
        if job.state != "finished":
            continue
        for path, value in walk(parse((folder / JOB).read_bytes())):
            if isinstance(value, Number) and path[-1] not in NOT_OF_THE_TRIALS:
                *told, result = explanation(Target(job, JOB, pointer(*path)), {})
                assert result == f"expected: {value.text}", (situation, path)
                assert any(value.text in line for line in told), (situation, path)
                count += 1
    assert count > 80


# What is asked


def test_a_job_is_known_by_its_name(tmp_path) -> None:
    """As the report has it: below the folder that all names are in; a whole name goes first."""
    counts = {"b/l/s/1": 2, "b/l/s/2": 12, "b/l/t/1": 10, "b/l/b/l/s/1": 5}
    situations = ("pass-and-fail", "twelve-trials", "pass-at-k", "fractions")
    for name, situation in zip(counts, situations, strict=True):
        write(JOBS[situation], tmp_path / name)

    def asked(place, folder=tmp_path):
        return run("--explain", f"{place}:/n_total_trials", folder)

    for place, count in {"s/2": 12, "t/1": 10, **counts}.items():
        assert asked(place).stdout.endswith(f"expected: {count}\n"), place
    write(JOBS["all-metrics"], tmp_path / "a:/b")
    assert asked("a:/b").stdout.endswith("expected: 3\n")
    done = asked("1")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "is neither a finding's name" in done.stderr


def test_what_there_is_not(written) -> None:
    folder = written("pass-and-fail")
    many = folder.parent / "many"
    for number in range(20):
        edit(written("pass-and-fail", f"many/{number}") / JOB, ('"mean": 0.5', f'"mean": 0.{number + 60}'))
    names = [one["findings"][0]["id"] for one in report(many)["jobs"]]
    twice = Counter(name[0] for name in names).most_common(1)[0][0]
    for asked, words, where in (
        ("metric", "is neither a finding's name", folder),
        ("0123456789a", "is neither a finding's name", folder),
        ("nobody:/stats", "is neither a finding's name", folder),
        ("ffff", "no findings have names that begin with 'ffff'", folder),
        (twice, "findings have names that begin with", many),
    ):
        done = run("--explain", asked, where)
        assert done.exit_code == 2
        assert words in done.stderr
