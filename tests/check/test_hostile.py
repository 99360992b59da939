"""Job directories that mean harm: each kind gives a finding or a clear refusal, and nothing else."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.check.audit import Audit, CouldNotTryError, audit
from conformance.check.reading import files
from conformance.check.reading.files import Folder, Refused, TooManyEntriesError
from conformance.check.reading.limits import Limits
from conformance.judging.comparison import Level

T0, T1 = "t0__0000000", "t1__0000001"
SECRET = "the secret outside"


def run(folder: Path, **limits: int) -> Audit:
    return audit(str(folder), Level.BYTES, Limits(**limits))


def kinds(found: Audit) -> list[tuple[str, str]]:
    return [(finding.kind, finding.file) for finding in found.findings.ordered()]


def everything(found: Audit) -> str:
    return repr(found.findings.ordered()) + repr(found.findings.notes)


@pytest.fixture
def folder(written: Callable[..., Path]) -> Path:
    return written("pass-and-fail")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    path = tmp_path / "outside"
    (path / "verifier").mkdir(parents=True)
    for name in ("result.json", "verifier/reward.txt", "verifier/reward.json", "config.json"):
        (path / name).write_text(SECRET)
    return path


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names that are opened."""
    names: list[str] = []
    real = os.open

    def remember(path: Any, *rest: Any, **more: Any) -> int:
        names.append(os.fspath(path))
        return real(path, *rest, **more)

    monkeypatch.setattr(files.os, "open", remember)
    return names


LINKS = [
    (f"{T0}/verifier/reward.txt", "verifier/reward.txt", [("symbolic-link", f"{T0}/verifier/reward.txt")]),
    (f"{T0}/verifier", "verifier", [("symbolic-link", f"{T0}/verifier")]),
    (f"{T0}/result.json", "result.json", [("symbolic-link", f"{T0}/result.json")]),
    (T0, ".", [("symbolic-link", T0), ("missing-trial", f"{T0}/result.json")]),
    ("config.json", "config.json", [("symbolic-link", "config.json")]),
    ("result.json", "result.json", [("symbolic-link", "result.json")]),
    ("job.log", "result.json", [("symbolic-link", "job.log")]),
    ("anything", ".", [("symbolic-link", "anything")]),
]


@pytest.mark.parametrize(("name", "target", "due"), LINKS, ids=[name for name, _, _ in LINKS])
def test_a_link_is_not_followed(
    name: str, target: str, due: list[tuple[str, str]], folder: Path, outside: Path
) -> None:
    place = folder / name
    if place.is_dir():
        place.rename(folder.parent / "taken away")
    elif place.exists():
        place.unlink()
    place.symlink_to(outside / target)
    found = run(folder)
    assert kinds(found) == sorted(due, key=lambda pair: pair[1])
    assert SECRET not in everything(found)


def test_a_link_to_a_device_is_not_followed(folder: Path) -> None:
    (folder / T0 / "verifier" / "reward.txt").unlink()
    (folder / T0 / "verifier" / "reward.txt").symlink_to("/dev/zero")
    assert kinds(run(folder)) == [("symbolic-link", f"{T0}/verifier/reward.txt")]


def test_a_link_in_a_circle_is_not_followed(folder: Path) -> None:
    (folder / "circle").symlink_to(folder / "circle")
    assert kinds(run(folder)) == [("symbolic-link", "circle")]


@pytest.mark.parametrize(
    "name", [f"{T0}/verifier/reward.txt", f"{T0}/result.json", "config.json", "other", "job.log"]
)
def test_a_fifo_is_not_opened(name: str, folder: Path, opened: list[str]) -> None:
    (folder / name).unlink(missing_ok=True)
    os.mkfifo(folder / name)
    assert ("special-file", name) in kinds(run(folder))
    assert all(
        not stat.S_ISFIFO(os.stat(folder / path).st_mode) for path in opened if (folder / path).exists()
    )
    assert (folder / name).name not in opened or (folder / name).name in (
        "result.json",
        "config.json",
        "reward.txt",
    )


def test_a_fifo_in_the_place_of_a_trial_is_not_opened(folder: Path) -> None:
    os.mkfifo(folder / "t7__0000007")
    assert kinds(run(folder)) == [("special-file", "t7__0000007")]


def test_a_socket_is_not_opened(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / T0 / "verifier" / "reward.txt").unlink()
    monkeypatch.chdir(folder / T0 / "verifier")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("reward.txt")
        assert kinds(run(folder)) == [("special-file", f"{T0}/verifier/reward.txt")]


