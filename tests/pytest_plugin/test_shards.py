"""``--conformance-shard``: what other parts have is deselected; merged they are the whole run."""

import json

import pytest

from conformance.outcomes import claims
from conformance.outcomes.document import as_json
from conformance.outcomes.merging import merged
from conformance.outcomes.transcript import read_transcript
from tests.outcomes.test_merging import Shard
from tests.reports import timeless

XDIST = ("-n", "1")
FEW = "avg or order or own-metric"
"""Vectors and properties of evsys, which has few to collect."""


@pytest.fixture
def report(run_pytest, tmp_path):
    def do(name, *args):
        path = tmp_path / name
        result = run_pytest(*args, "--conformance-again-seed", "3", "--conformance-report", str(path))
        content = path.read_bytes()
        return int(result.ret), Shard(content) if "--conformance-shard" in args else json.loads(content)

    return do


@pytest.mark.parametrize("runner", ["reference", "mistake:evsys-micro-mean"])
def test_shards_merged_are_the_whole(report, together, faults, runner) -> None:
    """One shard is run alone and one under xdist; the whole is the same either way."""
    args = ("--runner", runner, "--conformance-spec", "evsys", "--conformance-experiments", "0", "-k", FEW)
    alone, more = ("--conformance-shard", "1/2"), ("--conformance-shard", "2/2", *XDIST)
    shards = [report(f"{len(one)}.json", *args, *one)[1] for one in (alone, more)]
    status, whole = report("whole.json", *args)
    again, under_xdist = report("under-xdist.json", *args, *XDIST)
    assert [faults("run-report", one) for one in (whole, under_xdist)] == [[], []]
    assert again == status
    assert timeless(under_xdist) == timeless(whole)
    assert status == claims.exit_code(whole) == (runner != "reference")
    assert timeless(together(*shards)) == timeless(whole)
    assert claims.totals(whole).total() == whole["selection"]["selected"]
    properties, vectors = sum("property" in line for line in shards[0].lines), len(shards[0].vectors)
    assert vectors * properties > 0
    said = f"{properties} properties were" if properties > 1 else "1 property was"
    missing = f"shard 1/2 is missing: {vectors} vectors were not asked, {said} not tried"
    assert together(shards[1])["problems"] == [missing]


@pytest.fixture
def together(tmp_path):
    def do(*shards):
        paths = [tmp_path / f"{place}.gz" for place in range(len(shards))]
        for path, shard in zip(paths, shards, strict=True):
            path.write_bytes(shard.content)
        return json.loads(json.dumps(as_json(merged(list(map(read_transcript, paths))))))

    return do


def test_an_empty_shard_passes(report) -> None:
    codes = {
        report(f"{k}.json", "--runner", "reference", "-k", "exit-one", "--conformance-shard", f"{k}/3")[0]
        for k in (1, 2, 3)
    }
    assert codes == {0}


@pytest.mark.parametrize("workers", [(), XDIST], ids=["alone", "xdist"])
def test_what_was_not_reached_is_not_filtered(report, workers) -> None:
    args = ("--runner", "mistake:naive-sum", "-k", "aggregation/mean", "-m", "not conformance_properties")
    _, whole = report("whole.json", *args, *workers)
    status, ended = report("ended.json", *args, "-x", *workers)
    assert status == 1
    assert claims.filtered(ended) == claims.filtered(whole)
    counts = [claims.totals(one).total() for one in (whole, ended)]
    assert claims.not_reached(ended) == counts[0] - counts[1] > 0
