"""Datasets of huggingface's hub, from a server of this machine that answers as it does."""

import os
import subprocess
import sys

from tests.extensions.audit.sources.conftest import PLACE, fetched, kept
from tests.extensions.audit.sources.test_archives import zipped


def test_a_dataset_gives_the_report_of_the_folder(hub, leaderboard, report) -> None:
    due = report(str(leaderboard))
    assert report(PLACE) == due
    names = fetched(hub)
    assert sorted(names) == sorted(set(names)), "each file once"
    large = "submissions/second/tokens-and-cost/t2__0000002/verifier/reward.txt"
    assert set(names) == {one for one in kept() if (leaderboard / one).stat().st_size}
    assert large not in names
    assert any(path.startswith("/elsewhere/") for path in hub.sent), "a large file is redirected to"
    assert sum("/tree/" in path for path in hub.asked.elements()) > 1, "the listing has pages"
    hub.asked.clear()
    assert report(PLACE) == due
    assert fetched(hub) == []
    hub.asked.clear()
    assert report(PLACE, "--offline") == due
    assert not hub.asked


def test_a_part_of_a_revision(hub, leaderboard, report) -> None:
    due = report(str(leaderboard / "submissions/second"))
    assert report(f"{PLACE}@main/submissions/second") == due


def test_a_new_revision_is_seen(hub, leaderboard, report) -> None:
    report(PLACE)
    result = leaderboard / "submissions/second/several-keys/result.json"
    result.write_text(result.read_text().replace('"n_total_trials": ', '"n_total_trials": 1'))
    hub.asked.clear()
    assert report(PLACE) == report(str(leaderboard))
    assert fetched(hub) == ["submissions/second/several-keys/result.json"]


def test_an_archive_in_a_dataset(hub, leaderboard, tmp_path, report) -> None:
    due = report(str(leaderboard))
    zipped(leaderboard, tmp_path / "x.zip")
    (tmp_path / "x.zip").rename(leaderboard / "x.zip")
    assert report(f"{PLACE}/x.zip") == due


def test_no_such_dataset(hub, problem) -> None:
    assert problem("hf://datasets/org/other") == "there is nothing of that name"
    assert "there is nothing" in problem(f"{PLACE}/no/such/folder")


def test_a_private_dataset(hub, problem) -> None:
    hub.always["/api/datasets/org/name"] = 401
    assert problem(PLACE).startswith("access is refused (401)")


def test_as_a_user_would(hub, leaderboard, tmp_path, report) -> None:
    """The library's own variables for the server and the token; the token shows nowhere."""
    environment = {**os.environ, "HF_ENDPOINT": hub.url, "HF_TOKEN": "hf_secret", "HF_HOME": str(tmp_path)}
    hub.failures["several-keys/result.json"] = [503]
    command = [sys.executable, "-c", "from conformance.cli import main; main()", "check", "--json", PLACE]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=300, check=False)
    assert done.stdout == report(str(leaderboard))
    assert done.stderr == b""
    assert any(one.get("authorization") == "Bearer hf_secret" for one in hub.headers)
    kept = b"".join(one.read_bytes() for one in (tmp_path / "cache").rglob("*") if one.is_file())
    assert b"hf_secret" not in kept
