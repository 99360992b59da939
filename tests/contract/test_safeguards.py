"""The tests' own safeguards: a skip is counted, and a quick test that starts a process fails."""

import sys

import pytest

from tests.conftest import PLAIN, Skips

SKIPS = {
    "unittest": "import unittest\n\n\ndef test_it():\n    raise unittest.SkipTest('found nothing')\n",
    "call": "import pytest\n\n\ndef test_it():\n    pytest.skip('no oracle today')\n",
    "mark": "import pytest\n\n\n@pytest.mark.skip(reason='later')\ndef test_it():\n    pass\n",
    "module": "import pytest\n\npytest.skip('not here', allow_module_level=True)\n",
    "import": "import pytest\n\npytest.importorskip('no_such_module_at_all')\n",
}


@pytest.mark.parametrize("way", [*SKIPS, "allowed"])
def test_a_skip_that_nobody_allowed_fails_the_run(pytester, way) -> None:
    """Only the very reason is allowed."""
    skipping = SKIPS.get(way) or SKIPS["call"].replace("no oracle today", "no oracle")
    pytester.makepyfile(test_other="def test_it():\n    pass\n", test_skipping=skipping)
    run = pytester.inline_run(*PLAIN, "-p", "no:terminal", plugins=[skips := Skips()])
    assert (run.ret, len(skips.others)) == ((0, 0) if way == "allowed" else (1, 1))
    assert way == "allowed" or "test_skipping.py" in skips.others[0]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "xdist"])
def test_the_safeguards_are_on(pytester, monkeypatch, workers) -> None:
    """In a run of the suite's own conftest, under xdist too."""
    monkeypatch.setenv("PYTHONPATH", str(sys.modules["tests"].__path__[0].rpartition("/")[0]))
    pytester.makeconftest("from tests.conftest import *\n")
    markers = (f"  {name}: it is\n" for name in ("once", "oracle", "slow", "quick", "release"))
    pytester.makeini("[pytest]\nmarkers =\n" + "".join(markers))
    pytester.makepyfile(
        test_starting="import subprocess\n\n\ndef test_it():\n    subprocess.run(['true'])\n",
        test_connecting="import socket\n\n\ndef test_it():\n    socket.socket().connect(('127.0.0.1', 9))\n",
        test_skipping=SKIPS["unittest"],
    )
    ended = pytester.runpytest_subprocess(*PLAIN, "-m", "quick", *workers, timeout=300)
    ended.assert_outcomes(failed=2, skipped=1)
    ended.stdout.fnmatch_lines(["*is quick, and yet it does subprocess.Popen: mark it slow*"])
    ended.stdout.fnmatch_lines(["*skipped for a reason that tests/allowed_skips.json does not have*"])


def test_a_quick_test_that_starts_a_process_is_heard(request) -> None:
    """The guard of this very run; what it raises is not caught by what the test calls."""
    guard = request.config.pluginmanager.get_plugin("quick-tests")
    assert guard.running == request.node.nodeid
    sys.audit("open", "x", "r", 0)
    for event in ("subprocess.Popen", "socket.connect", "os.fork", "os.posix_spawn", "os.system"):
        guard.running = request.node.nodeid
        with pytest.raises(pytest.fail.Exception, match=f"is quick, and yet it does {event}: mark it slow"):
            sys.audit(event)
