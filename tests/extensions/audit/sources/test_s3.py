"""Buckets of S3, from a real server on this machine."""

import logging
import os
import re
import time

import boto3
import pytest
from moto.server import ThreadedMotoServer

from conformance.extensions.audit.reading import Limits
from conformance.extensions.audit.sources import archives, located
from tests.extensions.audit.sources.conftest import kept, stored
from tests.extensions.audit.sources.test_archives import tarred, zipped

BUCKET = "leaderboards"
SECRET = "a-secret-that-nobody-sees"


@pytest.fixture(scope="module")
def endpoint():
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
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    client = boto3.client("s3")
    client.create_bucket(Bucket=BUCKET)

    def put(key, content) -> None:
        client.put_object(Bucket=BUCKET, Key=key, Body=content)

    yield put
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
        named = [{"Key": one["Key"]} for one in page.get("Contents", ())]
        if named:
            client.delete_objects(Bucket=BUCKET, Delete={"Objects": named})
    client.delete_bucket(Bucket=BUCKET)


def upload(put, folder, below) -> None:
    for one in sorted(folder.rglob("*")):
        if one.is_file():
            put(f"{below}{one.relative_to(folder)}", one.read_bytes())


def test_a_bucket_gives_the_report_of_the_folder(bucket, leaderboard, report) -> None:
    """Also where empty objects stand for folders; what changes is fetched again, and what goes is gone."""
    upload(bucket, leaderboard, "boards/1/")
    bucket("boards/10/result.json", b"another place whose name begins alike")
    due, place = report(str(leaderboard)), f"s3://{BUCKET}/boards/1"
    assert report(place) == due
    assert not [name for name in kept() if "/agent/" in name or name.endswith("trial.log")]
    before = stored()
    for folder in ("", "submissions/", "submissions/first"):
        bucket(f"boards/1/{folder}", b"")
    assert report(f"{place}/") == due
    assert stored() == before
    assert report(place, "--offline") == due
    result = leaderboard / "submissions/second/several-keys/result.json"
    result.write_text(result.read_text().replace('"n_total_trials": ', '"n_total_trials": 1'))
    bucket("boards/1/submissions/second/several-keys/result.json", result.read_bytes())
    log = "submissions/second/pass-and-fail/job.log"
    (leaderboard / log).unlink()
    boto3.client("s3").delete_object(Bucket=BUCKET, Key=f"boards/1/{log}")
    assert report(place) == report(str(leaderboard)) != due
    assert (stored()[0] > before[0], stored()[1]) == (True, before[1])


def test_a_whole_bucket(bucket, leaderboard, report) -> None:
    half = leaderboard / "submissions/second"
    upload(bucket, half, "")
    assert report(f"s3://{BUCKET}") == report(str(half))


@pytest.mark.parametrize("form", ["x.zip", "x.tar.gz"])
def test_an_archive_in_a_bucket(form, bucket, leaderboard, tmp_path, report, cache, monkeypatch) -> None:
    (zipped if form == "x.zip" else tarred("w:gz"))(leaderboard, tmp_path / form)
    bucket(f"a/{form}", (tmp_path / form).read_bytes())
    due = report(str(leaderboard))
    assert report(f"s3://{BUCKET}/a/{form}") == due
    assert not list(cache.rglob("archive")), "what is unpacked is not kept twice"
    assert report(f"s3://{BUCKET}/a/{form}", "--offline") == due
    monkeypatch.setattr(archives, "open_archive", None)
    assert report(f"s3://{BUCKET}/a/{form}") == due


@pytest.mark.parametrize("place", [f"s3://{BUCKET}/nothing", "s3://no-such-bucket/x", f"s3://{BUCKET}/x.zip"])
def test_nothing_there(place, bucket, problem) -> None:
    assert "there is nothing" in problem(place)


def test_no_credentials(bucket, monkeypatch, tmp_path, problem) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    assert "access is refused" in problem(f"s3://{BUCKET}/x")


def test_a_public_bucket_needs_a_word(bucket, monkeypatch, leaderboard, tmp_path) -> None:
    """FSSPEC_S3_ANON=true, as fsspec documents it: read when fsspec is loaded."""
    import fsspec

    content = (leaderboard / "submissions/second/several-keys/result.json").read_bytes()
    client = boto3.client("s3")
    client.put_object(Bucket=BUCKET, Key="x/several-keys/result.json", Body=content, ACL="public-read")
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setitem(fsspec.config.conf, "s3", {"anon": True})
    folder = located(f"s3://{BUCKET}/x", Limits()).below(["several-keys"]).top()
    assert folder.read("result.json", 10**6) == content
    folder.leave()


@pytest.mark.slow
def test_a_server_that_is_not_there_is_soon_known(monkeypatch, problem) -> None:
    """The library's own five attempts for each of ours took 40 seconds."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    began = time.process_time()
    assert re.search(r"no connection \(\w*Connect\w*\), asked 2 times in ", problem("s3://b/x"))
    assert time.process_time() - began < 20
