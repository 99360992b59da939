"""The cache: runs that are killed, several at once, what is left; and what may be named."""

import signal
import stat
import subprocess
import sys

import pytest

from conformance.extensions.audit.command import doctor_rows
from conformance.extensions.audit.reading import Limits
from conformance.extensions.audit.sources import (
    Place,
    PlaceError,
    located,
    parse_location,
    printable_location,
)
from conformance.extensions.audit.sources.cache import caches
from conformance.extensions.audit.sources.remote import CONNECTIONS
from tests.extensions.audit.auditing import run
from tests.extensions.audit.sources.conftest import PLACE, fetched, kept
from tests.extensions.audit.sources.test_archives import tarred
from tests.processes import KIT, waited_for

RESULT = "submissions/second/several-keys/result.json"


def started(place):
    return subprocess.Popen([*KIT, "check", "--json", place], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_is_killed_half_way_is_resumed(how, hub, leaderboard, report) -> None:
    hub.always[RESULT] = (503, 2)  # everything waits for it
    process = started(PLACE)
    waited_for(lambda: len(fetched(hub)) >= 20, "file")
    process.send_signal(how)
    _, errors = process.communicate(timeout=300)
    assert process.returncode != 0
    assert b"Traceback" not in errors
    before = set(fetched(hub))
    assert len(kept()) >= 20 - CONNECTIONS
    assert "has only part of" in run("--json", PLACE, "--offline").stdout
    hub.always.clear()
    hub.asked.clear()
    assert report(PLACE) == report(str(leaderboard))
    again = set(fetched(hub)) & before
    assert len(again) <= CONNECTIONS + 1, "those that were under way, and what is too large"


def test_two_processes_at_the_same_cache(hub, leaderboard, report) -> None:
    hub.failures[RESULT] = [(503, 1)]
    both = [started(PLACE), started(PLACE)]
    told = [process.communicate(timeout=300)[0] for process in both]
    assert told == [report(str(leaderboard))] * 2
    assert [path for path in fetched(hub) if path != RESULT] == sorted(set(fetched(hub)) - {RESULT})


def test_what_there_is_is_nobody_elses_and_doctor_tells_it(hub, cache) -> None:
    assert "run once without --offline" in run(PLACE, "--offline").stdout
    run(PLACE)
    [files] = cache.rglob("files")
    assert stat.S_IMODE(files.stat().st_mode) == 0o600
    assert stat.S_IMODE(files.parent.stat().st_mode) == 0o700
    [cached] = caches()
    assert cached.where == PLACE
    with cached.locked(lambda _: None):  # it does not wait for who fetches
        [(what, state, told)] = doctor_rows()
    assert (what, state) == ("cache", "ok")
    assert told.startswith(f"{PLACE}, ")
    assert told.endswith(str(cached.root))


@pytest.mark.parametrize("kept_bytes", [0, 50, 5000])
def test_a_spoiled_cache_costs_only_time(kept_bytes, hub, leaderboard, report, cache) -> None:
    report(PLACE)
    [files] = cache.rglob("files")
    files.write_bytes(files.read_bytes()[:kept_bytes])
    run(PLACE, "--offline")
    assert report(PLACE) == report(str(leaderboard))


def test_a_cache_that_can_not_be_written(hub, tmp_path, monkeypatch, problem) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HARBOR_CONFORMANCE_CACHE", str(tmp_path / "file"))
    told = problem(PLACE)
    assert told.startswith(f"the cache {tmp_path / 'file'} can't be written (Not a directory)")
    assert "HARBOR_CONFORMANCE_CACHE" in told


# Locations


@pytest.mark.parametrize(
    ("named", "due"),
    [
        ("https://u:p@host/x.zip?sig=abc#x", "https://host/x.zip"),
        ("https://token@host:80/x", "https://host:80/x"),
        ("s3://key:secret@bucket/x?y", "s3://bucket/x?y"),
        ("hf://datasets/org/name@v1/x", "hf://datasets/org/name@v1/x"),
        ("a/folder", "a/folder"),
        ("s3://b/\x1b[2J", "s3://b/\\x1b[2J"),
        ("https://host/p@th", "https://host/p@th"),
    ],
)
def test_what_is_shown_of_a_location(named, due) -> None:
    assert printable_location(named) == due


@pytest.mark.parametrize(
    ("named", "due"),
    [
        ("simplecache::s3://b/x", "name the archive"),
        ("zip://a::x.zip", "name the archive"),
        ("nonsense://x/y", "fsspec does not support nonsense://"),
    ],
)
def test_locations_that_are_refused(named, due) -> None:
    with pytest.raises(PlaceError, match=r"^[^\n]*$") as refused:
        located(named, Limits())
    assert due in str(refused.value)


def test_a_folder_is_itself_the_folder(tmp_path, cache) -> None:
    for name in ("job", "job.zip", "a::b", "nowhere"):
        if name != "nowhere":
            (tmp_path / name).mkdir()
        assert located(str(tmp_path / name), Limits()) == Place(str(tmp_path / name))
    assert located(f"file://{tmp_path}/job", Limits()) == Place(f"{tmp_path}/job")
    assert not cache.exists()


def test_a_server_is_a_part_of_the_place(monkeypatch) -> None:
    place = parse_location("s3://b/x")
    before = place.key()
    assert before == parse_location("s3://b/x/").key()
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:1")
    assert place.key() != before


@pytest.mark.slow
def test_without_the_libraries(tmp_path, leaderboard) -> None:
    """Archives of this machine need nothing; what is elsewhere says what to install."""
    tarred("w:gz")(leaderboard, tmp_path / "x.tar.gz")
    libraries = ("fsspec", "aiohttp", "s3fs", "gcsfs", "huggingface_hub", "yarl")
    program = f"import sys; sys.modules |= dict.fromkeys({libraries!r}); {KIT[-1]}"
    for place, code, due in (
        (str(tmp_path / "x.tar.gz"), 1, b"pass-and-fail"),
        ("s3://b/x", 2, b"pip install 'harbor-conformance[remote]'"),
        ("https://localhost/x", 2, b"pip install 'harbor-conformance[remote]'"),
    ):
        command = [sys.executable, "-c", program, "check", place]
        done = subprocess.run(command, capture_output=True, timeout=300, check=False)
        assert (done.returncode, done.stderr) == (code, b"")
        assert due in done.stdout
