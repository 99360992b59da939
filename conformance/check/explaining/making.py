"""Makes the explanation of a finding, or of a number that is right."""

from collections.abc import Mapping

from conformance.check.audit import Audit
from conformance.check.explaining.asking import Wanted
from conformance.check.explaining.attempts import pass_at_k_steps
from conformance.check.explaining.counting import counter_steps, group_steps, list_steps, total_steps
from conformance.check.explaining.metrics import metric_steps
from conformance.check.explaining.outcomes import outcome_steps
from conformance.check.explaining.records import ABOUT_TRIALS, trial_steps
from conformance.check.explaining.shape import Explanation, Step
from conformance.check.explaining.trials import View, views
from conformance.check.findings import KINDS
from conformance.check.job.differences import JOB_FILE
from conformance.check.job.explain import Working
from conformance.check.reading.limits import Limits
from conformance.wire.pointers import keys_of

__all__ = ["explained"]

_TOTALS = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")


def explained(
    asked: Wanted, audit: Audit | None, limits: Limits, statements: Mapping[str, str]
) -> Explanation:
    """How the number comes about that is due at a place of a job.

    `audit` is that job's, with its working kept; None where it could not be audited.
    """
    finding = asked.finding
    working = None if audit is None else audit.working
    steps: list[Step] = []
    result = None
    if finding is not None and finding.kind == "outcome-line":
        steps = outcome_steps(asked.place.path, limits)
    elif finding is not None and finding.kind in ABOUT_TRIALS and asked.file != JOB_FILE:
        evals = None if working is None else working.job.evals
        steps = trial_steps(asked.place.path, finding, evals, limits)
    elif asked.file == JOB_FILE:
        steps, result = _numbers(asked, audit, working)
    if finding is not None and not steps:
        steps = [Step(f"it is {KINDS[finding.kind]}; no number comes about here")]
    clause = None if finding is None else finding.clause
    rule = None if finding is None else finding.rule or statements.get(clause or "")
    return Explanation(
        *(asked.place.name, asked.name, finding, asked.file, asked.path, clause, rule, steps, result)
    )


def _numbers(asked: Wanted, audit: Audit | None, working: Working | None) -> tuple[list[Step], str | None]:
    """The steps to what is due at a place of the job's file, and what that is."""
    if working is None:
        unfinished = audit is not None and audit.state == "unfinished"
        what = (
            "has not finished, so its numbers depend on timing"
            if unfinished
            else "could not be judged so far"
        )
        return [Step(f"the job {what}, and nothing is worked out")], None
    path = keys_of(asked.path.removeprefix(working.place))
    every = views(working)
    if not every:
        return [Step("harbor could not have written a file with these trials")], None
    view = _view(every, asked, path)
    steps = _by_path(view, path, working)
    if steps and (first := view.step()) is not None:
        steps.insert(0, first)
    if not steps and asked.finding is None:
        return [Step("no number of the job is at that place, or it is none that the trials give")], None
    return steps, view.text(path)


def _view(every: list[View], asked: Wanted, path: list[str]) -> View:
    """The account by which the finding's number is due; records as they are where no finding is asked for."""
    if asked.finding is not None:
        for view in every:
            due = view.text(path)
            if due is not None and asked.finding.expected.partition(",")[0] == due:
                return view
    return every[-1]


def _by_path(view: View, path: list[str], working: Working) -> list[Step]:
    if path == ["n_total_trials"]:
        return counter_steps(view, path[0], None)
    if len(path) < 2 or path[0] != "stats":
        return []
    if path[1] != "evals":
        return total_steps(view, path[1]) if path[1] in _TOTALS else counter_steps(view, path[1], None)
    if len(path) < 4 or path[2] not in view.expected.rewards:
        return group_steps(view)
    group, member, rest = path[2], path[3], path[4:]
    if member == "metrics":
        return metric_steps(view, group, rest)
    if member == "pass_at_k":
        return pass_at_k_steps(view, group, rest)
    if member in ("reward_stats", "exception_stats"):
        return list_steps(view, group, path[3:], working.job.evals)
    return counter_steps(view, member, group) if member in ("n_trials", "n_errors") else []
