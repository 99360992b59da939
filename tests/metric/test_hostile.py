"""Metrics that loop, flood, fork or write elsewhere: ended, told in one sentence, cleared away."""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.metric import confinement
from conformance.metric.confinement import MIB, Limits, can_lock_writes
from conformance.metric.evsys import EvsysChecker
from conformance.metric.findings import CannotTryError, Finding
from conformance.metric.protection import protections
from conformance.metric.script import ScriptChecker
from conformance.metric.targets import Checking, make_checker

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("clean")]

Make = Callable[[str], Path]
LIMITS = Limits(seconds=60)
SLEEPER = '[sys.executable, "-c", "import time; time.sleep(60)", MARK]'
needs_landlock = pytest.mark.skipif(not can_lock_writes(), reason="this kernel has no Landlock")


def findings(path: Path, limits: Limits = LIMITS, *, lock_writes: bool = True) -> list[Finding]:
    """Of its first case, with its key named: to find keys takes more runs and shows no more."""
    options: dict[str, Any] = {"limits": limits, "python": sys.executable, "lock_writes": lock_writes}
    checker = ScriptChecker(str(path), keys=("reward",), **options)
    checker.header()
    began = time.monotonic()
    found = checker.check(checker.cases[0]).findings
    assert time.monotonic() - began < limits.seconds + 60  # some runs, on a busy machine
    for finding in found:
        assert "\n" not in finding.sentence
    return found


def rules(found: list[Finding]) -> list[str]:
    return [finding.rule.name for finding in found]


def test_a_loop(script: Make) -> None:
    (finding,) = findings(script("while True: pass"), Limits(seconds=1.5))
    assert finding.rule.name == "never-ends"
    assert (
        finding.sentence
        == "It had not ended after 1.5 seconds and was stopped (--timeout N gives it longer)."
    )


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_gigabytes_printed(script: Make, stream: str) -> None:
    body = f"while True: os.write(sys.{stream}.fileno(), b'x' * 65536)"
    (finding,) = findings(script(body))
    assert (finding.rule.name, finding.sentence) == ("too-much", "It printed over 64 MiB and was stopped.")


@pytest.mark.parametrize(
    "body",
    [
        "with args.output_path.open('wb') as file:\n    while True: file.write(b' ' * MIB)",
        "number = 0\nwhile True:\n    number += 1\n    Path(f'{number}').write_bytes(b' ' * MIB)",
    ],
    ids=["one file", "many files"],
)
def test_gigabytes_written(script: Make, body: str) -> None:
    limits = replace(LIMITS, file_bytes=8 * MIB, folder_bytes=32 * MIB)
    assert rules(findings(script(f"MIB = {MIB}\n{body}"), limits))[0] == "too-much"


def test_processes_that_outlive_the_script(script: Make) -> None:
    body = f"subprocess.Popen({SLEEPER}, start_new_session=True, stdout=-3, stderr=-3)"
    (finding,) = findings(script(body))
    assert finding.rule.name == "leaves-behind"
    assert finding.sentence == "1 of its processes outlived it, and were ended."


def test_a_process_that_holds_the_output_open(script: Make) -> None:
    found = findings(script(f"subprocess.Popen({SLEEPER}, start_new_session=True)"), Limits(seconds=5))
    assert rules(found) == ["never-ends", "leaves-behind"]
    assert found[0].sentence.startswith("It has ended, but what it started held its output open")


def test_too_many_processes(script: Make) -> None:
    body = f"for _ in range(40): subprocess.Popen({SLEEPER}, start_new_session=True)\ntime.sleep(60)"
    (finding,) = findings(script(body), replace(LIMITS, processes=20))
    assert finding.sentence == "It started over 20 processes and was stopped."


def test_memory(script: Make) -> None:
    body = "kept = []\nwhile True: kept.append(bytearray(1 << 24))"
    limits = replace(LIMITS, memory_bytes=1 << 29)
    (finding,) = findings(script(body), limits)
    assert (finding.rule.name, finding.sentence) == ("exit-code", "It exited with 1: MemoryError")


