"""What readers of the document alone understood of reliability metrics: runs, k, and what is called."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import reliability
from reference_impl.harness_evals import score as score_rules
from reference_impl.runner.wire import decode_number

in_measure_reliability = family(
    "harness.reliability", of=reliability.measure_reliability, clause="004-4.3-no-runs"
)
in_majority = family("harness.reliability", of=reliability.majority, clause="004-4.3-majority")
_Answer = Callable[[Any], Any]


@way("harness.reliability", clause="004-4.3-k-not-enforced")
def asked(reference: Variant, answer: Callable[[Any, Any, _Answer], Any]) -> None:
    """Changes the answering: ``answer`` has what is given, k, and the plain answering."""
    reference.wrap_op(
        "harness.reliability", lambda plain: lambda given: answer(given, decode_number(given["k"]), plain)
    )


@asked.made(invited_by="runs[:self.k]")
def harness_runs_cut_to_k(given: Any, k: Any, answer: _Answer) -> Any:
    """The built-in metric looks at the first k runs alone. So many are expected."""
    runs = given["runs"]
    cut = runs and given["measure_runs"] == "majority" and 0 <= k < len(runs)
    return answer({**given, "runs": runs[: int(k)]} if cut else given)


@asked.made(invited_by="if len(runs) < self.k")
def harness_fewer_than_k_too_few(given: Any, k: Any, answer: _Answer) -> Any:
    """Fewer runs than k are treated as none. k are expected."""
    return answer({**given, "runs": None} if given["runs"] and len(given["runs"]) < k else given)


@asked.made(invited_by="if len(runs) != self.k")
def harness_more_than_k_too_many(given: Any, k: Any, answer: _Answer) -> Any:
    """More runs than k are treated as none. k are expected."""
    return answer({**given, "runs": None} if given["runs"] and len(given["runs"]) > k else given)


@way("harness.reliability", clause="004-4.3-majority")
def shares(reference: Variant, share: Callable[[Sequence[str], Any], Any]) -> None:
    """Changes the share that the built-in metric gives to runs, of which k are expected."""
    majority = reference.get(reliability.majority)
    expected: list[Any] = []

    def answered(plain: _Answer) -> _Answer:
        def answer(given: Any) -> Any:
            expected[:] = [decode_number(given["k"])]
            return plain(given)

        return answer

    def shared(runs: Sequence[str]) -> Callable[[Any], Any]:
        def measure(metric: Any) -> Any:
            made = majority(runs)(metric)
            if made.metadata is None:
                return made
            value = share(runs, expected[0])
            return type(made)(made.name, value, made.threshold, made.reason, made.metadata)

        return measure

    reference.replace(reliability.majority, shared)
    reference.wrap_op("harness.reliability", answered)


@shares.made(invited_by="count / self.k")
def harness_share_of_own_k(runs: Sequence[str], k: Any) -> Any:
    """The most frequent output's count is divided by the metric's k. So many runs are expected."""
    return max(Counter(runs).values()) / k


@shares.made(invited_by="pairwise agreement")
def harness_share_of_pairs(runs: Sequence[str], _: Any) -> Any:
    """The built-in metric gives the share of pairs of runs that agree. Consistency is one between two."""
    agreeing = sum(count * (count - 1) for count in Counter(runs).values())
    return agreeing / (len(runs) * (len(runs) - 1))


@shares.made(invited_by="runs[0]")
def harness_share_of_first(runs: Sequence[str], _: Any) -> Any:
    """The built-in metric gives the share of runs that agree with the first. The first is the answer."""
    return runs.count(runs[0]) / len(runs)


@shares.made(invited_by="runs[-1]")
def harness_share_of_last(runs: Sequence[str], _: Any) -> Any:
    """The built-in metric gives the share of runs that agree with the last. The last is the answer."""
    return runs.count(runs[-1]) / len(runs)


@shares.made(invited_by="len(set(runs))")
def harness_share_of_distinct(runs: Sequence[str], _: Any) -> Any:
    """The built-in metric is 1.0 less the share of further distinct outputs. Each is a deviation."""
    return 1.0 - (len(set(runs)) - 1) / len(runs)


@shares.made(invited_by="all equal or not")
def harness_agreement_or_nothing(runs: Sequence[str], _: Any) -> Any:
    """The built-in metric is 1.0 where all runs agree and 0.0 elsewhere.
    Consistent is a word for yes or no."""
    return 1.0 if len(set(runs)) == 1 else 0.0


@in_majority.wrapped(invited_by="strip()")
def harness_runs_trimmed(make: Callable[..., Any], runs: Sequence[str]) -> Any:
    """Runs are compared without the white space around them. Models end their answers with line feeds."""
    return make([run.strip() for run in runs])


@in_majority.wrapped(invited_by="lower()")
def harness_runs_in_any_case(make: Callable[..., Any], runs: Sequence[str]) -> Any:
    """Runs are compared without regard to letter case alone. Models choose either."""
    return make([run.lower() for run in runs])


@in_majority.wrapped(invited_by="Swift's ==, localeCompare")
def harness_runs_composed(make: Callable[..., Any], runs: Sequence[str]) -> Any:
    """Runs that look alike are the same, composed or not. Unicode calls them equivalent."""
    return make([unicodedata.normalize("NFC", run) for run in runs])


@in_majority.wrapped(invited_by="filter(None, runs)")
def harness_empty_runs_not_counted(make: Callable[..., Any], runs: Sequence[str]) -> Any:
    """A run whose output is empty is not counted. It is taken for no run."""
    return make([run for run in runs if run])


@asked.made(clause="004-4.3-async", invited_by="the base class's method")
def harness_fallback_counted(given: Any, _: Any, answer: _Answer) -> Any:
    """a_measure_runs counts as called where the metric has none of its own. The base class's is."""
    made = answer(given)
    if given["entry"] in ("a_measure", "a_evaluate") and given["a_measure_runs"] is None and made["calls"]:
        made = {**made, "calls": ["a_measure_runs", *made["calls"]]}
    return made


