"""A small leaderboard with what can be wrong in one, and a cache of the test's own."""

import json
import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import fsspec
import pytest

from conformance.extensions.audit.sources import remote
from conformance.extensions.audit.sources.cache import caches
from tests.extensions.audit.auditing import run, squeezed
from tests.extensions.audit.sources.servers import Failing, Hub, Server, serving
from tools.jobs.kept import JOBS, write

RIGHT = ("pass-and-fail", "several-keys", "not-a-number", "reward-errors", "tokens-and-cost")
UNREAD = ("agent/trajectory.json", "agent/result.json", "artifacts/reward.txt", "trial.log", "config.json")
"""What real trials have beside what the audit reads."""
LARGE = "tokens-and-cost/t2__0000002/verifier/reward.txt"
"""Too large to be read."""

Report = Callable[..., bytes]
Problem = Callable[..., str]


def fill(folder: Path) -> None:
    """Writes a leaderboard that any place can hold: files, and no folder without one."""
    first, second = folder / "submissions/first", folder / "submissions/second"
    for situation in RIGHT:
        write(JOBS[situation], (first if situation < "p" else second) / situation)
    for record in list(folder.rglob("verifier")):
        for path in UNREAD:
            file = record.parent / path
            if file.parent.name != "steps":
                file.parent.mkdir(exist_ok=True)
                file.write_text("BASE_BENCHMARK_RESULT=not looked at\n" * 50)
        (record / "stdout.txt").write_text("a verifier's output\n")
    trial = min(one for one in (second / "pass-and-fail").iterdir() if one.is_dir())
    others = {
        first / "metadata.yaml": "agent: somebody's & ours\n",
        second / "pass-and-fail/job.log": "not read\n",
        second / "pass-and-fail/notes #1 & more?.txt": "not looked at",
        second / LARGE: "1" * (2**20 + 1),
        second / "reward-errors/t9__0000009/agent/log.txt": "it died\n",
        second / "no-job/README.md": "# no job\n",
        trial / "verifier/reward.txt": "0.25\n",
    }
    write({str(path): content for path, content in others.items()}, folder)


@pytest.fixture
def leaderboard(tmp_path: Path) -> Path:
    folder = tmp_path / "web" / "leaderboard"
    fill(folder)
    return folder


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HARBOR_CONFORMANCE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(remote, "FIRST_DELAY", 0.002)
    return tmp_path / "cache"


@pytest.fixture
def report() -> Report:
    """What `check --json` prints, which exits as it is told to."""

    def reported(*arguments: str, exits: int = 1) -> bytes:
        result = run("--json", *arguments)
        assert result.exit_code == exits, result.stdout
        assert not result.stderr
        return result.stdout_bytes

    return reported


@pytest.fixture
def problem() -> Problem:
    """The sentence about a location that can't be read, in the report and on the terminal."""

    def told(*arguments: str) -> str:
        result = run("--json", *arguments)
        assert result.exit_code == 2, result.stdout
        [job] = json.loads(result.stdout)["jobs"]
        told = str(job["problem"])
        assert squeezed(re.sub(r"in \d+ s.*", "", told))[:400] in squeezed(run(*arguments).stdout)
        return told

    return told


@pytest.fixture
def web(leaderboard: Path) -> Iterator[Server]:
    with serving(Failing, leaderboard.parent) as server:
        yield server


PLACE = "hf://datasets/org/name"


@pytest.fixture
def hub(leaderboard: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Has the leaderboard at `PLACE`, for this process and for those that it starts."""
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    with serving(Hub, leaderboard) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setitem(fsspec.config.conf, "hf", {"endpoint": server.url})
        yield server


def fetched(hub: Server) -> list[str]:
    """The files that were asked for, each as often as it was."""
    return sorted(path.partition("/main/")[2] for path in hub.asked.elements() if "/resolve/" in path)


def kept() -> set[str]:
    """The files whose content the one cache has, by path."""
    [cache] = caches()
    with cache.locked(lambda _: None):
        return {os.fsdecode(b"/".join(filter(None, key))) for key in cache.kept()}


def stored() -> tuple[int, int]:
    """Changes with what the cache has: the same as before where nothing was fetched."""
    [cache] = caches()
    with closing(sqlite3.connect(cache.file)) as database:
        rows = database.execute("SELECT max(rowid), count(*) FROM file WHERE content IS NOT NULL")
        found: tuple[int, int] = rows.fetchone()
    return found