@needs_landlock
def test_a_write_elsewhere_is_refused(script: Make, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (finding,) = findings(script(f"Path({str(elsewhere)!r}).write_text('x')"))
    assert finding.rule.name == "writes-elsewhere"
    assert str(elsewhere) in finding.sentence
    assert not elsewhere.exists()


@needs_landlock
def test_a_hidden_write_elsewhere_comes_to_nothing(script: Make, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    body = f"""
for attempt in (
    lambda: Path({str(victim)!r}).write_text("yours"),
    lambda: os.truncate({str(victim)!r}, 0),
    lambda: os.unlink({str(victim)!r}),
    lambda: os.rename({str(victim)!r}, "mine"),
    lambda: os.link({str(victim)!r}, {str(victim) + "2"!r}),
    lambda: os.symlink("x", {str(victim) + "3"!r}),
    lambda: os.mkdir({str(victim) + "4"!r}),
):
    try:
        attempt()
    except OSError:
        pass
"""
    assert findings(script(body)) == []
    assert victim.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scripts", "temporary", "victim"]


def test_a_write_beside_the_script_is_seen_without_landlock(script: Make) -> None:
    path = script("Path(__file__).with_name('left.txt').write_text('x')")
    (finding,) = findings(path, lock_writes=False)
    assert finding.rule.name == "writes-elsewhere"
    assert "left.txt" in finding.sentence


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")
def test_a_script_that_kills_the_kits_own_process(script: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a namespace it can't name it; elsewhere the script is ended all the same."""
    keeper = 'int(Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1])'
    path = script(f"os.kill({keeper}, 9)\ntime.sleep(1)")
    if protections().namespaces:
        assert findings(path, lock_writes=False) == []
    less = replace(protections(), namespaces=False, read_only=False)
    monkeypatch.setattr(confinement, "protections", lambda: less)
    (finding,) = findings(path, lock_writes=False)
    assert (finding.rule.name, finding.sentence) == (
        "exit-code",
        "It killed the process that watches over it, and was stopped.",
    )
    if can_lock_writes():
        assert rules(findings(path))[0] in ("writes-elsewhere", "exit-code")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("args.input_path.unlink(); os.mkfifo(args.input_path)", ["changes-input"]),
        ("args.input_path.unlink(); args.input_path.symlink_to('/dev/zero')", ["changes-input"]),
        ("os.mkfifo(args.output_path); os._exit(0)", ["no-output"]),
        ("args.output_path.symlink_to('/dev/zero'); os._exit(0)", ["no-output"]),
        ("Path('left').mkdir(); os.chmod('left', 0)", ["leaves-behind"]),
        ("for _ in range(1500):\n    os.mkdir('d')\n    os.chdir('d')", ["leaves-behind"]),
        ("os.kill(os.getpid(), 9)", ["exit-code"]),
        ("args.output_path.write_text('[' * 200000); os._exit(0)", ["not-json"]),
        ("args.output_path.write_text('9' * 5000); os._exit(0)", ["not-json"]),
    ],
    ids=[
        "fifo for input",
        "link for input",
        "fifo",
        "link",
        "no rights",
        "deep",
        "killed",
        "nested",
        "digits",
    ],
)
def test_odd_things(script: Make, body: str, expected: list[str]) -> None:
    assert rules(findings(script(body))) == expected


def test_after_a_stop_no_other_case_is_run(script: Make) -> None:
    checker = make_checker(str(script("while True: pass")), None, python=sys.executable, seconds=1)
    checking = Checking(checker)
    checking.start()
    results = [checking.check(case) for case in checker.cases]
    assert [result.not_run is None for result in results[:3]] == [True, False, False]
    assert checking.exit_code() == 1


CLASS = """
import os, sys, time
class Metric:
    name = "mine"
    def compute(self, task_rewards):
        {}
        return float(len(task_rewards))
"""


@pytest.mark.parametrize(
    ("line", "rule", "seconds"),
    [
        ("len(task_rewards) == 4 and time.sleep(60)", "never-ends", 5),
        ("len(task_rewards) or os._exit(0)", "ends-process", 60),
        ("len(task_rewards) or os.kill(os.getpid(), 9)", "ends-process", 60),
        ("while len(task_rewards) == 1: print('x' * 65536)", "too-much", 60),
    ],
    ids=["loops", "exits", "dies", "floods"],
)
def test_a_hostile_class(tmp_path: Path, line: str, rule: str, seconds: float) -> None:
    path = tmp_path / "hostile.py"
    path.write_text(CLASS.format(line), encoding="utf-8")
    checker = EvsysChecker(f"{path}:Metric", limits=Limits(seconds=seconds))
    checker.header()
    found = {finding.rule.name for case in checker.cases for finding in checker.check(case).findings}
    assert found == {rule, "not-registered"}


@pytest.mark.parametrize(
    ("text", "sentence", "seconds"),
    [
        ("import time; time.sleep(60)", "had not been loaded after 1 seconds", 1),
        ("import os; os._exit(3)", "ended with 3", 60),
        ("raise SystemExit(4)", "raised SystemExit: 4", 60),
        (
            "import os\nfor n in range(3, 20):\n    try: os.write(n, b'x\\n')\n    except OSError: pass",
            "channel",
            60,
        ),
    ],
    ids=["loops", "exits", "stops", "writes to every pipe"],
)
def test_a_class_that_can_not_be_loaded(tmp_path: Path, text: str, sentence: str, seconds: float) -> None:
    (tmp_path / "hostile.py").write_text(text + "\nclass Metric: pass\n", encoding="utf-8")
    checker = EvsysChecker(f"{tmp_path / 'hostile.py'}:Metric", limits=Limits(seconds=seconds))
    with pytest.raises(CannotTryError, match=sentence):
        checker.header()


def test_the_callers_environment_stays(script: Make) -> None:
    before = dict(os.environ)
    findings(script(""))
    assert dict(os.environ) == before
