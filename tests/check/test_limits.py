"""Whatever a job holds, it takes bounded time and memory, and costs no other job its result."""

from __future__ import annotations

import errno
import importlib.util
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from types import ModuleType
from typing import Any

import pytest

from conformance.check import audit as audit_module
from conformance.check.audit import Audit, CouldNotTryError, audit
from conformance.check.findings import Findings
from conformance.check.job import outcome_lines
from conformance.check.reading import weight
from conformance.check.reading.json_files import NotJsonError, parse, pointer, repeated, show, walk
from conformance.check.reading.limits import DEEPEST, MIB, Limits, TooLargeError
from conformance.check.report import Checked
from conformance.check.reporting import Shown, as_json, report_lines
from conformance.dataset.manifest import ManifestError, load_manifest
from conformance.judging.comparison import Level

Cli = Callable[..., "CompletedProcess[str]"]
Written = Callable[..., Path]
Faults = Callable[[str, Any], list[str]]


def load_hostile_jobs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hostile_jobs", Path(__file__).with_name("hostile_jobs.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HOSTILE = load_hostile_jobs()
T0, T1 = "t0__0000000", "t1__0000001"
SMALL = [name for name in HOSTILE.KINDS if name not in HOSTILE.COSTLY]
CLEAN = {
    *(f"nested-240-arrays-{place}" for place in ("config", "config-metrics", "config-datasets", "lock")),
    *("nested-240-arrays-record-config", "nested-240-arrays-record-agent"),
    *("nested-700-objects-lock", "nested-5000-arrays-lock", "nested-700-reward"),
    *("sparse-lock", "sparse-log", "null-config", "ci-commands"),
}
"""Kinds without a finding: harbor could have left them, or a note says what is not looked at."""


def kinds(found: Audit) -> dict[str, int]:
    return dict(found.findings.counts)


def judged(folder: Path, **limits: int) -> Audit:
    return audit(str(folder), Level.BYTES, Limits(**limits))


def refused(folder: Path, **limits: int) -> CouldNotTryError:
    with pytest.raises(CouldNotTryError) as caught:
        judged(folder, **limits)
    return caught.value


# Every kind


@pytest.mark.parametrize("name", SMALL)
def test_every_hostile_kind_is_judged(name: str, tmp_path: Path, faults: Faults) -> None:
    folder = tmp_path / "job"
    HOSTILE.KINDS[name](folder)
    found = judged(folder)
    assert (found.findings.total() == 0) is (name in CLEAN), kinds(found)
    job = Checked(str(folder), found)
    report = json.loads(json.dumps(as_json([job], Level.BYTES, "harbor-0.13.1", {})))
    assert faults("check-report", report) == []
    assert len(json.dumps(report)) < 100_000
    for shown in (Shown(Level.BYTES), Shown(Level.BYTES, full=1000, every=True)):
        assert all(line.isprintable() for line in report_lines([job], shown, {}))


def test_there_are_many_kinds() -> None:
    assert len(SMALL) >= 100
    assert len(HOSTILE.COSTLY) >= 40
    assert HOSTILE.COSTLY.keys() < HOSTILE.KINDS.keys()


@pytest.mark.parametrize("levels", [500, 950, 100_000])
@pytest.mark.parametrize("opening", ["[", "{"])
def test_nested_json_costs_no_other_job_its_result(
    levels: int, opening: str, tmp_path: Path, written: Written, cli: Cli
) -> None:
    good = written("pass-and-fail", "good")
    folders = []
    for name in HOSTILE._NESTS:
        folders.append(tmp_path / name)
        HOSTILE._nests(folders[-1], *HOSTILE._NESTS[name], levels, opening)
    done = cli("check", "--json", *folders, good)
    assert "Traceback" not in done.stderr
    assert done.returncode == 1
    *bad, last = json.loads(done.stdout)["jobs"]
    assert (last["state"], last["total"], last["problem"]) == ("finished", 0, None)
    assert [job["problem"] for job in bad] == [None] * len(bad)
    assert [job["counts"] for job in bad] == [{"not-json": 1}] * (len(bad) - 1) + [{}]  # the lock is spare


