"""Buckets, datasets of a hub and other places: the report of the folder, and only what is new is fetched."""

import logging
import os
import re
import subprocess
import time
from functools import partial
from types import SimpleNamespace

import boto3
import fsspec
import pytest
from moto.server import ThreadedMotoServer

from conformance.extensions.audit.reading import Limits
from conformance.extensions.audit.sources import archives, located
from tests.extensions.audit.auditing import edit
from tests.extensions.audit.sources.conftest import LARGE, PLACE, fetched, kept, stored
from tests.extensions.audit.sources.servers import Google, serving
from tests.extensions.audit.sources.test_archives import tarred, zipped
from tests.processes import KIT

pytestmark = pytest.mark.slow
BUCKET = "leaderboards"
RESULT = "submissions/second/several-keys/result.json"
LOG = "submissions/second/pass-and-fail/job.log"


@pytest.fixture(scope="module")
def endpoint():
    """A real server of S3 on this machine."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(endpoint, monkeypatch):
    """Puts an object into an empty bucket."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret-that-nobody-sees")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    bucket = boto3.resource("s3").create_bucket(Bucket=BUCKET)

    def put(key, content, **more) -> None:
        bucket.put_object(Key=key, Body=content, **more)

    yield put
    bucket.objects.all().delete()
    bucket.delete()


def upload(put, folder, below) -> None:
    for one in sorted(folder.rglob("*")):
        if one.is_file():
            put(f"{below}{one.relative_to(folder)}", one.read_bytes())


@pytest.fixture
def place(request, leaderboard, monkeypatch):
    """Has the leaderboard: its URL, in another spelling too, what a server was asked, how to update it."""
    asked, again, markers = {}, "", []

    def update() -> None:
        """The others have the folder itself."""

    if request.param == "hub":
        hub = request.getfixturevalue("hub")
        url, asked = PLACE, hub.asked
    elif request.param == "google":
        google = request.getfixturevalue("google")
        google.failures["several-keys/result.json"] = [503]
        url, asked = "gs://b/leaderboard", google.asked
    elif request.param == "memory":
        url, memory = "memory://boards/one", fsspec.filesystem("memory")
        monkeypatch.setattr(type(memory), "store", {})

        def update() -> None:
            memory.store.clear()
            memory.pseudo_dirs[:] = [""]
            memory.put(str(leaderboard), "/boards/one", recursive=True)

        update()
    else:
        url, again, put = f"s3://{BUCKET}/boards/1", "/", request.getfixturevalue("bucket")
        put("boards/10/result.json", b"another place whose name begins alike")

        def update() -> None:
            upload(put, leaderboard, "boards/1/")
            boto3.client("s3").delete_object(Bucket=BUCKET, Key=f"boards/1/{LOG}")

        upload(put, leaderboard, "boards/1/")
        folders = ("", "submissions/", "submissions/first")
        markers = [partial(put, f"boards/1/{folder}", b"") for folder in folders]
    return SimpleNamespace(url=url, again=url + again, asked=asked, update=update, markers=markers)


@pytest.fixture
def google(leaderboard, monkeypatch):
    with serving(Google, leaderboard.parent) as server:
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", server.url)
        monkeypatch.setitem(fsspec.config.conf, "gs", {"token": "anon"})
        yield server


@pytest.mark.parametrize("place", ["hub", "s3", "google", "memory"], indirect=True)
def test_a_place_gives_the_report_of_the_folder(place, leaderboard, report) -> None:
    """What changes is fetched again, and what goes is gone; empty objects may stand for folders."""
    due = report(str(leaderboard))
    assert report(place.url) == due
    assert len(kept()) > 20
    assert not [name for name in kept() if "/agent/" in name or name.endswith("trial.log")]
    before = stored()
    for mark in place.markers:
        mark()
    assert report(place.again) == due
    assert stored() == before
    place.asked.clear()
    assert report(place.url, "--offline") == due
    assert not place.asked
    edit(leaderboard / RESULT, ('"n_total_trials": ', '"n_total_trials": 1'))
    (leaderboard / LOG).unlink()
    place.update()
    assert report(place.url) == report(str(leaderboard)) != due
    assert (stored()[0] > before[0], stored()[1]) == (True, before[1])


