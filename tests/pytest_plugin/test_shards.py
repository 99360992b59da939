"""``--conformance-shard``: what other parts have is deselected; merged they are the whole run."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conformance.publishing.merging import merged
from conformance.publishing.reading import read
from tests.pages.test_merging import without_times

from conformance.wire.writing import dumps

SPEC = "harbor-0.13.1"
Go = Callable[..., pytest.RunResult]
XDIST = ("-n", "1")
FEW = "avg or order or own-metric"
"""Vectors and properties of evsys, which has few to collect."""


@pytest.fixture
def report(run_pytest: Go, tmp_path: Path) -> Callable[..., tuple[int, Any]]:
    """The exit status and the report of a run."""

    def do(name: str, *args: str) -> tuple[int, Any]:
        path = tmp_path / name
        result = run_pytest(*args, "--conformance-again-seed", "3", "--conformance-report", str(path))
        return int(result.ret), json.loads(path.read_text(encoding="utf-8"))

    return do


@pytest.mark.parametrize("runner", ["reference", "mistake:evsys-micro-mean"])
def test_parts_merged_are_the_whole(report: Any, tmp_path: Path, faults: Any, runner: str) -> None:
    """One part is run alone and one under xdist; the whole is the same either way."""
    args = ("--runner", runner, "--conformance-spec", "evsys", "-k", FEW)
    parts = [
        report(f"{k}.json", *args, *workers, "--conformance-shard", f"{k}/2")[1]
        for k, workers in ((1, ()), (2, XDIST))
    ]
    status, whole = report("whole.json", *args)
    again, under_xdist = report("under-xdist.json", *args, *XDIST)
    assert [faults("run-report", one) for one in (*parts, whole, under_xdist)] == [[], [], [], []]
    assert again == status
    assert dumps(without_times(under_xdist)) == dumps(without_times(whole))
    assert status == whole["exit_code"] == (runner != "reference")
    assert all(part["properties"] and part["results"] for part in parts)
    together = merged([read(tmp_path / f"{k}.json") for k in (1, 2)])
    assert dumps(without_times(together)) == dumps(without_times(whole))
    for one in (*parts, whole):
        selection, total = one["selection"], one["vectors"]["total"]
        assert total == len(one["results"]) + selection["filtered"] + selection["not_reached"]
        assert selection["not_reached"] == 0
    alone = merged([read(tmp_path / "2.json")])
    vectors, properties = len(parts[0]["results"]), len(parts[0]["properties"])
    said = f"{properties} properties were" if properties > 1 else "1 property was"
    assert alone["problems"] == [f"shard 1/2 is missing: {vectors} vectors were not asked, {said} not tried"]


def test_an_empty_part_passes(report: Any) -> None:
    codes = {
        report(f"{k}.json", "--runner", "reference", "-k", "exit-one", "--conformance-shard", f"{k}/3")[0]
        for k in (1, 2, 3)
    }
    assert codes == {0}


def test_no_test_at_all_is_still_none(report: Any) -> None:
    status, _ = report(
        "one.json", "--runner", "reference", "-k", "nothing-is-named-so", "--conformance-shard", "1/3"
    )
    assert status == pytest.ExitCode.NO_TESTS_COLLECTED or status == 2


@pytest.mark.parametrize("workers", [(), XDIST], ids=["alone", "xdist"])
def test_what_was_not_reached_is_not_filtered(report: Any, workers: tuple[str, ...]) -> None:
    args = ("--runner", "mistake:naive-sum", "-k", "aggregation/mean", "-m", "not conformance_properties")
    _, whole = report("whole.json", *args, *workers)
    status, ended = report("ended.json", *args, "-x", *workers)
    assert status == 1
    assert ended["selection"]["filtered"] == whole["selection"]["filtered"]
    assert ended["selection"]["not_reached"] == len(whole["results"]) - len(ended["results"]) > 0


def test_newer_vectors_are_not_asked(report: Any) -> None:
    args = ("--runner", "reference", "-k", "evals_key", "-m", "not conformance_properties")
    _, new = report("new.json", *args)
    _, old = report("old.json", *args, "--conformance-vectors-version", "0.1.0")
    since = {one["id"]: one["since"] for one in new["results"]}
    assert [one["id"] for one in old["results"]] == [key for key in since if since[key] == "0.1.0"]
    assert old["selection"]["vectors_version"] == old["vectors"]["version"] == "0.1.0"
    assert old["vectors"]["total"] + old["vectors"]["newer"] == new["vectors"]["total"]
    assert old["vectors"]["latest"] == new["vectors"]["version"]


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        (("--conformance-shard", "5/4"), "--conformance-shard 5/4: the parts are numbered from 1/4 to 4/4"),
        (
            ("--conformance-shard", "x"),
            "--conformance-shard x: write K/N, such as 2/4 for the second of four parts",
        ),
        (
            ("--conformance-vectors-version", "9"),
            f"--conformance-vectors-version: {SPEC} has no vectors of version 9; ",
        ),
    ],
)
def test_what_can_not_be_is_one_sentence(run_pytest: Go, option: tuple[str, ...], sentence: str) -> None:
    result = run_pytest("--runner", "reference", *option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {sentence}*"])
