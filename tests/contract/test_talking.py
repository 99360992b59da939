"""What a runner may say, what it may not, and what becomes of the rest of its run."""

import selectors
import signal
import threading
import time
from types import SimpleNamespace

import pytest

from conformance.paths import DEFAULT_SPEC
from conformance.runner import conversation, one_shot, process
from tests.reports import results

pytestmark = pytest.mark.usefixtures("undiagnosed")


@pytest.fixture
def five(few, vectors):
    """Five vectors of harbor, v0 to v4."""
    entries = [vectors.entry(f"v{number}") for number in range(5)]
    few.write(entries, "evals_key", DEFAULT_SPEC)
    return entries


@pytest.fixture
def tried(cli, few, runner, tmp_path):
    """A run: its exit code, its report, the outcomes of v0 to v4, what it prints."""

    def do(*args):
        ended = cli("run", "--runner", "in-process", "--report", "r.json", "--again-seed", 1, *args)
        report = few.report(tmp_path / "r.json")
        return ended.returncode, report, [one["outcome"] for one in results(report)], ended.stdout

    return do


class Impatient(selectors.DefaultSelector):
    """Waits for what is written, and puts the clock forward where nothing will be."""

    hanging = threading.Event()
    ahead, waits = 0.0, 0

    def select(self, timeout=None):
        while not (ready := super().select(0.002)):
            if self.hanging.is_set():
                Impatient.ahead += timeout
                Impatient.waits += 1
                assert self.waits < 2000, "it waits for ever"
                break
        return ready


@pytest.mark.parametrize("oneshot", [False, True], ids=["one-process", "oneshot"])
def test_silence_ends_when_the_time_is_over(tried, five, runner, monkeypatch, oneshot) -> None:
    def hang():
        Impatient.hanging.set()
        return "hang"

    Impatient.hanging.clear()
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + Impatient.ahead)
    monkeypatch.setattr(Impatient, "ahead", 0.0)
    monkeypatch.setattr(Impatient, "waits", 0)
    monkeypatch.setattr(
        process, "selectors", SimpleNamespace(DefaultSelector=Impatient, EVENT_READ=1, EVENT_WRITE=2)
    )
    for module in (conversation, one_shot, process):
        monkeypatch.setattr(module, "time", clock)
    runner.knows(five, v4=hang)
    code, report, outcomes, _ = tried(*(["--oneshot", "--pipeline", 1] if oneshot else []))
    assert outcomes == ["passed"] * 4 + ["timeout"]
    assert f"no reply within {60 if oneshot else 10} s" in results(report)[4]["detail"]
    assert (code, runner.ended[0]) == (1, signal.SIGKILL)


@pytest.mark.parametrize(("most", "asked"), [(1, 3), (2, 4)])
def test_the_run_ends_after_so_many_failures(tried, five, runner, most, asked) -> None:
    wrong = {"ok": {"evals_key": "wrong"}}
    runner.knows(five, v2=wrong, v3=wrong)
    code, _, outcomes, _ = tried("--max-failures", most)
    assert (code, outcomes[asked:]) == (1, ["not-run"] * (5 - asked))
    assert outcomes.count("mismatch") == most
