"""The misreadings that were known mistakes: each one's sentence, and the vector that catches it, are kept."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.mistakes import MistakeError, all_mistakes, find_mistakes
from conformance.mistakes.__main__ import main
from conformance.mistakes.misreadings import FOLDER
from conformance.registry.ops import OPS, SPECS
from conformance.suite.vectors import load_spec

EVERY: list[dict[str, Any]] = [
    one
    for path in sorted(Path(FOLDER).glob("*.json"))
    for one in json.loads(path.read_bytes())["misreadings"]
]
REMOVED = {one["name"]: one for one in EVERY if "caught_by" in one}
NAME = "harness-tags-sorted"
SENTENCE = (
    f"the known mistake '{NAME}' was removed: the vector harness-evals/json/tags"
    " catches a runner that makes it (tags are sorted by name)"
)


def test_every_removed_mistake_names_a_vector_of_its_operation_or_the_same_mistake() -> None:
    ops = {vector.id: vector.op.name for spec in SPECS for vector in load_spec(spec)}
    wrong = [one["name"] for one in REMOVED.values() if ops.get(one["caught_by"]) != one["op"]]
    assert not wrong, f"no vector of the operation is named for {wrong}: name another that catches it"
    assert len(REMOVED) == sum("caught_by" in one for one in EVERY) == 1302
    assert not REMOVED.keys() & all_mistakes().keys()
    assert all(one["says"] for one in REMOVED.values())
    same = {one["name"]: one["same_as"] for one in EVERY if one["became"] == "same"}
    assert same
    assert set(same.values()) <= all_mistakes().keys() | REMOVED.keys()
    assert all(one["op"] in OPS for one in EVERY)


@pytest.mark.parametrize("names", [NAME, f"naive-sum+{NAME}", f"{NAME}+no-such"])
def test_a_removed_mistake_is_answered_in_one_sentence(
    names: str, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
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