def test_each_file_of_a_dataset_is_fetched_once(hub, leaderboard, report) -> None:
    report(PLACE)
    names = fetched(hub)
    assert sorted(names) == sorted({one for one in kept() if (leaderboard / one).stat().st_size})
    assert f"submissions/second/{LARGE}" not in names
    assert any(path.startswith("/elsewhere/") for path in hub.sent), "a large file is redirected to"
    assert sum("/tree/" in path for path in hub.asked.elements()) > 1, "the listing has pages"
    edit(leaderboard / RESULT, ("0.", "1."))
    hub.asked.clear()
    report(PLACE)
    assert fetched(hub) == [RESULT]


def test_a_part_of_a_place(hub, bucket, leaderboard, tmp_path, report) -> None:
    """A folder at a revision, a whole bucket, an archive among files."""
    half = leaderboard / "submissions/second"
    due = report(str(half))
    assert report(f"{PLACE}@main/submissions/second") == due
    upload(bucket, half, "")
    assert report(f"s3://{BUCKET}") == due
    zipped(half, tmp_path / "x.zip")
    (tmp_path / "x.zip").rename(leaderboard / "x.zip")
    assert report(f"{PLACE}/x.zip") == due


@pytest.mark.parametrize("form", ["x.zip", "x.tar.gz"])
def test_an_archive_in_a_bucket(form, bucket, leaderboard, tmp_path, report, cache, monkeypatch) -> None:
    (zipped if form == "x.zip" else tarred("w:gz"))(leaderboard, tmp_path / form)
    bucket(f"a/{form}", (tmp_path / form).read_bytes())
    due, place = report(str(leaderboard)), f"s3://{BUCKET}/a/{form}"
    assert report(place) == due
    assert not list(cache.rglob("archive")), "what is unpacked is not kept twice"
    assert report(place, "--offline") == due
    monkeypatch.setattr(archives, "open_archive", None)
    assert report(place) == due


def test_nothing_there(hub, bucket, problem) -> None:
    for place in (
        f"s3://{BUCKET}/nothing",
        "s3://no-such-bucket/x",
        f"s3://{BUCKET}/x.zip",
        f"{PLACE}/no/such",
    ):
        told = problem(place)
        assert told == "it does not exist" or told.startswith("there is nothing at "), place
    assert problem("hf://datasets/org/other") == "it does not exist"


def test_no_credentials(hub, bucket, monkeypatch, tmp_path, problem) -> None:
    hub.always["/api/datasets/org/name"] = 401
    assert problem(PLACE).startswith("access is denied (401)")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    assert "access is denied" in problem(f"s3://{BUCKET}/x")


def test_a_public_bucket_needs_a_word(bucket, monkeypatch, leaderboard) -> None:
    """FSSPEC_S3_ANON=true, as fsspec documents it: read when fsspec is loaded."""
    content = (leaderboard / RESULT).read_bytes()
    bucket("x/several-keys/result.json", content, ACL="public-read")
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setitem(fsspec.config.conf, "s3", {"anon": True})
    folder = located(f"s3://{BUCKET}/x", Limits()).below(["several-keys"]).top()
    assert folder.read("result.json", 10**6) == content
    folder.leave()


def test_a_server_that_is_not_there_is_soon_known(monkeypatch, problem) -> None:
    """The library's own five attempts for each of ours took 40 seconds."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    began = time.process_time()
    assert re.search(r"no connection \(\w*Connect\w*\) after 2 attempts in ", problem("s3://b/x"))
    assert time.process_time() - began < 20


def test_as_a_user_would(hub, leaderboard, tmp_path, report) -> None:
    """The hub's own variables for the server and the token; the token shows nowhere."""
    environment = {**os.environ, "HF_ENDPOINT": hub.url, "HF_TOKEN": "hf_secret", "HF_HOME": str(tmp_path)}
    done = subprocess.run([*KIT, "check", "--json", PLACE], env=environment, capture_output=True, timeout=300)
    assert (done.stdout, done.stderr) == (report(str(leaderboard)), b"")
    assert any(one.get("authorization") == "Bearer hf_secret" for one in hub.headers)
    kept = b"".join(one.read_bytes() for one in (tmp_path / "cache").rglob("*") if one.is_file())
    assert b"hf_secret" not in kept
