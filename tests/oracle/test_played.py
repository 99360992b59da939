"""Vectors whose situation is also played back as a whole job, and answers that two sources give together."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.oracle import regen
from conformance.oracle.regen import RegenError, RegenResult, Source, regenerate
from conformance.suite.lock import meaning
from conformance.suite.vectors import load_file

SPEC = "harbor-0.13.1"
SOURCE = """
import json, sys
answers = json.loads(sys.argv[1])
for line in sys.stdin:
    request = json.loads(line)
    answer = answers.get(request["op"], {"unsupported": "no"})
    if request["op"] == "hello":
        answer = {"ok": {"runner": "fake", "version": "1", "protocol": 1, "ops": sorted(answers)}}
    print(json.dumps({"id": request["id"], **answer}), flush=True)
"""
PLAYED = {"tasks": [{"name": "t"}]}


def text(content: str) -> dict[str, Any]:
    return {"result.json": {"text": content}}


def source(provenance: str, ops: frozenset[str] = frozenset(), **answers: Any) -> Source:
    return Source(provenance, ops, (sys.executable, "-c", SOURCE, json.dumps(answers)))


PROGRAM = source("program", frozenset({"outcome"}), outcome={"ok": {"line": "LINE=1"}})


def played(content: str | None, *errors: str) -> dict[str, Any]:
    result = None if content is None else {"text": content}
    return {"ok": {"result.json": result, "errors": list(errors), "finished": not errors}}


@pytest.fixture
def small(vectors: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Regenerates a spec of one vector."""
    folder = tmp_path / "spec"
    folder.mkdir()
    path = folder / "job_result.json"
    monkeypatch.setattr(regen, "section_files", lambda spec: [path])
    monkeypatch.setattr(regen, "load_files", lambda spec: {path: load_file(path)})
    monkeypatch.setattr(regen, "vectors_dir", lambda spec: folder)

    def run(*known: Source, op: str = "job_result", **fields: Any) -> tuple[RegenResult, Any]:
        entry = vectors.entry("one", op=op, input={"trials": []}, **fields)
        for name in ("expected", "provenance"):
            if name not in fields:
                del entry[name]
        path.write_text(vectors.write([entry]).read_text(encoding="utf-8"), encoding="utf-8")
        result = regenerate(SPEC, list(known), check=False)
        return result, load_file(path)[0].expected

    return run


def test_an_answer_that_the_played_job_confirms_is_written(small: Any) -> None:
    harbor = source(SPEC, job_result={"ok": text("{}")}, play_job=played("{}"))
    result, expected = small(harbor, played=PLAYED)
    assert result.played == 1
    assert expected == {"ok": text("{}")}


@pytest.mark.parametrize(
    ("answer", "job", "says"),
    [
        ({"ok": text("{}")}, played("{ }"), "has another result.json"),
        ({"ok": text("{}")}, played("{}", "IndexError"), r"ends with \['IndexError'\]"),
        ({"ok": text("{}")}, played(None), "has another result.json"),
        ({"ok": text("{}")}, {"error": {"type": "ValueError", "reason_code": None}}, "could not be played"),
        ({"error": {"type": "ValueError", "reason_code": None}}, played("{}"), r"ends with \[\], not with"),
        (
            {"error": {"type": "ValueError", "reason_code": None}},
            played("{}", "OverflowError"),
            r"ends with \['OverflowError'\], not with ValueError",
        ),
    ],
)
def test_an_answer_that_the_played_job_contradicts_is_refused(
    small: Any, answer: dict[str, Any], job: dict[str, Any], says: str
) -> None:
    with pytest.raises(RegenError, match=f"/one: the job that is played back {says}"):
        small(source(SPEC, job_result=answer, play_job=job), played=PLAYED)


def test_a_job_that_ends_with_the_expected_error_confirms_it(small: Any) -> None:
    error = {"error": {"type": "OverflowError", "reason_code": None}}
    job = played('{"finished_at": null}', "ExceptionGroup", "OverflowError")
    _, expected = small(source(SPEC, job_result=error, play_job=job), played=PLAYED)
    assert expected == error


def test_free_order_inside_a_file_is_written_sorted_and_compared_so(small: Any) -> None:
    harbor = source(
        SPEC, job_result={"ok": text('{"s": {"b": 1, "a": 2}}')}, play_job=played('{"s": {"a": 2, "b": 1}}')
    )
    _, expected = small(harbor, played=PLAYED, unordered=["/result.json#/s"])
    assert expected == {"ok": text('{"s": {"a": 2, "b": 1}}')}


def test_a_pipelines_line_is_the_programs(small: Any) -> None:
    harbor = source(SPEC, pipeline_result={"ok": text("{}")})
    _, expected = small(PROGRAM, harbor, op="pipeline")
    assert expected == {"ok": {**text("{}"), "line": "LINE=1"}}


def test_without_the_program_the_locked_line_stays(small: Any) -> None:
    harbor = source(SPEC, pipeline_result={"ok": text("{}")})
    absent = Source("program", frozenset({"outcome"}), None)
    with pytest.raises(RegenError, match="has no line yet, and program is not at hand"):
        small(absent, harbor, op="pipeline")
    locked = {"ok": {**text("{ }"), "line": "LINE=0"}}
    result, expected = small(absent, harbor, op="pipeline", expected=locked)
    assert expected == {"ok": {**text("{}"), "line": "LINE=0"}}
    assert result.left == {"program": 1}


def test_a_program_that_gives_no_line_is_refused(small: Any) -> None:
    program = source("program", frozenset({"outcome"}), outcome={"error": {"type": "E", "reason_code": None}})
    with pytest.raises(RegenError, match="program gives no line"):
        small(program, source(SPEC, pipeline_result={"ok": text("{}")}), op="pipeline")


def test_what_is_played_is_part_of_the_meaning(vectors: Any) -> None:
    plain, one, other = vectors.load(
        vectors.entry("one"),
        vectors.entry("two", played=PLAYED),
        vectors.entry("three", played={**PLAYED, "n_attempts": 2}),
    )
    assert len({meaning(plain), meaning(one), meaning(other)}) == 3
