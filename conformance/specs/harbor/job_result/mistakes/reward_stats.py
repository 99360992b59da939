"""Mistakes in a group's lists of trial names: by reward, by exception; and in metrics that fail."""

import math
from collections.abc import Callable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.trees import change_objects, change_result

LIST = "job_result._Group._list"
GROUP = ("stats", "evals", "*")
Entry = Callable[[Any, str, Any], Any]


def _filed_under(reference: Variant, place: Callable[[Any], Any]) -> None:
    """Has rewards share an entry where ``place`` makes the same of them."""

    def listed(self: Any, key: str, reward: Any, trial_name: str) -> None:
        job_result = reference.module("job_result")
        by_reward = self.reward_stats.setdefault(key, {})
        here = place(reward)
        if here not in by_reward:
            by_reward[here] = job_result._Listed(job_result.number_key(reward))
        by_reward[here].trial_names.append(job_result.printable(trial_name))

    reference.replace(LIST, listed)


@mistake(
    "nan-rewards-merged",
    says="all NaN rewards of a key share an entry",
    op="job_result",
    clause="003-3.3-reward-stats-nan",
    why="A map that can hold NaN holds it once.",
    invited_by="Java's Double, JavaScript's Map, Rust's OrderedFloat, str(reward) as a key",
)
def _(reference: Variant) -> None:
    _filed_under(reference, lambda reward: "nan" if reward != reward else reward)


@mistake(
    "nan-rewards-never-shared",
    says="every NaN reward has an entry of its own, also the bare NaN of reward.json",
    op="pipeline",
    clause="003-3.3-reward-stats-nan",
    why="NaN equals nothing; that Python looks at the object first is a detail.",
    invited_by="Go's map[float64], C++'s unordered_map, comparing with ==",
)
def _(reference: Variant) -> None:
    _filed_under(reference, lambda reward: object() if reward != reward else reward)


@mistake(
    "nan-rewards-not-listed",
    says="NaN rewards are not listed in reward_stats",
    op="job_result",
    clause="003-3.3-reward-stats-nan",
    why="A group for a missing value is no group.",
    invited_by="pandas' groupby and value_counts, which drop NaN; SQL's views of it",
)
def _(reference: Variant) -> None:
    def around(original: Callable[..., None]) -> Callable[..., None]:
        def listed(self: Any, key: str, reward: Any, trial_name: str) -> None:
            if reward == reward:
                original(self, key, reward, trial_name)
            else:
                self.reward_stats.setdefault(key, {})

        return listed

    reference.wrap(LIST, around)


@mistake(
    "rewards-filed-by-spelling",
    says="rewards that are equal and spelled differently, 1 and 1.0, have entries of their own",
    op="job_result",
    clause="003-3.3-reward-stats",
    why="The text is the key from the beginning.",
    invited_by="Map<String, …>, JSON numbers kept as text, Java's Object keys, Ruby's eql?",
)
def _(reference: Variant) -> None:
    number_key = reference.get("json_text.number_key")
    _filed_under(reference, lambda reward: number_key(reward) if reward == reward else object())


@mistake(
    "rewards-filed-as-doubles",
    says="rewards share an entry where they are equal as doubles: 2**53 + 1 and 2.0**53",
    op="job_result",
    clause="003-3.3-reward-stats",
    why="A map from double to names.",
    invited_by="Go's map[float64], C++, numpy and pandas, JavaScript's Map",
)
def _(reference: Variant) -> None:
    def as_double(reward: Any) -> Any:
        try:
            return float(reward) if reward == reward else reward
        except OverflowError:
            return math.copysign(math.inf, reward)

    _filed_under(reference, as_double)


@mistake(
    "zeros-filed-by-sign",
    says="0.0 and -0.0 have entries of their own",
    op="job_result",
    clause="003-3.3-reward-stats",
    why="Keys are compared by their bits.",
    invited_by="Java's Double.equals, Rust's to_bits and total_cmp, JavaScript's Object.is",
)
def _(reference: Variant) -> None:
    _filed_under(reference, lambda reward: "-0.0" if reward == 0 and math.copysign(1, reward) < 0 else reward)


@mistake(
    "last-spelling-kept",
    says="equal rewards are spelled as the last of them, 1.0 after 1",
    op="job_result",
    clause="003-3.3-reward-stats",
    why="Assigning an entry again replaces its key in many maps.",
    invited_by="Rust's HashMap rebuilt by collect, JavaScript with a table of labels, jq's from_entries",
)
def _(reference: Variant) -> None:
    def around(original: Callable[..., None]) -> Callable[..., None]:
        def listed(self: Any, key: str, reward: Any, trial_name: str) -> None:
            original(self, key, reward, trial_name)
            entry = self.reward_stats[key].get(reward)
            entry.spelling = reference.get("json_text.number_key")(reward)

        return listed

    reference.wrap(LIST, around)


@mistake(
    "trial-names-once",
    says="a trial's name that occurs twice in a list is written once",
    op="job_result",
    clause="003-3.3-reward-stats",
    why="Names are taken for unique.",
    invited_by="sets of names",
)
def _(reference: Variant) -> None:
    _change_names(reference, lambda names: list(dict.fromkeys(names)))


@mistake(
    "trial-names-sorted",
    says="lists of trial names are sorted",
    op="job_result",
    clause="003-3.3-first-seen-order",
    why="Sorted lists are stable ones.",
    invited_by="BTreeSet, TreeSet, sorted(set(names)), sort | uniq",
)
def _(reference: Variant) -> None:
    _change_names(reference, sorted)


