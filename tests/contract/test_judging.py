"""Which outcome each answer gets, at each level and under each list of known failures."""

import pytest

from conformance.paths import DEFAULT_SPEC
from tests.reports import results

pytestmark = pytest.mark.usefixtures("undiagnosed")

EMPTY = {"type": "RewardFileEmptyError", "reason_code": "harbor_reward_empty"}
VALUE, EXACT, BYTES = ("passed",) * 3, ("passed", "mismatch", "mismatch"), ("passed", "passed", "mismatch")
NONE, WRONG, LESS = ("mismatch",) * 3, ("wrong-error",) * 3, ("unsupported",) * 3
ANSWERS = {
    # slug: (the value or the refusal that is right, the reply, the outcome at value, exact, bytes)
    "same": ({"a": [1, 2.5, None, "x"]}, {"a": [1, 2.5, None, "x"]}, VALUE),
    "free-order": ({"a": 1, "b": 2}, {"b": 2, "a": 1}, VALUE),
    "int-for-float": (1.0, 1, EXACT),
    "float-for-int": (1, 1.0, EXACT),
    "zero-sign": (0.0, -0.0, EXACT),
    "order": ({"a": 1, "b": 2}, {"b": 2, "a": 1}, BYTES),
    "big-int": (2**53, 2**53 + 1, EXACT),
    "another": (1.5, 1.6, NONE),
    "bool-for-int": (1, True, NONE),
    "missing": ({"a": 1, "b": 2}, {"a": 1}, NONE),
    "extra": ({"a": 1}, {"a": 1, "b": 2}, NONE),
    "shorter": ([1, 2], [1], NONE),
    "accepted": (EMPTY, {"ok": {"evals_key": 1}}, NONE),
    "right-error": (EMPTY, {"error": EMPTY}, VALUE),
    "reason-code": (EMPTY, {"error": {**EMPTY, "reason_code": "harbor_reward_missing"}}, WRONG),
    "no-reason-code": (EMPTY, {"error": {"type": EMPTY["type"]}}, WRONG),
    "other-error": (EMPTY, {"error": {**EMPTY, "type": "ValueError"}}, WRONG),
    "refused": (1, {"error": {"type": "ValueError"}}, WRONG),
    "unsupported": (1, {"unsupported": "not here"}, LESS),
}


@pytest.fixture
def judged(cli, few, runner, vectors, tmp_path):
    """Runs made vectors: ``judged(entries, answers)`` is the exit code, and the report as JSON."""

    def do(entries, answers, *args):
        few.write(entries, "evals_key", DEFAULT_SPEC)
        runner.knows(entries, **answers)
        ended = cli("run", "--runner", "in-process", "--report", "r.json", *args)
        return ended.returncode, few.report(tmp_path / "r.json")

    return do


def by_slug(report):
    return {one["id"].rpartition("/")[2]: one["outcome"] for one in results(report)}


@pytest.mark.parametrize("level", ["value", "exact", "bytes"])
def test_each_answer_has_its_outcome_at_each_level(judged, vectors, level) -> None:
    entries, answers, due = [], {}, {}
    for slug, (right, reply, outcomes) in ANSWERS.items():
        more = {"error": EMPTY["type"]} if right is EMPTY else {"ok": {"evals_key": right}}
        given = {"agent": slug, "model": None, "source": None}
        free = {"unordered": ["/evals_key"]} if slug == "free-order" else {}
        entries.append(vectors.entry(slug, given=given, **more, **free))
        is_reply = isinstance(reply, dict) and set(reply) & {"ok", "error", "unsupported"}
        answers[slug] = reply if is_reply else {"ok": {"evals_key": reply}}
        due[slug] = outcomes[("value", "exact", "bytes").index(level)]
    code, report = judged(entries, answers, "--level", level)
    assert by_slug(report) == due
    assert code == report["summary"]["exit_code"] == 1
    reached = {one["id"].rpartition("/")[2]: one["level"] for one in results(report)}
    assert (reached["int-for-float"], reached["order"], reached["same"]) == ("value", "exact", "bytes")
    assert report["summary"]["classes"]["job"]["claimed"] is None
    assert report["summary"]["totals"]["unsupported"] == 1


LISTED = {
    "fails": {"ok": {"evals_key": 0}},
    "breaks": {"error": {"type": "ValueError"}},
    "lacks": {"unsupported": "no"},
}


@pytest.mark.parametrize(
    ("listed", "outcome", "problem"),
    [
        ("*/fails mismatch\n*/breaks wrong-error\n*/lacks unsupported\n", None, None),
        ("*/fails mismatch\n*/breaks mismatch\n", "wrong-error", None),
        (
            "*/[bf]* mismatch\n*/breaks wrong-error\n*/holds mismatch\n",
            None,
            "is stale: every selected vector",
        ),
        ("*/fails mismatch\n*/breaks wrong-error\n*/gone mismatch\n", None, "matches no vector"),
        ("*/fails mismatch\n*/breaks wrong-error\nID/holds crash\n", "unexpected-pass", None),
        ("ID/fails mismatch\n*/breaks wrong-error\nID/lacks mismatch\n", "unsupported", None),
        (
            "*/fails mismatch\n*/breaks wrong-error\n# offers: evals_key, 2 of 4 passed\n",
            None,
            "no longer offered",
        ),
    ],
    ids=["all", "another-outcome", "stale", "nothing", "passes", "demanded", "offers-less"],
)
def test_known_failures_are_held_to(judged, vectors, tmp_path, listed, outcome, problem) -> None:
    """The run fails for an outcome that nothing expects, for a problem of the list, and for nothing else."""
    known = tmp_path / "known.txt"
    known.write_text(listed.replace("ID", f"{DEFAULT_SPEC}/evals_key"), "utf-8")
    entries = [vectors.entry(slug) for slug in ("holds", *LISTED)]
    code, report = judged(entries, LISTED, "--known-failures", known)
    expected = {"passed", "expected-failure", "unsupported"}
    others = [one["outcome"] for one in results(report) if one["outcome"] not in expected or one["demanded"]]
    assert (others[:1] or [None])[0] == outcome
    assert len(report["problems"]) == int(problem is not None)
    assert all(str(problem) in one for one in report["problems"])
    assert code == int(outcome is not None or problem is not None)
