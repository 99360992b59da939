"""Records of every generation of harbor, and members that are missing or that no harbor writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.check.audit import audit
from conformance.check.findings import Severity
from conformance.check.generations import RECORD_GENERATIONS, RecordGeneration
from conformance.check.reading.limits import Limits, Spent
from conformance.check.trials.known_texts import KnownTexts
from conformance.check.trials.records import read_record
from conformance.check.trials.shapes import quick
from conformance.judging.comparison import Level

T0, T1 = "t0__0000000/result.json", "t1__0000001/result.json"
LATER = ("skills", "extra_allowed_hosts", "cpu_enforcement_policy", "extra_docker_compose")
VALUES = {"verifier_environment_mode": "shared", "step_results": None}
Written = Callable[..., Path]
Json = dict[str, Any]

FIRST, SECOND, _, FOURTH, FIFTH, LAST = RECORD_GENERATIONS
NAMES = {one.first: one for one in RECORD_GENERATIONS}


def record(jobs: dict[str, dict[str, str]]) -> Json:
    made: Json = json.loads(jobs["tokens-and-cost"][T0])
    made["agent_info"]["model_info"] = {"name": "m", "provider": "p"}
    return made


def written_by(generation: RecordGeneration, value: Json) -> Json:
    """The record as releases of that generation write it."""
    made = {name: value.get(name, VALUES.get(name)) for name in generation.record}
    made["agent_result"] = {name: value["agent_result"].get(name) for name in generation.agent_result}
    if "step_results" not in generation.record:
        config = value["config"]
        made["config"] = {
            name: {key: one for key, one in part.items() if key not in LATER}
            if isinstance(part, dict)
            else part
            for name, part in config.items()
        }
    return made


def read(value: Json, layout: int | None = 4) -> tuple[Any, list[Any], KnownTexts]:
    known = KnownTexts()
    content = json.dumps(value, indent=layout, ensure_ascii=False).encode()
    return *read_record(content, T0, True, Spent(Limits()), known), known


@pytest.mark.parametrize("layout", [4, None])
@pytest.mark.parametrize("generation", RECORD_GENERATIONS, ids=lambda one: one.name)
def test_each_generation_is_read_without_finding(
    generation: RecordGeneration, layout: int | None, jobs: dict[str, dict[str, str]]
) -> None:
    value = written_by(generation, record(jobs))
    shape, found, known = read(value, layout)
    assert found == []
    assert shape.agent_result.n_output_tokens == value["agent_result"]["n_output_tokens"]
    due = FOURTH if generation.first == "0.5.0" else generation  # the two differ in no member
    assert known.generation is due
    assert quick(json.dumps(value, indent=4, ensure_ascii=False).encode()) is not None


def change(value: Json, *path: str, to: Any) -> Json:
    part = value
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = to
    return value


@pytest.mark.parametrize(
    ("generation", "path", "value"),
    [
        (LAST, ("verifier_environment_mode",), "separate"),
        (LAST, ("verifier_environment_mode",), None),
        (LAST, ("agent_result", "model_usage"), {"m": {"n_input_tokens": 1, "cost_usd": None}}),
        (FIRST, ("agent_result", "output_logprobs"), [[-0.5, 0.0], []]),
        (SECOND, ("agent_result", "rollout_details"), [{"a b": [1, 2]}]),
        (SECOND, ("agent_result", "metadata"), {"a": {"b c": ["é", 0.5, True]}}),
        (FOURTH, ("agent_info", "model_info", "provider"), None),
        (SECOND, ("config",), {}),
        (SECOND, ("config",), {"anything": [1, {"at": "all"}]}),
        (SECOND, ("config", "task"), {"path": "t0__0000000", "t0__0000000": 1}),
    ],
)
def test_what_a_generation_may_write(
    generation: RecordGeneration, path: tuple[str, ...], value: Any, jobs: dict[str, dict[str, str]]
) -> None:
    made = change(written_by(generation, record(jobs)), *path, to=value)
    shape, found, known = read(made)
    assert (found, known.generation) == ([], generation)
    assert shape is not None
    assert quick(json.dumps(made, indent=4, ensure_ascii=False).encode()) is not None


@pytest.mark.parametrize(
    ("generation", "path", "place"),
    [
        (FIRST, ("source",), "/source"),
        (SECOND, ("agent_result", "metadata"), "/agent_result/metadata"),
        (FOURTH, ("agent_result", "cost_usd"), "/agent_result/cost_usd"),
        (LAST, ("agent_setup",), "/agent_setup"),
        (LAST, ("agent_info", "model_info", "provider"), "/agent_info/model_info/provider"),
    ],
)
def test_a_member_that_the_generation_writes_is_missed(
    generation: RecordGeneration, path: tuple[str, ...], place: str, jobs: dict[str, dict[str, str]]
) -> None:
    value = part = written_by(generation, record(jobs))
    for key in path[:-1]:
        part = part[key]
    del part[path[-1]]
    (finding,) = read(value)[1]
    assert (finding.kind, finding.path, finding.severity) == ("schema", place, Severity.DIFFERS)


def test_an_old_record_always_has_its_provider(jobs: dict[str, dict[str, str]]) -> None:
    value = change(written_by(SECOND, record(jobs)), "agent_info", "model_info", "provider", to=None)
    (finding,) = read(value)[1]
    assert (finding.path, finding.found) == ("/agent_info/model_info/provider", "null")


def test_times_with_an_offset_and_without(jobs: dict[str, dict[str, str]]) -> None:
    made = written_by(FIFTH, record(jobs))
    for moment in ("2026-01-02T03:04:05.678901Z", "2026-01-02T03:04:05", "2026-01-02T03:04:05+02:00"):
        made["exception_info"] = {
            **dict.fromkeys(("exception_type", "exception_message", "exception_traceback"), "E"),
            "occurred_at": moment,
        }
        assert read(made)[1] == []


def test_one_job_may_have_records_of_several_generations(written: Written) -> None:
    folder = written("pass-and-fail")
    value = json.loads((folder / T0).read_text())
    (folder / T0).write_text(json.dumps(written_by(SECOND, value), indent=4))
    assert audit(str(folder), Level.BYTES).findings.ordered() == []


def add(folder: Path, file: str, **members: Any) -> None:
    value = json.loads((folder / file).read_text())
    (folder / file).write_text(json.dumps({**value, **members}, indent=4))


def test_members_that_no_harbor_writes_are_one_note(written: Written) -> None:
    folder = written("twelve-trials")
    files = sorted(folder.glob("*/result.json"))
    for file in files:
        add(folder, str(file.relative_to(folder)), foo=1)
    add(folder, str(files[3].relative_to(folder)), bar={"x": 1})
    found = audit(str(folder), Level.BYTES).findings.ordered()
    assert [(one.path, one.severity, one.found) for one in sorted(found, key=lambda one: one.path)] == [
        ("/bar", Severity.NOTE, "a member that no harbor writes, in 1 record"),
        ("/foo", Severity.NOTE, "a member that no harbor writes, in 12 records"),
    ]
    assert found == audit(str(folder), Level.BYTES, helpers=1).findings.ordered()


def test_a_strange_member_hides_nothing(written: Written) -> None:
    folder = written("pass-and-fail")
    add(folder, T0, foo=1, verifier_result={"rewards": {"reward": "0.5"}}, started_at="yesterday")
    found = {one.path for one in audit(str(folder), Level.BYTES).findings.ordered() if one.file == T0}
    assert {"/foo", "/verifier_result/rewards/reward", "/started_at"} <= found


CONFIG = '{"agent": {"name": "a", "skills": []}, "task": {"path": "p/t0"}, "trial_name": "t0__0"%s}'


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        (', "x": 1, "x": 2', "duplicate-key"),
        (', "x": {"t0__0": 1, "t0__0": 2}', "duplicate-key"),
        (', "x": NaN', "not-json"),
        (', "x": "\x01"', "not-json"),
        (', "x": \x00', "not-json"),
        (', "x": 01', "not-json"),
    ],
)
def test_a_configuration_that_is_like_a_known_one_and_wrong_is_found(
    config: str, kind: str, jobs: dict[str, dict[str, str]]
) -> None:
    value = record(jobs)
    value |= {"trial_name": "t0__0", "task_id": {"path": "p/t0"}, "config": {"mark": 1}}
    text = json.dumps(value, indent=4)
    known = KnownTexts()

    def judged(more: str, name: str = "t0__0") -> list[str]:
        content = text.replace('{\n        "mark": 1\n    }', CONFIG % more).replace("t0__0", name)
        return [one.kind for one in read_record(content.encode(), T0, True, Spent(Limits()), known)[1]]

    assert judged("") == []
    assert judged("", "t0__9") == []
    assert judged(config) == [kind]
    assert judged(config, "t0__8") == [kind]
    assert judged("", "t0__7") == []


@pytest.mark.parametrize(
    "member", ["", ', "x": {"t0__0": 1, "y": 2}', ', "x": {"t0__0" : 1, "trial_name": 2}']
)
def test_a_name_that_is_a_key_as_well_hides_no_second_key(
    member: str, jobs: dict[str, dict[str, str]]
) -> None:
    value = record(jobs)
    value |= {"trial_name": "t0__0", "task_id": {"path": "p/t0"}, "config": {"mark": 1}}
    text = json.dumps(value, indent=4).replace('{\n        "mark": 1\n    }', CONFIG % member)
    known = KnownTexts()
    for name, kinds in (("t0__0", []), ("y", ["duplicate-key"] if "y" in member else [])):
        content = text.replace('"t0__0"', f'"{name}"')
        found = read_record(content.encode(), T0, True, Spent(Limits()), known)[1]
        assert [one.kind for one in found] == kinds
