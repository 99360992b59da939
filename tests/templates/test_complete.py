"""The complete runner, in Rust: every vector at bytes, every property, random inputs."""

import json
import shlex
import sys

import pytest

from conformance.templates.languages import named
from tests.processes import alone
from tests.templates.echoing.building import HERE, look_for, ran

ROOT = HERE.parents[1]
COMPLETE = ROOT / "tests" / "runners" / "complete"


@pytest.fixture(scope="session")
def complete(builder):
    """The command of the complete runner, built once for all workers, outside the checkout."""
    rust = named("rust")
    assert rust is not None
    look_for(rust)
    target = builder.root / "complete"
    with alone(target):
        for action in ("build", "test"):
            command = ["cargo", action, "--release", "--quiet", "--locked"]
            command += ["--manifest-path", str(COMPLETE / "Cargo.toml"), "--target-dir", str(target)]
            done = ran(command, COMPLETE)
            assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
            assert "warning" not in done.stderr, done.stderr[-3000:]
    return shlex.quote(str(target / "release" / "complete"))


@pytest.mark.release
def test_all_classes_are_claimed(complete, cli, tmp_path) -> None:
    """Every vector at bytes, and what is asked again in other words; every property, 10,000 random inputs."""
    done = cli("run", "--runner", complete, "--report", "report.json")
    assert done.returncode == 0, done.stdout[-3000:]
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["level"] == "bytes"
    assert report["results"] == report["asked_again"]["results"] == []
    assert report["asked_again"]["passed"]
    assert {one["claimed"] for one in report["summary"]["classes"].values()} == {"bytes"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--runner", complete]
    done = ran(command, tmp_path)
    assert done.returncode == 0, done.stdout[-3000:]
    assert not any(word in done.stdout for word in (" failed", " skipped"))
    done = cli("fuzz", "--runner", complete, "--inputs", "10000", "--seed", "16")
    assert done.returncode == 0, done.stdout[-3000:]


def test_it_needs_nothing_but_the_standard_library() -> None:
    text = (COMPLETE / "Cargo.toml").read_text()
    assert "dependencies" not in text.replace("[dependencies]\n\n", "")
    assert (COMPLETE / "Cargo.lock").read_text().count("[[package]]") == 1