@pytest.mark.parametrize(("levels", "due"), [(DEEPEST, True), (DEEPEST + 1, False)])
def test_as_deep_as_harbor_writes(levels: int, due: bool) -> None:
    content = HOSTILE.nested(levels).encode()
    if due:
        assert len(list(walk(parse(content)))) == levels + 1
    else:
        with pytest.raises(NotJsonError, match="261 levels are the most"):
            parse(content)


@pytest.mark.parametrize("levels", [499, 501, 994, 1498, 9999, 99_999])
def test_a_reward_file_that_some_pythons_read_is_not_judged(levels: int, written: Written) -> None:
    folder = written("pass-and-fail")
    (folder / T0 / "verifier" / "reward.json").write_text(HOSTILE.nested(levels))
    found = judged(folder)
    assert found.findings.total() == (levels < 500)
    assert any("hangs on Python's version" in note for note in found.findings.notes) is (levels > 500)


def test_a_caller_deep_in_its_stack(written: Written) -> None:
    folder = written("pass-and-fail")
    HOSTILE.put(folder / "config.json", ("metrics",), HOSTILE.nested(250))

    def deeper(left: int) -> str:
        if left:
            return deeper(left - 1)
        try:
            return str(judged(folder).findings.total())
        except CouldNotTryError as error:
            return str(error)

    deeper(0)  # everything is imported
    depth = len([*_frames()])
    for room in (150, 200, 300, 400):
        said = deeper(sys.getrecursionlimit() - depth - room)
        assert said == "0" or said.startswith("RecursionError while "), said


def _frames() -> Any:
    frame = sys._getframe()
    while frame is not None:
        yield frame
        frame = frame.f_back


# One job's trouble


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RecursionError("maximum recursion depth exceeded"),
        OSError(errno.EIO, "Input/output error"),
        UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"),
        OverflowError("int too large"),
        AssertionError(),
        KeyError("x"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_any_error_costs_one_job_alone(
    error: Exception, written: Written, cli: Cli, monkeypatch: pytest.MonkeyPatch, faults: Faults
) -> None:
    good, bad = written("pass-and-fail", "good"), written("pass-and-fail", "bad")
    (bad / "link").symlink_to("/")
    real = audit_module.explain

    def explain(job: Any, rows: Any, unread: Any) -> Any:
        if (bad / T0 / "mark").exists():
            (bad / T0 / "mark").unlink()
            raise error
        return real(job, rows, unread)

    monkeypatch.setattr(audit_module, "explain", explain)
    (bad / T0 / "mark").touch()
    done = cli("check", "--json", bad, good)
    report = json.loads(done.stdout)
    assert faults("check-report", report) == []
    assert done.returncode == report["exit_code"] == 2
    first, second = report["jobs"]
    sentence = f"{type(error).__name__} while holding result.json to the trials: this job could not be judged"
    assert (first["problem"], first["counts"], first["trials"]) == (sentence, {"symbolic-link": 1}, 2)
    assert (second["problem"], second["total"], second["state"]) == (None, 0, "finished")
    (bad / T0 / "mark").touch()
    shown = cli("check", bad, good)
    assert shown.returncode == 2
    assert f"not judged to the end: {sentence}\n" in shown.stdout
    assert "differs symbolic-link: 1; " in shown.stdout
    assert "1 clean, 1 not judged" in shown.stdout


def test_without_enough_memory_the_other_job_is_judged(tmp_path: Path, written: Written) -> None:
    resource = pytest.importorskip("resource")
    good, bad = written("pass-and-fail", "good"), tmp_path / "bad"
    HOSTILE._wide_record(bad, 40 * MIB, '"' + "x" * 1000 + '"')
    code = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({400 * MIB}, {400 * MIB}))\n"
    command = [sys.executable, "-c", code + HOSTILE.CLI, "check", "--json", "--limits", "100"]
    assert resource is not None
    big = bad / T0 / "result.json"
    with open(big, "ab") as file:
        file.truncate(800 * MIB)
    done = subprocess.run([*command, str(bad), str(good)], capture_output=True, check=False, timeout=300)
    first, second = json.loads(done.stdout)["jobs"]
    assert done.returncode == 2
    assert first["problem"].startswith(f'MemoryError while reading "{T0}/result.json"')
    assert (second["problem"], second["total"]) == (None, 0)


# The limits


