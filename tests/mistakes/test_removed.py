"""The known mistakes that were removed: each one's sentence, and the vector that catches it, are kept."""

import json

import pytest

from conformance.mistakes import MistakeError, all_mistakes, find_mistakes
from conformance.mistakes.__main__ import main
from conformance.mistakes.removed import MISREADINGS, TABLE, removed_mistakes
from conformance.registry.ops import OPS, SPECS
from conformance.suite.vectors import load_spec

READ = [
    one for path in sorted(MISREADINGS.glob("*.json")) for one in json.loads(path.read_bytes())["misreadings"]
]
ROWS = json.loads(TABLE.read_bytes())["removed"]
TOGETHER = [*ROWS, *(one for one in READ if "caught_by" in one)]
NAME = "harness-tags-sorted"
SENTENCE = (
    f"the known mistake '{NAME}' was removed: the vector harness-evals/json/tags"
    " catches a runner that makes it (tags are sorted by name)"
)


def test_every_removed_mistake_names_a_vector_of_its_operation() -> None:
    ops = {vector.id: vector.op.name for spec in SPECS for vector in load_spec(spec)}
    wrong = [one["name"] for one in TOGETHER if ops.get(one["caught_by"]) != one["op"]]
    assert not wrong, f"no vector of the operation is named for {wrong}: name another that catches it"
    assert len(ROWS) >= 829
    assert len(TOGETHER) - len(ROWS) == 1303
    assert len(removed_mistakes()) == len(TOGETHER), "two have one name"
    assert not removed_mistakes().keys() & all_mistakes().keys()
    assert all(one["says"] for one in TOGETHER)


def test_a_misreading_that_is_a_known_mistake_names_one_that_there_is_or_was() -> None:
    same = {one["name"]: one["same_as"] for one in READ if one["became"] == "same"}
    assert same
    assert set(same.values()) <= all_mistakes().keys() | removed_mistakes().keys()
    assert all(one["op"] in OPS for one in READ)
    unseen = [one for one in READ if one["became"] in ("equivalent", "limit")]
    assert [one["name"] for one in unseen if not one["reason"]] == []


@pytest.mark.parametrize("names", [NAME, f"naive-sum+{NAME}", f"{NAME}+no-such"])
def test_a_removed_mistake_is_answered_in_one_sentence(names, cli, monkeypatch) -> None:
    with pytest.raises(MistakeError) as refused:
        find_mistakes(names)
    assert str(refused.value) == SENTENCE
    done = cli("run", "--runner", f"mistake:{names}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.rstrip().endswith(SENTENCE)
    monkeypatch.setattr("sys.argv", ["mistakes", names])
    with pytest.raises(SystemExit, match="was removed") as ended:
        main()
    assert ended.value.code == SENTENCE
