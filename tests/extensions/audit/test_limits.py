"""Whatever a job holds, it takes bounded time and memory; a limit is named where it is met."""

import json
import subprocess
import sys

import pytest

from conformance.extensions.audit.reading import Limits, depth_of, parse, pointer, repeated, show
from conformance.wire.untrusted_files import MIB
from tests.extensions.audit.auditing import JOB, T0, audited, edit, found, judged, run
from tools.jobs import hostile

RECORD = f"{T0}/{JOB}"


def large(folder, **limits):
    """What is found to be too large: the file, its size, and what is allowed."""
    every = judged(folder, **limits).findings.stored
    return [(one.file, one.found, one.expected) for one in every if one.kind == "too-large"]


def test_a_file_beyond_a_limit_is_named_with_the_limit(written) -> None:
    folder = written("pass-and-fail")
    for name, limit, most in (
        ("config.json", "record_bytes", 2000),
        (RECORD, "record_bytes", 3000),
        (JOB, "job_bytes", 1000),
        (f"{T0}/verifier/reward.txt", "reward_bytes", 1),
    ):
        told = {file: expected for file, _, expected in large(folder, **{limit: most})}
        assert told[name] == f"at most {most} bytes (--limits 2 allows it)"


@pytest.mark.parametrize("file", [RECORD, JOB, "config.json", "lock.json"])
def test_too_many_values_cost_the_file(file, tmp_path) -> None:
    folder, piece = tmp_path / "job", "[]"
    if file == RECORD:
        hostile.wide_record(folder, 4 * MIB, piece)
    else:
        hostile.wide(folder, file, 4 * MIB, piece)
    if file == "lock.json":  # it is read where the number of planned trials is not that of the trials
        edit(folder / JOB, ('"n_total_trials": 2', '"n_total_trials": 3'))
        notes = judged(folder, file_values=100_000).findings.notes
        assert any(note.startswith("lock.json is not checked: ") for note in notes)
        return
    ((name, _, allowed),) = large(folder, file_values=100_000)
    assert name == file
    assert "--limits " in allowed


def test_a_job_beyond_a_limit_is_not_judged_to_the_end(written) -> None:
    folder = written("pass-and-fail")
    (folder / "config.json").write_text("nonsense")
    for limit, most, sentence in (
        ("all_bytes", 4000, "the job has more than 4000 bytes, counted up to t"),
        ("all_rewards", 1, "the job has more than 1 rewards, counted up to t"),
        ("trials", 1, "result.json lists more than 1 trials"),
    ):
        job = judged(folder, **{limit: most})
        assert job.problem.startswith(sentence)
        assert job.problem.endswith("; --limits 2 doubles the limits")
        assert [kind for kind, _ in job.findings.counts] == ["not-json"]


@pytest.mark.slow
def test_what_is_listed_and_counted_over_all_trials(tmp_path, written) -> None:
    names, others = tmp_path / "names", tmp_path / "others"
    hostile.listed(names, 5000, "names")
    sentence = "result.json lists more than 4000 trials; --limits 2 doubles the limits"
    assert judged(names, trials=4000).problem == sentence
    assert judged(names).total > 0
    hostile.many_trials(others, 50, '{"trial_name": 1, "a": [1, 2, 3, 4, 5, 6, 7, 8]}')
    problem = judged(others, all_values=300).problem
    assert "more than 300 values in files that are not as harbor writes them" in problem
    judged(others, all_values=3000)


@pytest.mark.parametrize("layout", [None, (",", ":")])
def test_steps_and_rewards_of_one_trial(layout, tmp_path) -> None:
    hostile.many_steps(tmp_path / "steps", 31)
    hostile.many_keys(tmp_path / "rewards", 31, RECORD)
    for name, limits in (("steps", {"steps": 30}), ("rewards", {"reward_keys": 30})):
        record = tmp_path / name / RECORD
        record.write_text(json.dumps(json.loads(record.read_text()), indent=4, separators=layout))
        due = (RECORD, f"31 {name}", f"at most 30 {name} (--limits 2 allows it)")
        assert large(tmp_path / name, **limits) == [due]


@pytest.mark.slow
def test_differences_beyond_a_number_are_not_looked_for(tmp_path) -> None:
    hostile.listed(tmp_path, 20_000, "groups")
    job = audited(tmp_path)
    assert job["total"] == 10_000
    assert "result.json differs in 10000 places; the rest of it is not compared" in job["notes"]


def test_an_option_raises_and_lowers_the_limits(written) -> None:
    folder = written("pass-and-fail")
    assert run("--limits", 2, folder).exit_code == 0
    done = run("--limits", "0.00001", "--findings", 5, folder)
    assert done.exit_code == 2
    assert "job: too-large config.json\n" in done.stdout
    assert "not judged" in done.stdout
    assert run("--limits", 0, folder).exit_code == 2
    raised = Limits().times(2)
    assert (raised.record_bytes, raised.trials, raised.entries) == (128 * MIB, 200_000, 4_000_000)
    (folder.parent / "large").write_bytes(b"x" * 100_000)
    assert "at most" in run("--limits", "0.00005", "--log", folder.parent / "large", folder).stdout


def test_every_text_of_a_finding_is_bounded(written) -> None:
    folder = written("pass-and-fail")
    hostile.write_value(folder / JOB, ("stats", "x" * 50_000), '"' + "y" * 50_000 + '"')
    (texts,) = found(audited(folder), "path", "found", "expected")
    assert max(map(len, texts)) < 5000
    assert len(pointer("k" * 50_000)) < 2000


def test_nesting_is_counted_outside_of_strings_and_repeated_keys_are_found() -> None:
    assert depth_of(b'[{"a": [' * 100 + b'"[[[[\\\\", "\\"{{"') == 300
    assert depth_of(b'["' + b"[" * 1000 + b'"]') == 1
    value = parse(b'{"a": [{"b": 1, "b": 2}], "a": {"c/d": {"e": 1, "e": 2, "e": 3}}}')
    assert repeated(value) == ["/a", "/a/0/b", "/a/c~1d/e"]
    assert show(value).startswith('{"a": {')


# Memory, measured


@pytest.mark.slow
@pytest.mark.parametrize("factor", [1, 0.1])
@pytest.mark.parametrize("name", hostile.COSTLY)
def test_peak_memory_is_bounded(name, factor, tmp_path) -> None:
    """Files an eighth as large as those of the kind, judged or refused."""
    maker = hostile.COSTLY[name]
    type(maker)(maker.func, **{**maker.keywords, "size": 8 * MIB})(tmp_path / "job")
    told = hostile.measured(tmp_path / "job", 100, "--limits", str(factor))
    assert told["code"] in (0, 1)
    assert told["mib"] < (450 if factor == 1 and name != "spaces-result" else 130), told


@pytest.mark.slow
def test_without_enough_memory_the_other_job_is_judged(tmp_path, written) -> None:
    good, bad = written("pass-and-fail", "good"), tmp_path / "bad"
    hostile.wide_record(bad, 40 * MIB, '"' + "x" * 1000 + '"')
    code = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({400 * MIB}, {400 * MIB}))\n"
    command = [sys.executable, "-c", code + hostile.CLI, "check", "--json", "--limits", "100"]
    with open(bad / RECORD, "ab") as file:
        file.truncate(800 * MIB)
    done = subprocess.run([*command, str(bad), str(good)], capture_output=True, check=False, timeout=300)
    first, second = json.loads(done.stdout)["jobs"]
    assert done.returncode == 1
    assert (first["problem"], found(first)[0][:2]) == (None, ("too-large", RECORD))
    assert (second["problem"], second["total"]) == (None, 0)
