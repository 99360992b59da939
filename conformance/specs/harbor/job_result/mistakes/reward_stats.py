"""Mistakes in a group's lists of trial names: by reward, by exception; and in metrics that fail."""

import math
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.trees import change_objects, change_result
from reference_impl import aggregation, json_text
from reference_impl.job_result import _Group
from reference_impl.job_result import job_result as reference_job_result

in_list = family("job_result", of=_Group._list)
mistakes = family("job_result")
in_tree = family("job_result", of=_Group.tree, clause="003-3.3-metric-failure")
changed_objects = way("job_result", clause="003-3.3-reward-stats")(change_objects)
changed_result = way("job_result", clause="003-3.3-first-seen-order")(change_result)
GROUP = ("stats", "evals", "*")


def _filed_under(reference: Variant, place: Callable[[Any], Any]) -> None:
    """Has rewards share an entry where ``place`` makes the same of them."""

    def listed(self: Any, key: str, reward: Any, trial_name: str) -> None:
        job_result = reference.module_of(reference_job_result)
        by_reward = self.reward_stats.setdefault(key, {})
        here = place(reward)
        if here not in by_reward:
            by_reward[here] = job_result._Listed(job_result.number_key(reward))
        by_reward[here].trial_names.append(job_result.printable(trial_name))

    reference.replace(_Group._list, listed)


filed_under_in_pipeline = way("pipeline", clause="003-3.3-reward-stats-nan")(_filed_under)
filed_under = way("job_result", clause="003-3.3-reward-stats")(_filed_under)


@filed_under.made(
    clause="003-3.3-reward-stats-nan",
    invited_by="Java's Double, JavaScript's Map, Rust's OrderedFloat, str(reward) as a key",
)
def nan_rewards_merged(reward: Any) -> Any:
    """All NaN rewards of a key share an entry. A map that can hold NaN holds it once."""
    return "nan" if reward != reward else reward


@filed_under_in_pipeline.made(invited_by="Go's map[float64], C++'s unordered_map, comparing with ==")
def nan_rewards_never_shared(reward: Any) -> Any:
    """Every NaN reward has an entry of its own, also the bare NaN of reward.json.
    NaN equals nothing; that Python looks at the object first is a detail."""
    return object() if reward != reward else reward


@in_list.wrapped(
    clause="003-3.3-reward-stats-nan",
    invited_by="pandas' groupby and value_counts, which drop NaN; SQL's views of it",
)
def nan_rewards_not_listed(
    original: Callable[..., None], self: Any, key: str, reward: Any, trial_name: str
) -> None:
    """NaN rewards are not listed in reward_stats. A group for a missing value is no group."""
    if reward == reward:
        original(self, key, reward, trial_name)
    else:
        self.reward_stats.setdefault(key, {})


@mistakes.changed(
    clause="003-3.3-reward-stats",
    invited_by="Map<String, …>, JSON numbers kept as text, Java's Object keys, Ruby's eql?",
)
def rewards_filed_by_spelling(reference: Variant) -> None:
    """Rewards that are equal and spelled differently, 1 and 1.0, have entries of their own.
    The text is the key from the beginning."""
    number_key = reference.get(json_text.number_key)
    _filed_under(reference, lambda reward: number_key(reward) if reward == reward else object())


@filed_under.made(invited_by="Go's map[float64], C++, numpy and pandas, JavaScript's Map")
def rewards_filed_as_doubles(reward: Any) -> Any:
    """Rewards share an entry where they are equal as doubles: 2**53 + 1 and 2.0**53.
    A map from double to names."""
    try:
        return float(reward) if reward == reward else reward
    except OverflowError:
        return math.copysign(math.inf, reward)


@filed_under.made(invited_by="Java's Double.equals, Rust's to_bits and total_cmp, JavaScript's Object.is")
def zeros_filed_by_sign(reward: Any) -> Any:
    """0.0 and -0.0 have entries of their own. Keys are compared by their bits."""
    return "-0.0" if reward == 0 and math.copysign(1, reward) < 0 else reward


@in_list.wrapped(
    clause="003-3.3-reward-stats",
    invited_by="Rust's HashMap rebuilt by collect, JavaScript with a table of labels, jq's from_entries",
)
def last_spelling_kept(
    reference: Variant, original: Callable[..., None], self: Any, key: str, reward: Any, trial_name: str
) -> None:
    """Equal rewards are spelled as the last of them, 1.0 after 1.
    Assigning an entry again replaces its key in many maps."""
    original(self, key, reward, trial_name)
    entry = self.reward_stats[key].get(reward)
    entry.spelling = reference.get(json_text.number_key)(reward)


@way("job_result", clause="003-3.3-reward-stats")
def change_names(reference: Variant, change: Callable[[list[str]], Any]) -> None:
    """Changes the lists of trials' names."""
    change_result(reference, change, (*GROUP, "reward_stats", "*", "*"))
    change_result(reference, change, (*GROUP, "exception_stats", "*"))


@change_names.made(invited_by="sets of names")
def trial_names_once(names: list[str]) -> Any:
    """A trial's name that occurs twice in a list is written once. Names are taken for unique."""
    return list(dict.fromkeys(names))