def test_a_device_is_not_opened(folder: Path) -> None:
    target = folder / T0 / "verifier" / "reward.txt"
    target.unlink()
    try:
        os.mknod(target, stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root makes devices")
    assert kinds(run(folder)) == [("special-file", f"{T0}/verifier/reward.txt")]


def test_a_directory_is_no_file(folder: Path) -> None:
    (folder / T0 / "verifier" / "reward.txt").unlink()
    (folder / T0 / "verifier" / "reward.txt").mkdir()
    assert kinds(run(folder)) == [("wrong-type", f"{T0}/verifier/reward.txt")]


def test_a_file_is_no_verifier_directory(folder: Path) -> None:
    (folder / T0 / "verifier" / "reward.txt").unlink()
    (folder / T0 / "verifier").rmdir()
    (folder / T0 / "verifier").write_text("1")
    assert kinds(run(folder)) == [("wrong-type", f"{T0}/verifier")]


@pytest.mark.parametrize(
    ("name", "size"),
    [
        (f"{T0}/verifier/reward.txt", 2**21),
        (f"{T0}/result.json", 2**27),
        ("config.json", 2**40),
        ("result.json", 2**40),
    ],
)
def test_a_huge_file_is_refused_unread(name: str, size: int, folder: Path) -> None:
    with open(folder / name, "r+b") as file:
        file.truncate(size)
    assert ("too-large", name) in kinds(run(folder))


def test_a_huge_log_is_passed_over(folder: Path) -> None:
    with open(folder / "job.log", "wb") as file:
        file.truncate(2**40)
    found = run(folder)
    assert kinds(found) == []
    assert any("job.log" in note for note in found.findings.notes)


def test_a_long_line_in_a_log_takes_no_room(folder: Path) -> None:
    with open(folder / "job.log", "wb") as file:
        file.truncate(2**26)
    assert kinds(run(folder)) == []


@pytest.mark.parametrize("name", [f"{T0}/result.json", "result.json", "config.json"])
@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_deep_nesting_is_refused(name: str, opening: bytes, folder: Path) -> None:
    (folder / name).write_bytes(opening * 200_000)
    found = run(folder)
    assert ("not-json", name) in kinds(found)
    assert len(everything(found)) < 10_000


def test_deep_nesting_in_a_reward_file_is_what_harbor_makes_of_it(folder: Path) -> None:
    (folder / T0 / "verifier" / "reward.json").write_bytes(b"[" * 200_000)
    (finding,) = run(folder).findings.ordered()
    assert (finding.kind, finding.found) == ("reward-file", "RecursionError")


def test_deep_nesting_in_an_outcome_line(folder: Path) -> None:
    (folder / "job.log").write_bytes(b"BASE_BENCHMARK_RESULT=" + b"[" * 200_000)
    assert kinds(run(folder)) == [("outcome-line", "job.log")]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"\xef\xbb\xbf{}",
        b"{",
        b"nul",
        b'{"a":1}{}',
        b"\x00",
        b'"\\ud800"',
        b"[1]",
        b"12",
        b"null",
    ],
    ids=repr,
)
@pytest.mark.parametrize("name", [f"{T0}/result.json", "result.json", "config.json"])
def test_what_is_no_json_object_is_a_finding(name: str, content: bytes, folder: Path) -> None:
    (folder / name).write_bytes(content)
    found = kinds(run(folder))
    if name == "config.json" and content in (b"[1]", b"12", b"null"):
        assert found == []
    else:
        assert {file for _, file in found} == {name}


@pytest.mark.parametrize(
    "token", ["1e999", "-0", "9" * 5000, "1" + "0" * 400, "NaN", "true", '"x"', "[]", "{}", "null"]
)
@pytest.mark.parametrize("member", ["n_completed_trials", "n_retries", "cost_usd", "evals", "n_input_tokens"])
def test_any_value_anywhere_gives_no_traceback(member: str, token: str, folder: Path) -> None:
    text = (folder / "result.json").read_text()
    start = text.index(f'"{member}": ') + len(member) + 4
    end = (
        text.index(',\n        "n_input')
        if member == "evals"
        else min(index for index in (text.find(",", start), text.find("\n", start)) if index > 0)
    )
    (folder / "result.json").write_text(text[:start] + token + text[end:])
    run(folder)


@pytest.mark.parametrize("token", ["1e999", "9" * 5000, "NaN", "true", '"x"', "[]", "{}", "null", "[[]]"])
@pytest.mark.parametrize(
    "member",
    [
        "reward",
        "n_input_tokens",
        "exception_info",
        "agent_info",
        "step_results",
        "config",
        "trial_name",
        "source",
        "started_at",
    ],
)
def test_any_value_in_a_record_gives_no_traceback(member: str, token: str, folder: Path) -> None:
    import json

    record = json.loads((folder / T0 / "result.json").read_text())
    marker = "the value goes here"
    place = (
        record["verifier_result"]["rewards"]
        if member == "reward"
        else record["agent_result"]
        if "tokens" in member
        else record
    )
    place[member] = marker
    (folder / T0 / "result.json").write_text(json.dumps(record, indent=4).replace(f'"{marker}"', token))
    run(folder)


def test_a_step_cannot_name_a_place_outside(written: Callable[..., Path], outside: Path) -> None:
    folder = written("steps-mean")
    record = folder / "m__0000000" / "result.json"
    record.write_text(record.read_text().replace('"step_name": "s1"', '"step_name": "../../../outside"'))
    found = run(folder)
    assert ("schema", "m__0000000/result.json") in kinds(found)
    assert SECRET not in everything(found)


