"""The surroundings of a script: two that differ in everything, other moments, and other processors."""

import sys
import time
from datetime import datetime, timedelta, timezone

import pytest

from conformance.confinement.bubblewrap import confined
from conformance.extensions.metrics.sandbox.environments import FIRST, moments, second
from conformance.extensions.metrics.sandbox.limits import Limits
from conformance.extensions.metrics.script.runner import ScriptRunner
from conformance.extensions.metrics.script.runs import RunOptions

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not confined(), reason="nothing confines a metric here")]
TRIALS = [{"reward": 1.0}]
SCRIPT = """import json, os, sys
{imports}
reward = json.loads(open(sys.argv[2]).read())["reward"]
{body}
open(sys.argv[4], "w").write(json.dumps({{"mean": reward}}))
"""


def runner(folder, body="", imports=""):
    path = folder / "metric.py"
    path.write_text(SCRIPT.format(imports=imports, body=body))
    return ScriptRunner(path, Limits(), sys.executable)


def test_two_environments(tmp_path) -> None:
    """They differ in all that a script can ask for; variables with a name that is put together are found."""
    seen = (
        "hash('a')", "os.environ['LANG']", "os.environ.get('TZ')", "time.localtime().tm_mday",
        "os.getcwd()[-7:]",
        "os.path.expanduser('~')[-12:]", "getpass.getuser()", "socket.gethostname()",
        "os.environ.get('COLUMNS')",
        "len(os.sched_getaffinity(0))",
    )  # fmt: skip
    body = f"print(repr([{', '.join(seen)}])); os.environ.get('_'.join(['MY', 'NAME']))"
    made = runner(tmp_path, body, "import getpass, socket, time")
    said = [made.run(TRIALS, RunOptions(under=under)).ended.stdout.decode() for under in (FIRST, second())]
    pairs = zip(*map(eval, said), strict=True)
    assert [name for name, (one, other) in zip(seen, pairs, strict=True) if one == other] in ([], [seen[-1]])
    assert {"MY_NAME", "TZ", "COLUMNS", "=clock"} <= {*made.run(TRIALS, RunOptions(pretended=())).asked_for}
    days = [made.run(TRIALS, RunOptions(pretended=(("clock", ahead),))) for ahead in (0.0, 86400.0 * 3)]
    assert days[0].ended.stdout != days[1].ended.stdout
    made.close()
    made = runner(tmp_path, "print(os.cpu_count(), time.gmtime().tm_year)", "import time")
    ran = made.run(TRIALS, RunOptions(pretended=(("processors", 77), ("clock", 86400.0 * 3653))))
    assert ran.ended.stdout.decode().split() == ["77", str(time.gmtime().tm_year + 10)]
    assert ran.asked_for == ("=processors", "=clock")
    made.close()


@pytest.mark.parametrize("month", range(1, 13))
def test_moments_are_on_every_day_and_at_every_hour(month) -> None:
    now = datetime(2026 + month % 3, month, 28, 23, 59, tzinfo=timezone.utc)
    found = [now + timedelta(seconds=ahead) for _, ahead in moments(now)]
    assert [moment.day for moment in found] == [*range(1, 32)]
    assert {moment.hour for moment in found} == {*range(24)}
    assert {moment.month for moment in found} == {*range(1, 13)}
    assert {moment.weekday() for moment in found} == {*range(7)}
    assert now < min(found)