@change_names.made(
    clause="003-3.3-first-seen-order", invited_by="BTreeSet, TreeSet, sorted(set(names)), sort | uniq"
)
def trial_names_sorted(names: list[str]) -> Any:
    """Lists of trial names are sorted. Sorted lists are stable ones."""
    return sorted(names)


@change_names.made(invited_by="collections.Counter, value_counts, GROUP BY with COUNT(*)")
def trial_names_counted(names: list[str]) -> Any:
    """reward_stats and exception_stats hold numbers of trials in place of their names.
    Statistics are counts."""
    return len(names)


@changed_result.made(
    (*GROUP, "reward_stats", "*"),
    invited_by="pandas' groupby, BTreeMap with OrderedFloat, TreeMap<Double, …>",
)
def reward_values_sorted(by_reward: Any) -> Any:
    """The rewards of a key are listed in numeric order. A histogram reads better so."""
    return type(by_reward)(sorted(by_reward.members, key=lambda member: _rank(member[0])))


@changed_result.made((*GROUP, "reward_stats"), invited_by="computing the sorted union of keys once")
def reward_keys_sorted_in_stats(by_reward: Any) -> Any:
    """The keys of reward_stats are sorted, as the metrics' are. One list of keys serves both."""
    return _by_name(by_reward)


@changed_result.made((*GROUP, "exception_stats"), invited_by="BTreeMap, TreeMap, pandas' groupby")
def exception_types_sorted(by_reward: Any) -> Any:
    """The exception types of a group are sorted by name. They are gathered in a sorted map."""
    return _by_name(by_reward)


@changed_result.made(
    (*GROUP, "exception_stats"), invited_by="Counter.most_common, value_counts, sort | uniq -c | sort -rn"
)
def exception_types_by_count(types: Any) -> Any:
    """The exception types of a group come with the most frequent first.
    The most frequent one is what people look for."""
    return type(types)(sorted(types.members, key=lambda member: -len(member[1])))


@changed_result.made(("stats", "evals"), invited_by="BTreeMap, TreeMap, itertools.groupby after sorted()")
def groups_sorted(by_reward: Any) -> Any:
    """The groups of a job are sorted by key. They are gathered in a sorted map, or sorted for display."""
    return _by_name(by_reward)


@changed_result.made(
    ("stats", "evals"),
    clause="003-3.3-unverified-counts-zero",
    invited_by="setdefault beside the reward, groupby on a table of rewards",
)
def unverified_groups_left_out(groups: Any) -> Any:
    """A group in which no trial has rewards is left out.
    A group comes to be when its first reward is filed."""
    return type(groups)([g for g in groups.members if dict(g[1].members)["n_trials"]])


@changed_objects.made(invited_by="Python, JavaScript, PHP, Ruby on Rails' present?")
def empty_reward_key_skipped(members: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """A reward whose key is the empty text is not listed. A test for truth on the key."""
    return [m for m in members if m[0]]


@in_tree.wrapped(invited_by="try/except with continue, Result::ok, filter_map")
def failed_metric_left_out(reference: Variant, tree: Callable[..., Any], self: Any, metrics: Any) -> Any:
    """A metric that raises OverflowError is left out, and the job finishes.
    One bad metric should not cost the whole job."""
    return tree(self, [name for name in metrics if not _fails(reference, name, self.graded)])


@mistakes.changed(
    clause="003-3.3-metric-failure",
    invited_by="languages whose numbers are doubles, and try/except with None",
)
def failed_metric_as_null(reference: Variant) -> None:
    """A metric that raises OverflowError is written as null, and the job finishes.
    Infinity is written as null too, and doubles overflow to it."""
    aggregate = reference.get(aggregation.aggregate)

    def or_null(metric: str, rewards: Any) -> Any:
        try:
            return aggregate(metric, rewards)
        except OverflowError:
            return {metric: math.inf}

    reference.replace_use((reference_job_result, aggregation.aggregate), or_null)


def _fails(reference: Variant, metric: str, graded: Any) -> bool:
    try:
        reference.get((reference_job_result, aggregation.aggregate))(
            metric, [trial.rewards for trial in graded]
        )
    except OverflowError:
        return True
    return False


def _by_name(tree: Any) -> Any:
    return type(tree)(sorted(tree.members, key=lambda member: member[0]))


def _rank(spelling: str) -> tuple[bool, float]:
    number = float(spelling)
    return (number != number, 0.0 if number != number else number)


@mistakes.changed(clause="003-3.3-reward-stats", invited_by="previews, [:10], limits against long files")
def names_end_at_ten(reference: Variant) -> None:
    """A reward lists at most ten trials. A file of thousands of names is too long to read."""

    def first_ten(original: Callable[..., None], self: Any, key: str, reward: Any, trial_name: str) -> None:
        original(self, key, reward, trial_name)
        for listed in self.reward_stats[key].values():
            del listed.trial_names[10:]

    reference.wrap(_Group._list, lambda original: lambda *given: first_ten(original, *given))
