"""`--under`: scores by other rules, next to a script that shares no code (by_hand.py)."""

import json
import math
import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conformance.extensions.audit.findings import AuditError
from conformance.extensions.audit.rules import SINGLE, rules_named, sparse_aggregate
from reference_impl import aggregate
from tests.extensions.audit.auditing import audited, judged, lines, put
from tests.extensions.audit.by_hand import scores
from tools.jobs.kept import with_result, write
from tools.jobs.one_number import finished

RULES = ("harbor-0.6.6", "harbor-0.13.1", "harbor-0.25.0", "harbor-0.26.0", *SINGLE)
NOT_BY_HAND = {"script"}


def apart(left, right):
    """Numbers that differ by more than last bits."""
    for name in left.keys() | right.keys():
        one, other = left.get(name, math.nan), right.get(name, math.nan)
        if not math.isclose(one, other, rel_tol=1e-12) and not (math.isnan(one) and math.isnan(other)):
            yield f"{name}: {left.get(name)}, {right.get(name)} by hand"


@pytest.mark.parametrize("release", ["0.13.1", "0.25.0", "0.26.0"])
def test_every_rule_gives_what_a_script_of_its_own_gives(release, tmp_path) -> None:
    wrong, changed = [], set()
    for name, files in finished(release):
        if name in NOT_BY_HAND:
            continue
        folder = write(files, tmp_path / name)
        for made in judged(folder, *RULES).under:
            by_hand = scores(folder, made.rules.name)
            for key, group in made.groups.items():
                wrong += [(name, made.rules.name, key, one) for one in apart(group.under, by_hand[key])]
                changed |= {made.rules.name} if group.changed() else set()
    assert wrong == []
    due = {"rule:pass-at-1", "rule:errored-left-out"}
    due |= {"harbor-0.25.0"} if release != "0.25.0" else set()
    late = {"rule:unscored-left-out", "rule:reward-valid-only", "harbor-0.26.0"}
    assert changed >= due | (late if release != "0.26.0" else set())
    assert release != "0.26.0" or not changed & late


def checked_by_hand(folder, rule):
    """The job's scores by a rule, which changes them as the script says."""
    (made,) = judged(folder, rule).under
    (key,) = made.groups
    assert list(apart(made.groups[key].under, scores(folder, rule)[key])) == []
    assert made.groups[key].own != made.groups[key].under
    return made


def test_tasks_of_one_name_are_told_apart_by_identity(tmp_path) -> None:
    """The example of harbor's issue: pass@2 is 0.5 for two tasks, and 0.83 for one of four attempts."""
    folder = write(with_result("0.25.0")["attempts"], tmp_path)
    for trial in folder.glob("*/result.json"):
        put(trial, **{"/task_name": "same"})
    assert "an attempt at a separate task" in checked_by_hand(folder, "rule:identity").changes


def test_a_step_that_did_not_run_counts_where_the_task_declares_it(tmp_path) -> None:
    folder = write(with_result("0.25.0")["steps"], tmp_path)
    first, second = sorted(folder.glob("*/result.json"))[:2]
    other, step = json.loads(second.read_text()), json.loads(first.read_text())["step_results"][0]
    same = {f"/{name}": other[name] for name in ("task_id", "task_checksum")}
    put(first, **same, **{"/step_results": [step], "/verifier_result": step["verifier_result"]})
    made = checked_by_hand(folder, "rule:declared-steps")
    assert [*made.changes.values()] == [[first.parent.name]]
    assert any("assumed to declare" in one for one in made.unknown)


@pytest.mark.parametrize("name", ["harbor-0.25.0", *SINGLE])
def test_rules_reach_other_processes(name) -> None:
    assert pickle.loads(pickle.dumps(rules_named(name))).name == name


def test_what_is_not_known_is_said(tmp_path) -> None:
    folder = write(with_result("0.13.1")["rewards"], tmp_path / "job")
    for file in folder.glob("*/verifier/*"):
        file.unlink()
    (made,) = judged(folder, "harbor-0.25.0").under
    assert made.unknown == ["trials have no reward files: their recorded rewards are used"]
    (script,) = judged(write(with_result("0.13.1")["script"], tmp_path / "script"), "rule:pass-at-1").under
    assert any("a script computed a metric" in one for one in script.unknown)


def test_the_report_and_the_text_have_them(tmp_path) -> None:
    folder = write(with_result("0.13.1")["not-a-number"], tmp_path / "job")
    job = audited(folder, "--under", "harbor-0.25.0", "--under", "rule:errored-left-out")
    release, rule = job["under"]
    ((_, numbers),) = release["groups"].items()
    assert numbers
    assert release["changes"][0]["trials"]
    assert (rule["rules"], rule["source"]) == ("rule:errored-left-out", "harbor pull request 1928")
    text = " ".join(" ".join(lines("--under", "harbor-0.25.0", folder)).split())
    ((key, (stated, under)),) = numbers.items()
    assert stated is None
    assert f"{key} - {under}" in text
    assert f"{len(release['changes'][0]['trials'])} trial" in text


NUMBERS = st.integers(-3, 3) | st.sampled_from([0.1, 0.2, 0.5, -0.0, 1e16, 2**63, math.inf, math.nan])
REWARDS = st.none() | st.dictionaries(st.sampled_from("abc"), NUMBERS)


@given(metric=st.sampled_from(["mean", "sum", "max", "min"]), rewards=st.lists(REWARDS, min_size=1))
@example("max", [None, {"a": -1.0, "b": math.nan}, {"a": 2}])
@example("min", [{"a": math.nan, "b": 1}, {}, {"b": -2}])
def test_a_sparse_aggregate_is_the_aggregate(metric, rewards) -> None:
    assert repr(sparse_aggregate(metric, rewards)) == repr(aggregate(metric, rewards))


def test_an_unknown_rule_names_those_that_there_are() -> None:
    for name in ("rule:nothing", "harbor-0.1.1", "0.25.0"):
        with pytest.raises(AuditError, match="rule:pass-at-1"):
            rules_named(name)
