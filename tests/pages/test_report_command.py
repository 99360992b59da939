"""`harbor-conformance report`, on reports that the kit wrote, as a user calls it."""

import gzip
import hashlib
import os
import re
import shutil
from pathlib import Path

import pytest

from conformance.formats import FORMATS

ENDINGS = [".txt", ".log", ".md", ".html", ".xml", ".json", ".json", ".svg"]


@pytest.fixture
def wrong(examples, tmp_path):
    return Path(shutil.copy(examples.path("wrong"), tmp_path / "wrong.json"))


@pytest.fixture
def right(examples, tmp_path):
    return Path(shutil.copy(examples.path("right"), tmp_path / "right.json"))


def test_a_page_is_named_by_its_content(cli, wrong, right) -> None:
    everything = [word for name in FORMATS for word in ("--format", name)]
    done = cli("report", wrong, *everything, "-o", "pages/")
    paths = [wrong.parent / line for line in done.stdout.splitlines()]
    assert [path.suffix for path in paths] == ENDINGS
    assert {path.name for path in paths} == set(os.listdir(wrong.parent / "pages"))
    for path in paths:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert re.fullmatch(rf"run-{digest[:16]}\.[\w.]+", path.name)
    before = [path.stat().st_mtime_ns for path in paths]
    assert cli("report", wrong, *everything, "-o", "pages").stdout == done.stdout  # the same for ever
    assert [path.stat().st_mtime_ns for path in paths] == before
    other = cli("report", right, "--format", "html", "-o", "pages/").stdout
    assert other not in done.stdout


def test_two_reports_are_a_difference(cli, wrong, right) -> None:
    better, worse = cli("report", wrong, right), cli("report", right, wrong)
    assert better.returncode == worse.returncode == 0
    assert better.stdout != worse.stdout
    codes = [cli("report", *two, "--exit-code").returncode for two in ((wrong, right), (right, wrong))]
    assert codes == [0, 1]
    done = cli("report", right, wrong, "--format", "html", "-o", "pages/")
    assert done.stdout.startswith("pages/difference-")


REFUSED = [
    (["--format", "html", "--format", "text"], "several formats need a folder"),
    (["--json", "x.json"], "--json needs --merge"),
    (["--format", "pdf"], "pdf"),
    (["-o", "wrong.json"], "is a report, so the page can't be written to it"),
    (["-o", "no/such/folder/page.html"], "can't be written"),
    (["wrong.json", "wrong.json"], "3 reports: give one, two, or --merge"),
    (["right.json", "--format", "html", "--format", "badge-svg", "-o", "pages/"], "has no badge"),
]


@pytest.mark.parametrize(("words", "sentence"), REFUSED)
def test_what_cannot_be_meant_is_refused_in_a_sentence(cli, wrong, right, words, sentence) -> None:
    before = wrong.read_bytes()
    done = cli("report", wrong, *words)
    assert (done.returncode, sentence in done.stderr, "Traceback" in done.stderr) == (2, True, False)
    assert sorted(os.listdir(wrong.parent)) == ["right.json", "wrong.json"]
    assert wrong.read_bytes() == before


NO_REPORTS = [
    (b"", "is not JSON that can be read"),
    (b"\xff", "is not JSON that can be read"),
    (b"[" * 100_000, "is not JSON that can be read"),
    (b"[]", "is not a report"),
    (gzip.compress(b"{}", mtime=0), "but the transcript of a shard: merge all shards with"),
    (b'{"schema":"urn:harbor-conformance:transcript:1"}', "but the transcript of a shard"),
    (b'{"schema": 1}', "is not a report"),
    (b'{"schema": "urn:harbor-conformance:vector-file:1"}', "is not a report"),
    (b'{"schema": "urn:harbor-conformance:run-report:1", "kit_version": "\x1b[31m9"}', "not JSON"),
    (b'{"schema": "urn:harbor-conformance:run-report:2", "kit_version": "9.9"}', "of kit 9.9"),
    (b'{"schema": "urn:harbor-conformance:check-report:1"}', "of the version that wrote it shows it"),
]


@pytest.mark.parametrize(("content", "sentence"), NO_REPORTS)
def test_what_is_no_report_is_refused_in_a_sentence(cli, tmp_path, content, sentence) -> None:
    (tmp_path / "a.json").write_bytes(content)
    done = cli("report", "a.json", "-o", "page.html")
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert os.listdir(tmp_path) == ["a.json"]
