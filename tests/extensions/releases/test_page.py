"""The page of harbor's releases is what its two files render to, and its sentences are what was executed."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from conformance.extensions.releases.matrix.subjects import NEWEST
from conformance.oracle import environments
from conformance.oracle.of_specs import recipe_of
from conformance.oracle.releases import ensure_release
from conformance.suite.clauses import statements
from tools.releases_page import PAGE, contradictions, matrix_and_rules, newest_executed, releases_page

ROOT = Path(__file__).parents[3]
SUBJECTS = ROOT / "tests" / "extensions" / "releases" / "subjects.txt"


@pytest.fixture(scope="module")
def kept():
    return matrix_and_rules()[0]


@pytest.fixture(scope="module")
def rules(faults):
    rules = matrix_and_rules()[1]
    assert faults("release-rules", rules) == []
    return rules


def test_the_page_is_what_its_files_render_to(kept, rules) -> None:
    """Else: ``python -m tools.releases_page``."""
    assert PAGE.read_text("utf-8") == releases_page(kept, rules)


def test_the_sentences_are_what_was_executed(kept, rules) -> None:
    assert contradictions(kept, rules) == []


def test_a_sentence_that_says_otherwise_is_found(kept, rules) -> None:
    def contradicted(**changes):
        return contradictions(kept, {**rules, "rules": [{**of, **changes}]})

    of = next(rule for rule in rules["rules"] if rule["clauses"] and rule["since"] == "0.23.0")
    assert any("since 0.14.0: 0.22.0 shows 0" in one for one in contradicted(since="0.14.0"))
    assert any("which no rule explains" in one for one in contradicted(clauses=[]))
    of = next(rule for rule in rules["rules"] if rule["new_clauses"] and rule["since"] == "0.23.0")
    assert any("since 0.14.0: 0.22.0 fails" in one for one in contradicted(clauses=[], since="0.14.0"))


def test_a_release_that_no_spec_describes_is_explained_by_operation(kept, rules) -> None:
    newest = newest_executed(kept)
    later = [rule for rule in rules["rules"] if rule["since"] == newest and rule["ops"]]
    assert later
    others = [{**rule, "ops": []} if rule == later[0] else rule for rule in rules["rules"]]
    (op,) = later[0]["ops"]
    expected = [f"{NEWEST} answers {op} differently, which no rule explains"]
    assert contradictions(kept, {**rules, "rules": others}) == expected


def test_the_rules_name_clauses_that_there_are(kept, rules) -> None:
    for spec, named in ((kept["specs"][0], "clauses"), (kept["specs"][-1], "new_clauses")):
        if named == "clauses" or len(kept["specs"]) > 1:
            known = statements(spec)
            assert [one for rule in rules["rules"] for one in rule[named] if one not in known] == []
    releases = [tuple(map(int, rule["since"].split("."))) for rule in rules["rules"]]
    assert releases == sorted(releases)


def test_every_release_was_tried(kept) -> None:
    """But the newest, which may have come after the adapter."""
    words = SUBJECTS.read_text("utf-8").split()
    assert [one["given"] for one in kept["subjects"]] == words
    refused = [row["subject"] for row in kept["rows"] if row["why_not"] and row["subject"] != NEWEST]
    assert refused == []


def test_what_is_kept_names_nobodys_machine(kept) -> None:
    assert re.findall(r".*(?:/(?:tmp|home|root|work|Users)/|https?://).*", json.dumps(kept, indent=0)) == []


# What it says of later releases that no vector shows, executed by real releases

PROGRAM = ROOT / "tools" / "later_releases.py"
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
