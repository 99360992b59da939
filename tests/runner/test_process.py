"""One process of a runner: pipes that never block for ever, and an end that is always told."""

import sys
import time

import pytest

from conformance.runner.process import LineTooLongError, RunnerProcess, RunnerStartError
from tests.processes import alive, waited_for

pytestmark = pytest.mark.slow

SOON = 30.0  # seconds; far more than any of these needs, so that a busy machine fails no test


@pytest.fixture
def start():
    started = []

    def run(source, line_limit=1 << 20):
        words = [sys.executable, "-I", "-S", "-c", f"import os, sys, time\n{source}"]
        process = RunnerProcess(words, line_limit)
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()


def lines_of(process):
    lines = []
    until = time.monotonic() + SOON
    while not process.ended:
        assert time.monotonic() < until
        lines += process.poll(SOON)
    return lines


def test_lines_come_without_their_line_feeds_though_the_pipes_hold_less(start) -> None:
    process = start(r"os.write(1, b'one\n\ntwo\r\nrest')")
    assert lines_of(process) == [b"one", b"", b"two\r"]
    assert process.unfinished_line() == b"rest"
    process = start("for line in sys.stdin.buffer: sys.stdout.buffer.write(line)")
    sent = [b"%d:" % index + b"x" * 300_000 for index in range(8)]
    for line in sent:
        process.send(line + b"\n")
    process.close_stdin()
    assert lines_of(process) == sent


def test_a_closed_stdin_is_no_error(start) -> None:
    process = start("os.close(0); print('deaf', flush=True); time.sleep(60)")
    assert process.poll(SOON) == [b"deaf"]
    process.send(b"x" * 1_000_000)
    process.send(b"more")
    process.close_stdin()
    assert process.poll(0.05) == []


def test_poll_keeps_to_its_time_and_nothing_is_waited_for_after_the_end(start) -> None:
    """A runner may end while the kit does something else: who asks again must not wait for the time-out."""
    for source, seconds in (("time.sleep(60)", 0.1), ("sys.exit()", SOON)):
        process = start(source)
        if seconds == SOON:
            assert lines_of(process) == []
        began = time.monotonic()
        assert process.poll(seconds) == []
        assert time.monotonic() - began < SOON
        assert process.ended is (seconds == SOON)
        assert process.ended or time.monotonic() - began >= seconds


def test_stderr_ends_no_poll_and_is_kept_to_both_its_ends_and_never_blocks(start) -> None:
    process = start(
        r"os.write(2, b'noise\n'); time.sleep(0.1); os.write(2, b'noise\n'); time.sleep(0.1); print('line')"
    )
    assert process.poll(SOON) == [b"line"]
    process = start(
        r"os.write(2, b'head'); [os.write(2, b'x' * 65536) for _ in range(50)]; os.write(2, b'tail\xff')"
    )
    assert lines_of(process) == []
    tail = process.stderr_tail()
    assert len(tail) < 8192 * 2 + 100
    assert tail.startswith("headx")
    assert "\n... 1 line ...\n" in tail
    assert tail.endswith("xtail\N{REPLACEMENT CHARACTER}")


def test_stderr_is_kept_from_the_last_reply_on(start) -> None:
    """A panic's first line counts as said after the reply before it, however late both are read."""
    process = start(
        r"os.write(2, b'of the first\n' * 10); os.write(1, b'one\n'); sys.stdin.readline();"
        r"os.write(1, b'two\n'); os.write(2, b'panicked\n'); os.write(2, b'frame\n' * 9000); sys.exit(1)"
    )
    assert process.poll(SOON) == [b"one"]
    process.send(b"\n")
    waited_for(process.has_exited, "end of it")
    assert lines_of(process) == [b"two"]
    assert process.stderr_tail().startswith("panicked\nframe\n")
    assert process.stderr_tail().endswith("frame\n")


def test_the_words_of_before_serve_where_there_are_none_since_and_survive_the_process(start) -> None:
    process = start(r"os.write(2, b'a warning\n'); time.sleep(0.2); os.write(1, b'one\n'); sys.exit(1)")
    assert lines_of(process) == [b"one"]
    assert process.stderr_tail() == "a warning\n"
    process = start("os.write(2, b'last words'); os.close(1); time.sleep(60)")
    assert lines_of(process) == []
    process.kill()
    assert process.stderr_tail() == "last words"


@pytest.mark.parametrize("newline", ["", r"os.write(1, b'\n')"])
def test_a_line_beyond_the_limit_is_refused_before_it_is_whole(start, newline) -> None:
    process = start(f"[os.write(1, b'x' * 65536) for _ in range(1600)]; {newline}", 1 << 20)
    with pytest.raises(LineTooLongError):
        process.poll(SOON)


def test_the_limit_counts_the_line_without_its_line_feed_and_can_be_raised(start) -> None:
    process = start(r"os.write(1, b'x' * 100 + b'\nnext\n')", 100)
    assert process.poll(SOON) == [b"x" * 100, b"next"]
    with pytest.raises(LineTooLongError):
        start(r"os.write(1, b'x' * 101 + b'\nnext\n')", 100).poll(SOON)
    process = start(r"os.write(1, b'a\n'); sys.stdin.readline(); sys.stdout.write('x' * 5000 + '\n')", 10)
    assert process.poll(SOON) == [b"a"]
    process.line_limit = 5000
    process.send(b"\n")
    assert lines_of(process) == [b"x" * 5000]


def test_a_command_that_cannot_be_started(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.txt").write_text("no program")
    (tmp_path / "folder").mkdir()
    for name, text in (("text.sh", "\x7fELF but not really"), ("script.py", "#!/no/such/interpreter\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    for word, sentence in (
        ("no-such-command", "the command 'no-such-command' does not exist"),
        ("name=1", "'name=1' does not exist: no shell runs it, so write env name=1"),
        *(("./plain.txt", "may not be executed"), ("./folder", "may not be executed")),
        *(("./text.sh", "could not be started: "), ("nul\0byte", "could not be started: ")),
        ("./script.py", "the interpreter of the command './script.py' does not exist"),
    ):
        with pytest.raises(RunnerStartError, match=sentence):
            RunnerProcess([word], 100)


def test_kill_ends_what_the_runner_started_too(start) -> None:
    process = start(
        "import subprocess\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(os.getpid(), child.pid, flush=True); time.sleep(60)"
    )
    pids = [int(word) for word in process.poll(SOON)[0].split()]
    process.kill()
    process.kill()
    waited_for(lambda: not any(map(alive, pids)), "end of them", 60)
    assert process.ended
