"""Archives over HTTP, from a server that is busy, slow and breaks off."""

import re
import time

import pytest

from conformance.extensions.audit.sources import remote
from tests.extensions.audit.sources.servers import Failing, serving
from tests.extensions.audit.sources.test_archives import zipped


@pytest.fixture
def archive(web, leaderboard):
    zipped(leaderboard, leaderboard.parent / "x.zip")
    return f"{web.url}/x.zip"


def test_a_busy_server_is_left_alone_for_as_long_as_it_says(web, archive, leaderboard, report) -> None:
    web.failures["/x.zip"] = [(429, 1), (429, 1), 503, 500]
    began = time.monotonic()
    assert report(archive) == report(str(leaderboard))
    assert time.monotonic() - began > 1
    assert web.asked["/x.zip"] == 6, "twice for its size, where that fails"


def test_how_long_to_wait() -> None:
    for given, due in (("2.5", 2.5), ("-1", 0), ("Wed, 21 Oct 2026 07:28:00 GMT", 0)):
        assert remote._retry_after({"Retry-After": given}) == due
    assert remote._retry_after({}) == 0


@pytest.mark.parametrize(
    ("failure", "due"),
    [
        (503, "the server returned 503 after 8 attempts in "),
        (418, "the server returned 418 after one attempt"),
        (403, "access is denied (403): check the credentials"),
        (404, "it does not exist"),
        ((429, 10_000), "the server returned 429 after one attempt: run this again later"),
        ("drop", "no connection (ClientPayloadError) after 8 attempts in "),
        ("reset", "no connection (ServerDisconnectedError) after 8 attempts in "),
    ],
)
def test_in_the_end_one_sentence(failure, due, web, archive, problem) -> None:
    web.always["/x.zip"] = failure
    assert problem(archive).startswith(due)


@pytest.mark.slow
def test_no_server(problem, leaderboard) -> None:
    with serving(Failing, leaderboard) as server:
        place = f"{server.url}/x.zip"
    assert "no connection (ClientConnectorError) after 2 attempts" in problem(place)


def test_credentials_are_used_and_not_shown(web, archive, leaderboard, report, problem, cache) -> None:
    """Nor a signature."""
    place, due = archive.replace("://", "://user:pass%77ord@"), report(str(leaderboard))
    assert report(place) == due
    assert {one.get("authorization") for one in web.headers} == {"Basic dXNlcjpwYXNzd29yZA=="}
    assert all(b"pass%" not in one.read_bytes() for one in cache.rglob("*") if one.is_file())
    signed = f"{archive}?X-Amz-Signature=0123456789abcdef"
    assert report(signed) == due
    for failure in (403, 500, "reset"):
        web.always["/x.zip"] = failure
        told = problem(place) + problem(signed)
        assert not re.search("pass%|user:|0123456789|x.zip", told), "the report begins with the name"


def test_authorization_stays_with_its_server(web, archive, leaderboard, report) -> None:
    with serving(Failing, leaderboard.parent) as other:
        web.always["/x.zip"] = (302, f"{other.url.replace('127.0.0.1', 'localhost')}/x.zip")
        assert report(archive.replace("://", "://user:word@")) == report(str(leaderboard))
        assert other.sent["/x.zip"] == 1
        assert all("authorization" not in one for one in other.headers)


def test_a_folder_is_not_listed(web, problem) -> None:
    assert "a web server does not list folders: name an archive" in problem(f"{web.url}/leaderboard")
    assert not web.asked


def test_what_has_not_changed_is_not_sent_again(web, archive, leaderboard, report, cache) -> None:
    due = report(str(leaderboard))
    web.failures["/x.zip"] = ["drop", "drop", 429]
    assert report(archive) == due
    assert not list(cache.rglob("archive"))
    web.sent.clear()
    assert report(archive) == due
    assert not web.sent
    assert report(archive, "--offline") == due
