"""Counterexamples over machines: what one has found, another tries first."""

import io
import json
import threading
import urllib.error
import urllib.request
import zipfile

import pytest

from conformance.paths import vectors_dir
from conformance.properties import trying
from conformance.run.commands import CommandError
from conformance.run.databases import database_of

LIST = str(vectors_dir("harbor-0.13.1") / "properties.json")
SLUG = "aggregate-equals"
NAIVE = "mistake:naive-sum"
OPTION = "--conformance-counterexample-database"
PASSWORD = "s3cr3t%2Fw0rd"


@pytest.fixture
def machine(go, tmp_path, monkeypatch):
    """Tries one property as a machine of its own would: what it has found and printed."""
    monkeypatch.setattr(trying, "SHRINKING_SECONDS", 0.3)
    count = 0

    def run(*options, examples=1, runner=NAIVE):
        nonlocal count
        count += 1
        report, found = tmp_path / f"{count}.json", tmp_path / f"found-{count}"
        words = ["--conformance-fuzz", examples, "--conformance-fuzz-seed", 5]
        words += ["--conformance-counterexamples", found, *options]
        result = go(runner, LIST, "-k", SLUG, *map(str, words), "--conformance-report", report)
        (one,) = json.loads(report.read_text(encoding="utf-8"))["properties"]
        return one, result.stdout.str() + result.stderr.str()

    return run


@pytest.fixture
def redis_address():
    fakeredis = pytest.importorskip("fakeredis")
    server = fakeredis.TcpFakeServer(("127.0.0.1", 0), server_type="redis")
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def finds(machine, *options):
    """Lets a machine search until it finds something, which another tries first: what that one prints."""
    one, _ = machine(*options, "--conformance-fuzz-seed", 1, examples=300)
    assert (one["outcome"], one["examples"] > 1) == ("mismatch", True)
    return tries_first(machine, *options)


def tries_first(machine, *options):
    one, text = machine(*options)
    assert (one["outcome"], one["examples"]) == ("mismatch", 1)
    return f"{text}{one['repeat']}"


def test_without_a_database_one_input_shows_nothing(machine) -> None:
    one, _ = machine()
    assert (one["outcome"], one["examples"]) == ("passed", 1)


def test_what_one_machine_found_another_tries_first(machine, tmp_path) -> None:
    place = (OPTION, tmp_path / "shared")
    text = finds(machine, *place)
    assert f"shared counterexamples: {tmp_path / 'shared'}" in text
    assert f"{OPTION} {tmp_path / 'shared'} -k" in text
    tries_first(machine, *place, "-n", "1")


def test_a_redis_server_shares_them(machine, redis_address) -> None:
    place = (OPTION, f"redis://{redis_address}/0")
    text = finds(machine, *place)
    assert f"shared counterexamples: redis://{redis_address}/0" in text
    assert "note:" not in text


def test_a_server_that_is_not_there_fails_no_run(machine, tmp_path) -> None:
    """And its password is nowhere: not in the header, not in the note, not in the report."""
    address = f"redis://somebody:{PASSWORD}@127.0.0.1:1/0"
    one, text = machine(OPTION, address, runner="reference")
    assert one["outcome"] == "passed"
    (note,) = [line for line in text.splitlines() if line.startswith("note: ")]
    assert note.startswith(
        "note: counterexample database redis://***@127.0.0.1:1/0 is ignored: ConnectionError"
    )
    one, text = machine(OPTION, address, "--conformance-fuzz-seed", 1, examples=300)
    assert one["outcome"] == "mismatch"
    everything = text + "".join(path.read_text() for path in tmp_path.rglob("*.json"))
    for secret in ("somebody", "s3cr3t", "w0rd"):
        assert secret not in everything


def test_where_one_of_several_fails_the_others_serve(machine, tmp_path) -> None:
    several = (OPTION, "redis://127.0.0.1:1", OPTION, tmp_path / "own")
    text = finds(machine, *several)
    assert text.count("note: ") == 1


class GitHub:
    """What GitHub's interface answers, without a network."""

    def __init__(self, folder) -> None:
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []
        self._folder = folder

    def __call__(self, request, *_):
        self.asked.append(request.full_url)
        if request.full_url == "https://api.github.com/repos/owner/repo/actions/artifacts":
            one = {"name": "hypothesis-example-db", "created_at": "2026-11-23"}
            one["archive_download_url"] = "https://a/1"
            return io.BytesIO(json.dumps({"artifacts": [one]}).encode())
        if request.full_url != "https://a/1":
            raise urllib.error.URLError("there is no such host")
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            for path in sorted(self._folder.rglob("*")):
                archive.write(path, path.relative_to(self._folder))
        content.seek(0)
        return content


@pytest.fixture
def github(tmp_path, monkeypatch):
    stand_in = GitHub(tmp_path / "machine-a")
    monkeypatch.setattr(urllib.request, "urlopen", stand_in)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GITHUB_TOKEN", "the-token")
    return stand_in


def test_an_artifact_of_github_is_read_and_what_is_found_stays_here(machine, github, tmp_path) -> None:
    finds(machine, OPTION, tmp_path / "machine-a")
    before = sorted(path.name for path in (tmp_path / "machine-a").rglob("*"))
    text = tries_first(machine, OPTION, "github:owner/repo")
    assert github.asked == ["https://api.github.com/repos/owner/repo/actions/artifacts", "https://a/1"]
    assert sorted(path.name for path in (tmp_path / "machine-a").rglob("*")) == before
    assert list((tmp_path / "found-3" / "database").rglob("*"))
    assert "the-token" not in text
    assert "shared counterexamples: github:owner/repo" in text


def test_what_cannot_be_read_or_made_fails_no_run(machine, github, tmp_path) -> None:
    one, text = machine(OPTION, "github:owner/other", runner="reference")
    assert one["outcome"] == "passed"
    assert "note: counterexample database github:owner/other: Could not connect to GitHub" in text
    (tmp_path / "file").write_text("")
    one, text = machine(OPTION, tmp_path / "file", runner="reference")
    assert one["outcome"] == "passed"
    assert "is ignored: FileExistsError" in text


def test_what_cannot_be_a_database_is_a_sentence_and_no_password_is_shown() -> None:
    kinds = "it names a folder, redis://HOST:PORT/N or github:OWNER/REPO, not a http: address"
    for text, sentence in (
        ("http://host/x", kinds),
        ("", "it names a folder"),
        ("github:owner", "write github:OWNER/REPO"),
        ("github:../x/y/z", "write github:OWNER/REPO"),
        ("redis://", "the address names no host"),
        (f"redis://u:{PASSWORD}@host:port", "the address of redis can't be read"),
    ):
        with pytest.raises(CommandError) as caught:
            database_of(text)
        assert sentence in str(caught.value)
        assert "s3cr3t" not in str(caught.value)
    for text, shown in (
        (f"redis://u:{PASSWORD}@host:6379/1", "redis://***@host:6379/1"),
        (f"rediss://:{PASSWORD}@host", "rediss://***@host"),
        (f"redis://host/0?password={PASSWORD}", "redis://host/0"),
        ("redis://host/0", "redis://host/0"),
    ):
        found = database_of(text)
        assert (found.shown, found.secret) == (shown, "s3cr3t" in text)


def test_the_option_needs_fuzz(go) -> None:
    result = go("reference", LIST, OPTION, "x")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--conformance-counterexample-database needs --conformance-fuzz" in result.stderr.str()