@mistake(
    "trial-names-counted",
    says="reward_stats and exception_stats hold numbers of trials in place of their names",
    op="job_result",
    clause="003-3.3-reward-stats",
    why="Statistics are counts.",
    invited_by="collections.Counter, value_counts, GROUP BY with COUNT(*)",
)
def _(reference: Variant) -> None:
    _change_names(reference, len)


@mistake(
    "reward-values-sorted",
    says="the rewards of a key are listed in numeric order",
    op="job_result",
    clause="003-3.3-first-seen-order",
    why="A histogram reads better so.",
    invited_by="pandas' groupby, BTreeMap with OrderedFloat, TreeMap<Double, …>",
)
def _(reference: Variant) -> None:
    def in_order(by_reward: Any) -> Any:
        return type(by_reward)(sorted(by_reward.members, key=lambda member: _rank(member[0])))

    change_result(reference, (*GROUP, "reward_stats", "*"), in_order)


@mistake(
    "reward-keys-sorted-in-stats",
    says="the keys of reward_stats are sorted, as the metrics' are",
    op="job_result",
    clause="003-3.3-first-seen-order",
    why="One list of keys serves both.",
    invited_by="computing the sorted union of keys once",
)
def _(reference: Variant) -> None:
    change_result(reference, (*GROUP, "reward_stats"), _by_name)


@mistake(
    "exception-types-sorted",
    says="the exception types of a group are sorted by name",
    op="job_result",
    clause="003-3.3-first-seen-order",
    why="They are gathered in a sorted map.",
    invited_by="BTreeMap, TreeMap, pandas' groupby",
)
def _(reference: Variant) -> None:
    change_result(reference, (*GROUP, "exception_stats"), _by_name)


@mistake(
    "exception-types-by-count",
    says="the exception types of a group come with the most frequent first",
    op="job_result",
    clause="003-3.3-first-seen-order",
    why="The most frequent one is what people look for.",
    invited_by="Counter.most_common, value_counts, sort | uniq -c | sort -rn",
)
def _(reference: Variant) -> None:
    def by_count(types: Any) -> Any:
        return type(types)(sorted(types.members, key=lambda member: -len(member[1])))

    change_result(reference, (*GROUP, "exception_stats"), by_count)


@mistake(
    "groups-sorted",
    says="the groups of a job are sorted by key",
    op="job_result",
    clause="003-3.3-first-seen-order",
    why="They are gathered in a sorted map, or sorted for display.",
    invited_by="BTreeMap, TreeMap, itertools.groupby after sorted()",
)
def _(reference: Variant) -> None:
    change_result(reference, ("stats", "evals"), _by_name)


@mistake(
    "unverified-groups-left-out",
    says="a group in which no trial has rewards is left out",
    op="job_result",
    clause="003-3.3-unverified-counts-zero",
    why="A group comes to be when its first reward is filed.",
    invited_by="setdefault beside the reward, groupby on a table of rewards",
)
def _(reference: Variant) -> None:
    def kept(groups: Any) -> Any:
        return type(groups)([g for g in groups.members if dict(g[1].members)["n_trials"]])

    change_result(reference, ("stats", "evals"), kept)


@mistake(
    "empty-reward-key-skipped",
    says="a reward whose key is the empty text is not listed",
    op="job_result",
    clause="003-3.3-reward-stats",
    why="A test for truth on the key.",
    invited_by="Python, JavaScript, PHP, Ruby on Rails' present?",
)
def _(reference: Variant) -> None:
    change_objects(reference, lambda members: [m for m in members if m[0]])


@mistake(
    "failed-metric-left-out",
    says="a metric that raises OverflowError is left out, and the job finishes",
    op="job_result",
    clause="003-3.3-metric-failure",
    why="One bad metric should not cost the whole job.",
    invited_by="try/except with continue, Result::ok, filter_map",
)
def _(reference: Variant) -> None:
    def around(tree: Callable[..., Any]) -> Callable[..., Any]:
        def without_failing(self: Any, metrics: Any) -> Any:
            return tree(self, [name for name in metrics if not _fails(reference, name, self.graded)])

        return without_failing

    reference.wrap("job_result._Group.tree", around)


@mistake(
    "failed-metric-as-null",
    says="a metric that raises OverflowError is written as null, and the job finishes",
    op="job_result",
    clause="003-3.3-metric-failure",
    why="Infinity is written as null too, and doubles overflow to it.",
    invited_by="languages whose numbers are doubles, and try/except with None",
)
def _(reference: Variant) -> None:
    aggregate = reference.get("aggregation.aggregate")

    def or_null(metric: str, rewards: Any) -> Any:
        try:
            return aggregate(metric, rewards)
        except OverflowError:
            return {metric: math.inf}

    reference.replace_use("job_result.aggregate", or_null)


def _fails(reference: Variant, metric: str, graded: Any) -> bool:
    try:
        reference.get("job_result.aggregate")(metric, [trial.rewards for trial in graded])
    except OverflowError:
        return True
    return False


def _change_names(reference: Variant, change: Callable[[list[str]], Any]) -> None:
    change_result(reference, (*GROUP, "reward_stats", "*", "*"), change)
    change_result(reference, (*GROUP, "exception_stats", "*"), change)


def _by_name(tree: Any) -> Any:
    return type(tree)(sorted(tree.members, key=lambda member: member[0]))


def _rank(spelling: str) -> tuple[bool, float]:
    number = float(spelling)
    return (number != number, 0.0 if number != number else number)
