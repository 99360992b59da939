"""Published releases: what is asked of the index, what is refused, what is kept; one is really built."""

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from conformance.oracle import python, releases
from conformance.oracle.building import cache_dir
from conformance.oracle.index import Index
from conformance.oracle.python import OracleError, Python
from conformance.oracle.releases import built_releases, check_version, ensure_release, remove_releases

PUBLISHED = "hint: `made` was filtered. The requested version, v{}, was published at 2026-05-28T21:12:24Z."
WHY = "only certs<=2.1 is available and made==1.2.3 depends on certs>=2.2"
LACKS = "error: No solution found when resolving dependencies\n"
LACKS += f"  cause: Because {WHY}, we can conclude that made==1.2.3 cannot be used."
OFFLINE = {"err": "error: Failed to fetch: `https://index/simple/made/`\n  cause: Connection refused"}


@pytest.fixture
def index(monkeypatch):
    """An index that answers by rules, in this process; the first that fits."""

    def make(*rules):
        def run(command, *, input, **_):
            given = dict(pairwise(command))
            wanted, before = input if command[-1] == "-" else command[-1], given.get("--exclude-newer")
            held = Path(given["--override"]).read_text().split() if "--override" in given else []
            for rule in rules:
                asked = (wanted, rule.get("before", before), rule.get("held", held))
                if asked == (rule["wanted"], before, held):
                    said = rule.get("out", ""), rule.get("err", "")
                    return subprocess.CompletedProcess(command, "out" not in rule, *said)
            return subprocess.CompletedProcess(command, 1, "", f"no rule for {wanted}")

        instead = SimpleNamespace(run=run, TimeoutExpired=subprocess.TimeoutExpired)
        monkeypatch.setattr(python, "subprocess", instead)
        return Index("uv", Python("CPython", "3.12.0", Path(sys.executable)), "made")

    return make


def test_what_is_no_version_is_refused_before_anything_is_asked() -> None:
    for version in (
        *("", "1", "1.2", "1.2.3.4", "01.2.3", "1.2.3 ", "1.2.3\n", "1.2.3rc1", "v1.2.3", "1.2.x", "latest"),
        *("--help", "1.2.3 --index-url=http://x", "../1.2.3", "git+https://x", "1.2.3;a", "٣.٢.١"),
    ):
        with pytest.raises(OracleError, match="is not a release version: give three numbers"):
            ensure_release(version)
    for version in ("0.22.0", "10.0.123", "newest"):
        assert check_version(version) == version


def test_a_release_is_resolved_as_of_its_day_and_what_the_index_lacks_is_held_back(index) -> None:
    asked = index(
        {"wanted": "made==1.2.3", "before": "2000-01-01", "err": PUBLISHED.format("1.2.3")},
        {"wanted": "made==1.2.3", "before": "2026-05-29", "out": "certs==2.1\nmade==1.2.3"},
    ).resolve("1.2.3")
    assert asked.installed == ("certs==2.1", "made==1.2.3")
    assert (asked.published, asked.as_of, asked.held_back) == ("2026-05-28", "2026-05-29", ())
    found = {"wanted": "made==1.2.3", "before": None, "out": "made==1.2.3"}  # the index tells no days
    asked = index({"wanted": "made==1.2.3", "before": "2000-01-01", "err": "none"}, found).resolve("1.2.3")
    assert (asked.installed, asked.published, asked.as_of) == (("made==1.2.3",), None, None)
    asked = index(
        {"wanted": "made==1.2.3", "before": "2000-01-01", "err": PUBLISHED.format("1.2.3")},
        {"wanted": "made==1.2.3", "held": [], "err": LACKS},
        {"wanted": "made==1.2.3", "held": ["certs"], "out": "certs==2.1\nmade==1.2.3"},
    ).resolve("1.2.3")
    assert "certs==2.1" in asked.installed
    [held] = asked.held_back
    assert held.package == "certs"
    assert held.reason == WHY
    asked = index({"wanted": "made==1.2.3", **OFFLINE}, {"wanted": "made", **OFFLINE})
    for ask in (lambda: asked.resolve("1.2.3"), asked.newest):
        with pytest.raises(OracleError, match="check the network, then run this again") as caught:
            ask()
        assert "\n" not in str(caught.value)


def kept(cache, version):
    folder = cache / f"release-harbor-{version}-python-3.12.0-made"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    python.parent.mkdir(parents=True)
    python.touch()
    made = {"version": version, "published": "2026-05-28", "as_of": "2026-05-29"}
    made |= {"installed": ["a==1", "b==2"], "held_back": [{"package": "b", "reason": "there is no other"}]}
    (folder / "release.json").write_text(json.dumps(made), encoding="utf-8")
    return folder


@pytest.mark.slow
def test_what_was_installed_is_kept(cli, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HARBOR_CONFORMANCE_CACHE", str(tmp_path))
    assert built_releases() == []
    kept(tmp_path, "0.22.0"), kept(tmp_path, "0.9.0")
    cut_short = tmp_path / "release-harbor-0.9.1-python-3.12.0-made.partial-999999999"
    cut_short.mkdir()
    os.utime(cut_short, (0, 0))
    oracle = tmp_path / "harbor-0.13.1-python-3.12.0-made"
    oracle.mkdir()
    assert [release.version for release in built_releases()] == ["0.9.0", "0.22.0"]
    told = cli("doctor", HARBOR_CONFORMANCE_CACHE=str(tmp_path)).stdout
    assert "2 packages as of 2026-05-29; b held back: there is no other" in " ".join(told.split())
    assert cache_dir() == tmp_path
    assert remove_releases() == 2
    assert list(tmp_path.iterdir()) == [oracle]


@pytest.mark.oracle
def test_a_release_is_built_once_and_attached(cli) -> None:
    done = cli("run", "--harbor", "0.22.0", "--failures", "1", "*/aggregation/mean-*")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "runner: harbor 0.22.0 (harbor:0.22.0)" in done.stdout
    release = ensure_release("0.22.0", pytest.fail)
    assert release.version == "0.22.0"
    assert "harbor==0.22.0" in release.made.installed
    assert not list(cache_dir().glob(f"*.partial-{os.getpid()}"))
    assert releases.check_version(release.version) in {one.version for one in built_releases()}