def test_a_file_beyond_a_limit_is_named_with_the_limit(written: Written) -> None:
    folder = written("pass-and-fail")
    for name, limits in {
        "config.json": {"record_bytes": 2000},
        f"{T0}/result.json": {"record_bytes": 3000},
        "result.json": {"job_bytes": 1000},
        f"{T0}/verifier/reward.txt": {"reward_bytes": 1},
    }.items():
        found = [one for one in judged(folder, **limits).findings.ordered() if one.file == name]
        assert [one.kind for one in found] == ["too-large"], name
        assert found[0].expected == f"at most {next(iter(limits.values()))} bytes (--limits 2 allows it)"


@pytest.mark.parametrize("file", [f"{T0}/result.json", "result.json", "config.json", "lock.json"])
@pytest.mark.parametrize("piece", ["1", '"ab"', '{"a":1}', "[]", '"\U0001f600"'])
def test_values_that_take_too_much_memory_are_refused(piece: str, file: str, tmp_path: Path) -> None:
    folder = tmp_path / "job"
    if file.startswith(T0):
        HOSTILE._wide_record(folder, 5 * MIB // 4, piece)
    else:
        HOSTILE._wide(folder, file, 5 * MIB // 4, piece)
    (folder / T0 / "verifier" / "reward.txt").write_text("1" if file != "lock.json" else "0.5")
    found = judged(folder, file_memory=4 * MIB)
    if file == "lock.json":  # it is read where something is wrong
        result = folder / "result.json"
        result.write_text(result.read_text().replace('"mean": 0.5', '"mean": 0.6'))
        notes = judged(folder, file_memory=4 * MIB).findings.notes
        assert any(note.startswith("lock.json is not looked at: ") for note in notes)
        return
    (finding,) = (one for one in found.findings.ordered() if one.kind == "too-large")
    assert finding.file == file
    assert "values in 1 MiB" in finding.found
    assert "--limits " in finding.expected
    assert finding.clause is None
    assert not [one for one in judged(folder).findings.ordered() if one.kind == "too-large"]


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ({"all_bytes": 4000}, "its records and reward files hold more than 4000 bytes, counted up to t"),
        ({"all_rewards": 1}, "its trials hold more than 1 rewards, counted up to t"),
        ({"trials": 1}, "the job holds more than 1 directories"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_a_job_beyond_a_limit_is_not_judged_to_the_end(
    limits: dict[str, int], sentence: str, written: Written
) -> None:
    folder = written("pass-and-fail")
    (folder / "config.json").write_text("nonsense")
    error = refused(folder, **limits)
    assert str(error).startswith(sentence)
    assert str(error).endswith("; --limits 2 doubles the limits")
    assert error.audit is not None
    assert kinds(error.audit) == {"not-json": 1}


def test_more_listed_trials_than_the_limit(tmp_path: Path) -> None:
    HOSTILE._names(tmp_path, 5000)
    error = refused(tmp_path, trials=4000)
    assert str(error) == "result.json lists more than 4000 trials; --limits 2 doubles the limits"
    assert judged(tmp_path).findings.total() > 0


def test_values_of_records_in_another_layout_are_counted_over_all_trials(tmp_path: Path) -> None:
    HOSTILE._many_trials(tmp_path, 50, '{"trial_name": 1, "a": [1, 2, 3, 4, 5, 6, 7, 8]}')
    assert "more than 300 values that take long" in str(refused(tmp_path, all_values=300))
    judged(tmp_path, all_values=3000)


@pytest.mark.parametrize("rewards", ['{"k": 1}', "1" * 2000, "{" + '"a": 0, ' * 500 + '"a": 1}'])
def test_values_of_reward_files_are_counted_over_all_trials(rewards: str, written: Written) -> None:
    folder = written("pass-and-fail")
    for trial in (T0, T1):
        (folder / trial / "verifier" / "reward.json").write_text(rewards)
    if len(rewards) < 1000:
        judged(folder, all_values=300)
    else:
        assert "more than 300 values that take long" in str(refused(folder, all_values=300))


@pytest.mark.parametrize("layout", [None, (",", ":")])
def test_steps_and_rewards_of_one_trial(layout: tuple[str, str] | None, tmp_path: Path) -> None:
    for name, make, limits in (
        ("steps", HOSTILE._many_steps, {"steps": 30}),
        (
            "rewards",
            lambda folder, count: HOSTILE._many_keys(folder, count, f"{T0}/result.json"),
            {"reward_keys": 30},
        ),
    ):
        folder = tmp_path / name
        make(folder, 31)
        record = folder / T0 / "result.json"
        record.write_text(json.dumps(json.loads(record.read_text()), indent=4, separators=layout))
        (finding,) = (one for one in judged(folder, **limits).findings.ordered() if one.kind == "too-large")
        assert (finding.file, finding.found) == (f"{T0}/result.json", f"31 {name}")
        assert finding.expected == f"at most 30 {name} (--limits 2 allows it)"


def test_logs_beyond_a_limit_are_named(written: Written) -> None:
    folder = written("pass-and-fail")
    for number in range(4):
        (folder / f"{number}.log").write_bytes(b"x" * 1000)
    assert next(iter(judged(folder, log_bytes=999).findings.notes)) == (
        '"0.log" is not searched for an outcome line: 1000 bytes, at most 999 bytes (--limits 2 allows it)'
    )
    (note,) = judged(folder, all_log_bytes=2500).findings.notes
    assert note.startswith('"2.log" and later logs are not searched: ')
    assert "(--limits 2 doubles the limits)" in note
    (note,) = judged(folder, logs=3).findings.notes
    assert note == "of 4 logs 3 are searched; --limits 2 doubles that"
    assert not judged(folder).findings.notes


def test_differences_beyond_a_number_are_not_looked_for(tmp_path: Path) -> None:
    HOSTILE._groups(tmp_path, 20_000)
    found = judged(tmp_path)
    assert found.findings.total() == 10_000
    assert "result.json differs in 10000 places; the rest of it is not looked at" in found.findings.notes


def test_an_option_raises_and_lowers_the_limits(written: Written, cli: Cli) -> None:
    folder = written("pass-and-fail")
    assert cli("check", "--limits", "2", folder).returncode == 0
    done = cli("check", "--limits", "0.00001", "--findings", "5", folder)
    assert done.returncode == 2
    assert "too-large: config.json\n" in done.stdout
    assert "not judged to the end: " in done.stdout
    assert cli("check", "--limits", "0", folder).returncode == 2
    raised = Limits().times(2)
    assert (raised.record_bytes, raised.trials, raised.entries) == (128 * MIB, 200_000, 2_000_000)


def test_every_text_of_a_finding_is_bounded(written: Written) -> None:
    folder = written("pass-and-fail")
    HOSTILE.put(folder / "result.json", ("stats", "x" * 50_000), '"' + "y" * 50_000 + '"')
    (finding,) = judged(folder).findings.ordered()
    assert max(map(len, (finding.path, finding.found, finding.expected))) < 5000
    assert len(pointer("k" * 50_000)) < 2000
    assert Findings(Level.BYTES).total() == 0


# What a file weighs


def _document(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.randrange(8 if depth < 5 else 5)
    if kind < 2:
        return chance.choice(["", "a", '"', "\\", '\\"', "é", "[{,:", "\U0001f600" * 3, "\n\\\\"])
    if kind < 5:
        return chance.choice([0, 1.5, True, None, 10**20])
    if kind < 7:
        return [_document(chance, depth + 1) for _ in range(chance.randrange(4))]
    return {str(number): _document(chance, depth + 1) for number in range(chance.randrange(4))}


@pytest.mark.parametrize("piece", [2, 7, 1 << 20])
def test_a_weight_counts_what_the_parser_makes(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weight, "_PIECE", piece)
    chance = random.Random(0)
    for number in range(60):
        document = _document(chance)
        content = json.dumps(document, ensure_ascii=number % 2 == 0, indent=number % 3 or None).encode()
        made = [(list(path), item) for path, item in walk(parse(content))]
        found = weight.weigh(content, sys.maxsize)
        members = sum(len(item) for _, item in made if type(item).__name__ == "Members")
        assert found.members == members
        assert found.strings == members + sum(isinstance(item, str) for _, item in made)
        assert found.objects == sum(type(item).__name__ == "Members" for _, item in made)
        assert found.arrays == sum(type(item) is list for _, item in made)
        assert found.others >= sum(not isinstance(item, str | list) for _, item in made)
        depth = max(len(path) + isinstance(item, list) for path, item in made)
        assert found.depth == depth
        assert found.characters == len(content.decode())


def test_a_weight_stops_counting_once_it_is_enough() -> None:
    content = b"[" + b"1," * (4 * MIB) + b"1]"
    found = weight.weigh(content, MIB)
    assert not found.whole
    assert found.values < 2 * MIB
    with pytest.raises(TooLargeError, match=r"more than [0-9]+ values in 8 MiB"):
        parse(content, 64 * MIB)


def test_repeated_keys_are_found_with_their_places() -> None:
    value = parse(b'{"a": [{"b": 1, "b": 2}], "a": {"c/d": {"e": 1, "e": 2, "e": 3}}}')
    assert repeated(value) == ["/a", "/a/0/b", "/a/c~1d/e", "/a/c~1d/e"]
    assert show(value).startswith('{"a": {')


# Logs


@pytest.mark.parametrize("piece", [1, 3, 30, 1 << 20])
@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("", None),
        ("no\n", None),
        ("BASE_BENCHMARK_RESULT=1", (1, "BASE_BENCHMARK_RESULT=1")),
        ("\n\nBASE_BENCHMARK_RESULT=1\n", (3, "BASE_BENCHMARK_RESULT=1")),
        ("BASE_BENCHMARK_RESULT=1\nBASE_BENCHMARK_RESULT=2\r\nx", (2, "BASE_BENCHMARK_RESULT=2")),
        ("a\n BASE_BENCHMARK_RESULT=1\nb", None),
        ("xBASE_BENCHMARK_RESULT=1\nBASE_BENCHMARK_RESULT=", (2, "BASE_BENCHMARK_RESULT=")),
    ],
)
def test_the_last_line_of_a_log(
    piece: int, text: str, due: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcome_lines, "_PIECE", piece)
    (tmp_path / "log").write_text(text)
    descriptor = os.open(tmp_path / "log", os.O_RDONLY)
    try:
        assert outcome_lines.last_line(descriptor, 1000) == (due, len(text))
    finally:
        os.close(descriptor)


def test_a_named_log_may_be_a_pipe_and_no_device(
    written: Written, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written("pass-and-fail")
    read, write = os.pipe()
    line = '{"reason_code": null, "resolved": 1, "score": 0.5, "status": "completed", "total": 2}'
    os.write(write, f"BASE_BENCHMARK_RESULT={line}\n".encode())
    os.close(write)
    assert cli("check", "--log", f"/dev/fd/{read}", folder).returncode == 0
    os.close(read)
    monkeypatch.setattr(outcome_lines, "_PATIENCE", 0.1)
    os.mkfifo(tmp_path / "fifo")
    held = os.open(tmp_path / "fifo", os.O_RDWR)
    for path in (tmp_path / "fifo", "/dev/zero", tmp_path):
        done = cli("check", "--log", path, folder)
        assert done.returncode == 2
        assert str(path) in done.stdout
    os.close(held)
    (tmp_path / "large").write_bytes(b"x" * 100_000)
    assert "at most" in cli("check", "--limits", "0.00005", "--log", tmp_path / "large", folder).stdout


# Datasets


def test_a_manifest_has_to_be_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "manifest.json")
    with pytest.raises(ManifestError, match="is no file"):
        load_manifest(tmp_path)
    (tmp_path / "manifest.json").unlink()
    with open(tmp_path / "manifest.json", "wb") as file:
        file.truncate(5 * MIB)
    with pytest.raises(ManifestError, match="4 MiB are the most"):
        load_manifest(tmp_path)


# Memory, measured


@pytest.mark.parametrize(
    ("name", "factor", "most"),
    [
        ("large-record-objects", 1, 450),
        ("large-record-objects", 0.1, 130),
        ("large-config-ints", 0.1, 130),
        ("spaces-result", 1, 130),
    ],
)
def test_peak_memory_is_bounded(name: str, factor: float, most: int, tmp_path: Path) -> None:
    """Files an eighth as large as those of the kind, judged or refused; `most` is in MiB."""
    maker = HOSTILE.COSTLY[name]
    type(maker)(maker.func, **{**maker.keywords, "size": 8 * MIB})(tmp_path / "job")
    found = HOSTILE.measured(tmp_path / "job", 100, "--limits", str(factor), "--helpers", "0")
    assert found["code"] in (0, 1)
    assert found["mib"] < most, found
