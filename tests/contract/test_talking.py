"""What a runner may say, what it may not, and what becomes of the rest of its run."""

import selectors
import signal
import threading
import time
from types import SimpleNamespace

import pytest

from conformance.paths import DEFAULT_SPEC
from conformance.runner import conversation, one_shot, process
from tests.contract.conftest import GoneError
from tests.reports import results

pytestmark = pytest.mark.usefixtures("undiagnosed")

OK = b'{"id":ID,"ok":{"evals_key":"v2__adhoc"}}\n'
LINES = {
    # what is said in place of a reply: the outcome, and what the sentence holds
    "as-due": (OK, "passed", ""),
    "spaces": (b'  {"ok" : {"evals_key":"v2__adhoc"} , "id": ID }\r\n', "passed", ""),
    "twice-a-key": (
        b'{"id":ID,"ok":{"evals_key":"x","evals_key":"v2__adhoc"}}\n',
        "protocol-error",
        "duplicate key",
    ),
    "nan": (b'{"id":ID,"ok":{"evals_key":NaN}}\n', "protocol-error", "NaN"),
    "other-id": (OK.replace(b"ID", b"ID0"), "protocol-error", "its id is"),
    "text-id": (OK.replace(b"ID", b'"ID"'), "protocol-error", "send back the id as it came"),
    "float-id": (OK.replace(b"ID", b"ID.0"), "protocol-error", "its id is"),
    "both": (OK.replace(b'"ok"', b'"unsupported":"no","ok"'), "protocol-error", "exactly one of ok"),
    "no-object": (b'{"id":ID,"ok":[]}\n', "protocol-error", "its ok is not an object"),
    "more-members": (OK.replace(b'"ok"', b'"note":1,"ok"'), "protocol-error", "exactly one of ok"),
    "log": (b"computing\n", "protocol-error", "the runner's reply can't be used"),
    "not-utf-8": (b'{"id":ID,"ok":{"evals_key":"\xff"}}\n', "protocol-error", "UTF-8"),
    "escape": (b"\x1b[31m\n", "protocol-error", "\\x1b[31m"),
    "too-long": (b"x" * (1 << 20) + b"xx\n", "protocol-error", "longer than 1 MiB"),
    "control": (b'{"id":ID,"error":{"type":"\\u001b[31m"}}\n', "wrong-error", "\\x1b[31m"),
    "ends": (GoneError(3), "crash", "exited with code 3"),
    "is-killed": (GoneError(-signal.SIGKILL), "crash", "SIGKILL"),
}


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


@pytest.mark.parametrize("said", LINES)
def test_one_bad_line_costs_one_vector(tried, five, runner, said) -> None:
    """The others are asked again, of a new process where need be, and the old one is ended whole."""
    line, outcome, sentence = LINES[said]
    runner.knows(five, v2=line)
    code, report, outcomes, printed = tried()
    assert outcomes == ["passed", "passed", outcome, "passed", "passed"]
    assert (code, report["problems"]) == (int(outcome != "passed"), [])
    assert sentence in (results(report)[2].get("detail") or "")
    assert "\x1b" not in printed
    is_restarted = outcome in ("crash", "protocol-error")
    assert (runner.starts > 1) == is_restarted
    if is_restarted and not isinstance(line, GoneError):
        assert runner.ended[0] == signal.SIGKILL
    if isinstance(line, GoneError):
        assert "first words" in printed
        assert "last words" in printed


def test_a_line_without_an_end_is_not_read_to_its_end(tried, five, runner) -> None:
    taken = []

    def endless():
        for piece in range(400):
            taken.append(piece)
            yield b"x" * (1 << 16)

    runner.knows(five, v2=endless)
    assert tried()[2][2] == "protocol-error"
    assert len(taken) < 200


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


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        (OK, "passed"),
        (OK + b"more\n", "protocol-error"),
        (OK + b"mo", "protocol-error"),
        (GoneError(4), "crash"),
    ],
    ids=["as-due", "another-line", "half-a-line", "ends"],
)
def test_a_process_for_each_request(tried, five, runner, line, outcome) -> None:
    runner.knows(five, v2=line)
    code, _, outcomes, _ = tried("--oneshot", "--pipeline", 1)
    assert outcomes == ["passed", "passed", outcome, "passed", "passed"]
    assert code == int(outcome != "passed")
    assert runner.starts == 1 + 5 + 3  # for hello, the vectors, and what is asked again


@pytest.mark.parametrize(
    ("hello", "sentence"),
    [
        ({"protocol": 2}, "its protocol is the number 2"),
        ({"ops": []}, "ops must be at least one name"),
        ({"ops": ["evals_key", "evals_key"]}, "none of them twice"),
        ({"extra": 1}, "it may not hold extra"),
        ({"unsupported": {"evals_key": "no"}}, "ops and unsupported both name evals_key"),
        ({"numbers": "text"}, "numbers must be"),
    ],
)
def test_a_runner_that_can_not_be_tried(tried, five, runner, hello, sentence) -> None:
    runner.hello = hello
    code, report, outcomes, printed = tried()
    assert (code, outcomes) == (2, [])
    assert sentence in report["problems"][0]
    assert sentence in printed


@pytest.mark.parametrize(("most", "asked"), [(1, 3), (2, 4)])
def test_the_run_ends_after_so_many_failures(tried, five, runner, most, asked) -> None:
    wrong = {"ok": {"evals_key": "wrong"}}
    runner.knows(five, v2=wrong, v3=wrong)
    code, _, outcomes, _ = tried("--max-failures", most)
    assert (code, outcomes[asked:]) == (1, ["not-run"] * (5 - asked))
    assert outcomes.count("mismatch") == most


def test_numbers_may_be_spelled_as_strings(tried, few, runner) -> None:
    """By hello alone they are: to any other runner a string is a string."""
    spelled = {"ok": {"value": "0.5"}}
    few.write([few.vectors()[0]])
    runner.answer = lambda op, given: spelled
    for hello, code in (({"numbers": "string"}, 0), ({}, 1)):
        runner.hello, runner.asked = hello, []
        assert tried("--spec", "evsys", "*/avg-*")[0] == code
        assert runner.asked[0][1]["task_rewards"] == ([["-1", "2"]] if hello else [[-1, 2]])