def test_a_trial_name_cannot_name_a_place_outside(folder: Path, outside: Path) -> None:
    result = folder / "result.json"
    result.write_text(result.read_text().replace(T0, "../outside"))
    assert SECRET not in everything(run(folder))


def test_names_are_escaped(folder: Path, cli: Callable[..., Any]) -> None:
    (folder / "esc\x1b[31m\nnew\u202eline").symlink_to("/etc/passwd")
    (folder / os.fsdecode(b"not utf-8 \xff")).symlink_to("/etc/passwd")
    shown = cli("check", folder)
    assert shown.returncode == 1
    assert "\x1b" not in shown.stdout
    assert "\u202e" not in shown.stdout
    assert "\\x1b[31m\\nnew\\u202eline" in shown.stdout
    report = cli("check", "--json", folder)
    assert "\\udcff" in report.stdout
    assert "Traceback" not in shown.stderr + report.stderr


def test_many_entries_are_refused(folder: Path) -> None:
    for number in range(50):
        (folder / f"junk{number}").touch()
    with pytest.raises(CouldNotTryError, match="more than 20 entries"):
        run(folder, entries=20)
    assert kinds(run(folder, entries=60)) == []


def test_many_findings_are_counted_and_not_kept(folder: Path) -> None:
    for number in range(1500):
        (folder / f"link{number}").symlink_to("/")
    found = run(folder)
    assert found.findings.total() == 1500
    assert len(found.findings.ordered()) == 1000


def test_what_may_not_be_read_is_a_finding(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def refuse(path: Any, *rest: Any, **more: Any) -> int:
        if path == "reward.txt":
            raise PermissionError(13, "Permission denied")
        return real(path, *rest, **more)

    monkeypatch.setattr(files.os, "open", refuse)
    assert {kind for kind, _ in kinds(run(folder))} == {"unreadable"}


def test_what_vanishes_between_two_looks_is_gone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def vanish(path: Any, *rest: Any, **more: Any) -> int:
        if path == T1:
            raise FileNotFoundError(2, "No such file or directory")
        return real(path, *rest, **more)

    monkeypatch.setattr(files.os, "open", vanish)
    assert kinds(run(folder)) == [("missing-trial", f"{T1}/result.json")]


def test_what_is_put_there_between_two_looks_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "first").write_text("1")
    (tmp_path / "second").write_text(SECRET)
    real = os.open

    def exchange(path: Any, *rest: Any, **more: Any) -> int:
        if path == "first":
            (tmp_path / "second").replace(tmp_path / "first")
        return real(path, *rest, **more)

    folder = Folder.top(str(tmp_path))
    monkeypatch.setattr(files.os, "open", exchange)
    with pytest.raises(Refused, match="changed while it is read"):
        folder.read("first", 100)
    folder.leave()


def test_a_file_that_grows_is_read_up_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"x" * 100)
    real = os.read
    monkeypatch.setattr(files.os, "read", lambda descriptor, count: real(descriptor, count) or b"y" * count)
    folder = Folder.top(str(tmp_path))
    assert folder.read("file", 100) == b"x" * 100
    monkeypatch.setattr(files.os, "read", lambda descriptor, count: b"y" * min(count, 50))
    with pytest.raises(Refused, match="more than 120 bytes"):
        folder.read("file", 120)
    folder.leave()


def test_entries_are_counted_while_they_come(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / str(number)).touch()
    folder = Folder.top(str(tmp_path))
    with pytest.raises(TooManyEntriesError):
        list(folder.entries(4))
    assert len(list(folder.entries(5))) == 5
    folder.leave()


@pytest.mark.parametrize("name", ["", "nosuch", "a\0b", "result.json"])
def test_what_is_no_directory_could_not_be_tried(name: str, folder: Path) -> None:
    with pytest.raises(CouldNotTryError):
        audit(f"{folder}/x{name}" if name != "result.json" else f"{folder}/{name}", Level.BYTES)


def test_no_descriptor_is_left_open(folder: Path) -> None:
    (folder / T0 / "verifier" / "reward.txt").unlink()
    os.mkfifo(folder / T0 / "verifier" / "reward.txt")
    (folder / "link").symlink_to("/")
    (folder / "job.log").write_text("BASE_BENCHMARK_RESULT={}\n")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        run(folder)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("number", ["1" + "0" * 400, "-1" + "0" * 4000, "9" * 4300])
def test_ints_beyond_every_double_give_findings(number: str, written: Callable[..., Path]) -> None:
    folder = written("ints")
    (folder / T0 / "verifier" / "reward.json").write_text(f'{{"reward":{number}}}')
    assert kinds(run(folder)) == [("reward-file", f"{T0}/verifier/reward.json")]
    record = folder / T0 / "result.json"
    record.write_text(record.read_text().replace('"reward": 1\n', f'"reward": {number}\n'))
    run(folder)
    steps = written("steps-mean", "steps")
    for index in (0, 1):
        (steps / f"m__0000000/steps/s{index}/verifier/reward.json").write_text(f'{{"reward":{number}}}')
    run(steps)
    record = steps / "m__0000000" / "result.json"
    record.write_text(record.read_text().replace('"reward": 0.5', f'"reward": {number}'))
    run(steps)