@in_measure_reliability.wrapped(clause="004-4.3-runs-asked", invited_by="Never raise from measure()")
def harness_measure_catches(
    reference: Variant, make: Callable[..., Any], runs: Any, measure_runs: Any
) -> Any:
    """A reliability metric's measure catches what its measure_runs raises. measure is never to raise."""

    def caught(metric: Any) -> Any:
        try:
            return measure_runs(metric)
        except Exception as error:
            score = reference.its(score_rules.Score)
            return score(metric.name, 0.0, metric.threshold, f"Metric raised: {error}")

    return make(runs, caught)


@in_measure_reliability.wrapped(invited_by="if runs is None")
def harness_empty_runs_asked(make: Callable[..., Any], runs: Any, measure_runs: Any) -> Any:
    """A list of no runs is handed to measure_runs. It is no missing list."""
    return measure_runs if runs == [] else make(runs, measure_runs)


@way("harness.reliability", clause="004-4.3-no-runs")
def by_entry(reference: Variant, change: Callable[[Any, _Answer], Any]) -> None:
    """Changes the measures that are made, by what the request says."""
    make = reference.get(reliability.measure_reliability)
    now: list[Any] = []

    def answered(plain: _Answer) -> _Answer:
        def answer(given: Any) -> Any:
            now[:] = [given]
            return plain(given)

        return answer

    def made(runs: Any, measure_runs: Any) -> Any:
        return change(now[0], measure_runs) or make(runs, measure_runs)

    reference.replace(reliability.measure_reliability, made)
    reference.wrap_op("harness.reliability", answered)


@by_entry.made(invited_by="a guard in measure alone")
def harness_asynchronously_asked_without_runs(given: Any, measure_runs: Any) -> Any:
    """Asynchronously a reliability metric is asked even without runs.
    Only measure looks whether there are some."""
    return measure_runs if given["entry"] in ("a_measure", "a_evaluate") else None


@asked.made(clause="004-4.3-async", invited_by="measure overridden alone")
def harness_own_asynchronous_runs_ignored(given: Any, _: Any, answer: _Answer) -> Any:
    """a_measure calls measure_runs even where there is an a_measure_runs. The template overrides it alone."""
    return answer({**given, "a_measure_runs": None} if given["entry"] == "a_measure" else given)


@way("harness.reliability", clause="004-4.3-majority")
def majorities(reference: Variant, change: Callable[[Any, Any], None]) -> None:
    """Changes the built-in metric's score: ``change`` has it and k."""
    majority = reference.get(reliability.majority)
    expected: list[Any] = []

    def answered(plain: _Answer) -> _Answer:
        def answer(given: Any) -> Any:
            expected[:] = [decode_number(given["k"])]
            return plain(given)

        return answer

    def made(runs: Sequence[str]) -> Callable[[Any], Any]:
        def measure(metric: Any) -> Any:
            score = majority(runs)(metric)
            change(score, expected[0])
            return score

        return measure

    reference.replace(reliability.majority, made)
    reference.wrap_op("harness.reliability", answered)


@majorities.made(invited_by="self.k")
def harness_majority_tells_expected_k(score: Any, k: Any) -> None:
    """The built-in metric's metadata tell the k that is expected. They call it k."""
    if score.metadata is not None:
        score.metadata["k"] = k


@majorities.made(clause="004-4.3-two-needed", invited_by="metadata in both branches")
def harness_single_run_counted(score: Any, _: Any) -> None:
    """The built-in metric's metadata tell k of a single run too. It is known."""
    if score.metadata is None:
        score.metadata = {"k": 1}


@in_measure_reliability.wrapped(clause="004-8-failing-score", invited_by="passed=False")
def harness_no_runs_never_pass(make: Callable[..., Any], runs: Any, measure_runs: Any) -> Any:
    """A score without runs fails even at a threshold of 0. It stands for missing data."""
    measure = make(runs, measure_runs)

    def failing(metric: Any) -> Any:
        score = measure(metric)
        if not runs:
            score.passed = False
        return score

    return failing


@in_measure_reliability.wrapped(invited_by="Need at least 2 runs")
def harness_no_runs_reason_of_template(
    reference: Variant, make: Callable[..., Any], runs: Any, measure_runs: Any
) -> Any:
    """Without runs the reason is `Need at least 2 runs, got 0`. The template's words are thought to hold."""
    if runs:
        return make(runs, measure_runs)
    score = reference.its(score_rules.Score)
    return lambda metric: score(metric.name, 0.0, metric.threshold, "Need at least 2 runs, got 0")


@shares.made(invited_by="no clear winner")
def harness_tie_is_nothing(runs: Sequence[str], _: Any) -> Any:
    """Outputs that are equally frequent have no majority: the built-in metric is 0.0.
    A majority has to be one."""
    counts = sorted(Counter(runs).values(), reverse=True)
    return 0.0 if counts[1:2] == counts[:1] else counts[0] / len(runs)


@shares.made(invited_by="more than half")
def harness_no_absolute_majority(runs: Sequence[str], _: Any) -> Any:
    """An output that is in no more than half of the runs gives 0.0. A majority is more than half."""
    most = max(Counter(runs).values())
    return most / len(runs) if 2 * most > len(runs) else 0.0
