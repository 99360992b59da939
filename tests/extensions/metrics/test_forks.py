"""Runs by forks: they show what new processes show, or there are none."""

import socket
import subprocess
import sys
import time
from datetime import datetime, timezone

import pytest

from conformance.confinement.bubblewrap import confined
from conformance.extensions.metrics.sandbox import inside
from conformance.extensions.metrics.sandbox.environments import FIRST, moments, second
from conformance.extensions.metrics.sandbox.limits import Limits
from conformance.extensions.metrics.script.runner import ScriptRunner
from conformance.extensions.metrics.script.runs import How
from tests.extensions.metrics.bodies import each_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not confined(), reason="nothing confines a metric here"),
]
TRIALS = [[{"reward": value}] for value in (1.0, 0.5, 0.25, 0.0, 0.75)]
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


@each_of("forked")
def test_which_scripts_are_forked(tmp_path, row) -> None:
    (tmp_path / "beside.py").write_text("ONE = 1")
    if "beside" in row:
        (tmp_path / row["beside"]).touch()
    made = runner(tmp_path, row.get("body", ""), row.get("imports", ""))
    runs = [made.run(trials) for trials in TRIALS]
    assert runs[-1].ended.forked == row["forked"]
    made.close()


def test_what_a_script_changes_in_its_process_is_gone(tmp_path) -> None:
    made = runner(tmp_path, "json.count = getattr(json, 'count', 0) + 1; reward += json.count")
    runs = [made.run(trials) for trials in TRIALS]
    assert runs[-1].ended.forked
    assert [run.value["mean"] for run in runs] == [2.0, 1.5, 1.25, 1.0, 1.75]
    made.close()


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
    said = [made.run(TRIALS[0], How(under=under)).ended.stdout.decode() for under in (FIRST, second())]
    pairs = zip(*map(eval, said), strict=True)
    assert [name for name, (one, other) in zip(seen, pairs, strict=True) if one == other] in ([], [seen[-1]])
    assert {"MY_NAME", "TZ", "COLUMNS", "=clock"} <= {*made.run(TRIALS[0], How(pretended=())).asked_for}
    days = [made.run(TRIALS[0], How(pretended=(("clock", ahead),))) for ahead in (0.0, 86400.0 * 3)]
    assert days[0].ended.stdout != days[1].ended.stdout
    made.close()


def test_what_is_pretended(tmp_path) -> None:
    body = "print(os.cpu_count(), time.gmtime().tm_year)"
    made = runner(tmp_path, body, "import time")
    pretended = (("processors", 77), ("clock", 86400.0 * 3653))
    ran = made.run(TRIALS[0], How(pretended=pretended))
    assert ran.ended.stdout.decode().split() == ["77", str(time.gmtime().tm_year + 10)]
    assert ran.asked_for == ("=processors", "=clock")
    made.close()


@pytest.mark.parametrize("month", range(1, 13))
def test_moments_are_on_every_day_and_at_every_hour(month) -> None:
    now = datetime(2026 + month % 3, month, 28, 23, 59, tzinfo=timezone.utc)
    found = list(moments(now))
    assert [moment.day for moment in found] == [*range(1, 32)]
    assert {moment.hour for moment in found} == {*range(24)}
    assert {moment.month for moment in found} == {*range(1, 13)}
    assert {moment.weekday() for moment in found} == {*range(7)}
    assert now < min(found)


@each_of("imported")
def test_what_is_imported_may_be_in_the_way_of_forks(tmp_path, row) -> None:
    """Without walls, as a package is needed that does this when it is imported."""
    (tmp_path / "imported.py").write_text(row["module"])
    (tmp_path / "script").mkdir()
    words = [sys.executable, inside.__file__, "fork", str(tmp_path / "script" / "metric.py"), "imported"]
    kit, theirs = socket.socketpair()
    with kit, theirs, (tmp_path / "printed").open("wb") as printed:
        pair = {"stdin": theirs.fileno(), "stdout": printed, "stderr": printed}
        with subprocess.Popen(words, env={"PYTHONPATH": str(tmp_path)}, **pair) as process:
            said = kit.recv(1)
            process.kill()
    assert said.decode() == row["answer"], (tmp_path / "printed").read_text()
