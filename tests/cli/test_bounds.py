"""What bounds a run, as a user gives it and is told of it."""

import json
import time
from typing import Any

import pytest

from conformance.judging.known_failures import KnownFailures

pytestmark = pytest.mark.usefixtures("played")


def test_the_command_that_repeats_what_was_asked_again(cli: Any) -> None:
    vector = "harbor-0.13.1/aggregation/sum-int-2-53-plus-1"
    told = cli("run", "--runner", "reference", "--again-seed", 7, vector)
    assert (
        "asked again in other words (--again-seed 7): 1 vectors, none of them wrongly answered" in told.stdout
    )
    assert told.returncode == 0


def test_single_vectors_are_not_asked_again(cli: Any) -> None:
    told = cli("run", "--runner", "reference", "harbor-0.13.1/aggregation/sum-int-2-53-plus-1")
    assert "asked again" not in told.stdout


def test_a_report_holds_what_was_asked_again(cli: Any, tmp_path: Any, faults: Any) -> None:
    told = cli(
        *("run", "--runner", "mistake:mean-floors", "--spec", "harbor-0.13.1", "--again-seed", 7),
        *("--max-failures", 2, "--report", "report.json", "--failures", 0),
    )
    document = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert faults("run-report", document) == [], told.stderr
    assert document["asked_again"]["seed"] == 7
    assert document["totals"]["not-run"] > 0


def test_a_file_of_vectors_that_breaks_its_schema_is_one_sentence(cli: Any, vectors: Any) -> None:
    path = vectors.write([vectors.entry("one"), {**vectors.entry("two"), "flags": []}])
    told = cli("run", "--runner", "reference", "--vectors", path)
    assert told.returncode == 2
    [line] = [line for line in told.stderr.splitlines() if "schema" in line]
    assert str(path) in line
    assert "vector harbor-0.13.1/evals_key/two is not as" in line
    assert "$.flags" in line


def test_fuzz_says_which_claims_are_broken(cli: Any, vectors: Any, hostile_text: Any, tmp_path: Any) -> None:
    runner = hostile_text(vectors.several(2), "lookup")
    told = cli("fuzz", "--runner", runner, "--inputs", 20, "--ops", "evals_key", "--json", "fuzz.json")
    document = json.loads((tmp_path / "fuzz.json").read_text(encoding="utf-8"))
    assert document["unclaimed"] == ["job"]
    assert "breaks the claim of the class job" in told.stdout
    assert told.returncode != 0


@pytest.mark.slow
@pytest.mark.parametrize("form", ["harbor-0.13.1/*/none-{}-*", "*{}x", "harbor-0.13.1/agg*[ab]{}*"])
def test_tens_of_thousands_of_patterns_are_no_burden(form: str) -> None:
    listed = "".join(f"{form.format(number)} mismatch\n" for number in range(5_000))
    known = KnownFailures.parse(listed, "list")
    ids = [f"harbor-0.13.1/aggregation/vector-{number}" for number in range(2000)]
    began = time.process_time()
    for one in ids:
        known.expecting(one, "mismatch")
    assert len(known.problems(ids, {})) > 2_000
    assert time.process_time() - began < 8  # each tried on each takes minutes
