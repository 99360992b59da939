"""What the releases' pages say of later releases that no vector shows, executed by real releases."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from conformance.oracle import environments
from conformance.oracle.of_specs import recipe_of
from conformance.oracle.releases import ensure_release

PROGRAM = Path(__file__).parents[3] / "tools" / "later_releases.py"
PAST = {
    "a step's verifier takes too long": ["TimeoutError"],
    "a verifier's environment starts too slowly": "VerifierTimeoutError",
    "and is tried again": 0,
    "a job of three tasks, two of which pass": [6, 6, [{"mean": 2 / 3}], {"2": 2 / 3}],
    "diff_job": "ValidationError",
    "version 1.2 of the package org/d": ["org/d@latest"],
    "moved_job": "ValueError",
}
SINCE_24 = {
    **{key: fact for key, fact in PAST.items() if key != "diff_job"},
    "a step's verifier takes too long": ["VerifierTimeoutError"],
    "a verifier's environment starts too slowly": "EnvironmentStartTimeoutError",
    "and is tried again": 1,
    "its diff job, when the third task is another": [2, 2, [{"mean": 0.0}], {"2": 0.0}],
    "tasks of the diff job": ["org/c", "org/c"],
}
SINCE_25 = {
    **{key: fact for key, fact in SINCE_24.items() if key != "moved_job"},
    "version 1.2 of the package org/d": ["org/d@1.2"],
    "a moved job is resumed": 1,
}


@pytest.mark.parametrize(
    ("release", "facts"),
    [
        pytest.param("0.23.0", PAST, marks=pytest.mark.release),
        pytest.param("0.24.0", SINCE_24, marks=pytest.mark.release),
        pytest.param("0.25.0", SINCE_25, marks=pytest.mark.oracle),
    ],
)
def test_what_changed_is_what_the_releases_do(release, facts) -> None:
    if release == "0.25.0":
        built = environments.ensure(lambda _: None, recipe=recipe_of("harbor-0.25.0"))
    else:
        built = ensure_release(release, lambda _: None)
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run([built.python, PROGRAM], env=env, capture_output=True, timeout=600, check=True)
    assert json.loads(done.stdout) == {"harbor": release, **facts}
