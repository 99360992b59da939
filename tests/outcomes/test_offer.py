"""What the last lines say of what a runner can show."""

import pytest

from conformance.console.account import account
from conformance.judging.comparison import Level
from conformance.judging.verdict import Outcome, Verdict
from conformance.outcomes.claims import offer, package_of
from conformance.outcomes.document import as_json
from conformance.outcomes.running import report_on
from conformance.registry.op import ORACLE
from conformance.registry.ops import ops_of
from conformance.run.options import RunOptions
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Hello

SPEC = "harbor-0.13.1"
OWN = frozenset(op.name for op in ops_of(SPEC) if op.source == ORACLE)
FOREIGN = [op.name for op in ops_of(SPEC) if op.source != ORACLE]


@pytest.fixture
def ran():
    """A report on a runner: what its hello does not name is unsupported, the rest as ``fate`` says."""

    def make(name, ops, fate):
        every = load_spec(SPEC)
        report = report_on(RunOptions(command="harbor:fork"), every)
        report.session.hello = Hello(name, "9", ops, False)
        for vector in every:
            outcome, detail = fate(vector) if vector.op.name in ops else ("unsupported", "not named")
            level = Level.BYTES if outcome == "passed" else None
            report.take(Verdict(vector, Outcome(outcome), level, 0.0, detail or ""))
        return report

    return make


def passing(_):
    return "passed", None


def said(report):
    return " ".join(" ".join(account(as_json(report), None, 80)).split())


def test_a_fork_that_has_all_of_harbor_is_reproached_nothing(ran, faults) -> None:
    report = ran("harbor", OWN, passing)
    text = said(report)
    own = sum(vector.op.name in OWN for vector in report.every)
    rest = len(report.every) - own
    assert f"expected: {', '.join(FOREIGN)} ({rest:,} vectors) are not part of harbor" in text
    assert "no release or fork of harbor offers them" in text
    assert f"it offers {len(OWN)} of harbor's {len(OWN)} ops, and passed {own} of their {own} vectors" in text
    assert "it lacks" not in text
    assert f"; {own} of the {own} that it offers passed in " in text.rsplit(" against ", 1)[1]
    assert faults("run-report", as_json(report)) == []
    document = as_json(report)
    offered = [one for one in offer(document) if one.offered]
    assert package_of(document) == "harbor"
    assert sum(one.vectors for one in offered) == sum(one.passed for one in offered) == own
    assert [one.op for one in offer(document) if not one.offered] == FOREIGN


def test_what_a_fork_lacks_and_what_it_supports_in_part_is_told_with_the_reason(ran) -> None:
    def fate(vector):
        if vector.op.name == "plan_trials":
            return "unsupported", "the runner says unsupported: the entry\x1b[31m moved"
        return ("mismatch", "wrong") if vector.op.name == "scores" else ("passed", None)

    text = said(ran("harbor", OWN - {"pass_at_k"}, fate))
    assert "it lacks pass_at_k (" in text
    assert "vectors), which harbor-0.13.1 has" in text
    assert "plan_trials is offered, but unsupported in " in text
    assert "vectors: the entry\\x1b[31m moved" in text
    assert f"it offers {len(OWN) - 1} of harbor's {len(OWN)} ops" in text


def test_any_other_runner_hears_what_it_does_not_offer(ran) -> None:
    """And of an unknown operation; of a filtered run only what was asked is told."""
    text = said(ran("mine", frozenset({"aggregate"}), passing))
    count = sum(vector.op.name == "aggregate" for vector in load_spec(SPEC))
    assert f"passed {count} of the {count} vectors of its operations; does not offer parse_reward, " in text
    assert [word for word in ("expected: ", "harbor's", "hello names") if word in text] == []
    text = said(ran("mine", frozenset({*OWN, "agregate"}), passing))
    assert "hello names operations that this kit does not have: agregate" in text
    text = said(ran("mine", frozenset({"agregate"}), passing))
    assert "hello names operations that this kit does not have: agregate; did you mean aggregate?" in text
    assert "hello names" not in said(ran("harbor", OWN | {"pipeline_result"}, passing))  # the oracle's own
    report = ran("harbor", OWN, passing)
    report.verdicts = {key: one for key, one in report.verdicts.items() if "/aggregation/" in key}
    assert "expected: " not in said(report)


def test_a_rephrased_vector_that_passes_unexpectedly_is_not_wrong(ran) -> None:
    document = as_json(ran("mine", OWN, passing))
    one = {**document["results"][0], "outcome": "unexpected-pass"}
    document["asked_again"] = {"seed": 7, "passed": {}, "results": [one]}
    text = " ".join(account(document, None, 80))
    assert "rephrased (--again-seed 7): 1 vector, none answered wrongly" in text
