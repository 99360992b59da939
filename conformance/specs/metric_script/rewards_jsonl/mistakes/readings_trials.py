"""What readers of document 000 alone understood of rewards.jsonl: which trials and which keys stand in it."""

import itertools
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import Case, family
from conformance.mistakes.variant import Variant
from conformance.specs.metric_script.rewards_jsonl.mistakes.lines import each as of_each
from conformance.specs.metric_script.rewards_jsonl.mistakes.lines import escapes as whole
from conformance.specs.metric_script.rewards_jsonl.mistakes.lines import given, lines
from reference_impl import metric_script

one_per_trial = family("rewards_jsonl", clause="000-lines-one-per-trial")
null_lines = family("rewards_jsonl", clause="000-lines-null")
objects = family("rewards_jsonl", clause="000-lines-object")
_Rewards = dict[str, Any] | None


def _previous_repeated(rewards: Sequence[_Rewards]) -> list[_Rewards]:
    written: list[_Rewards] = []
    for reward in rewards:
        written.append(written[-1] if reward is None and written else reward)
    return written


def _carried_over(rewards: Sequence[_Rewards]) -> list[_Rewards]:
    reused: dict[str, Any] = {}
    return [None if reward is None else dict(reused := reused | reward) for reward in rewards]


def _in_the_first_order(rewards: Sequence[_Rewards]) -> list[_Rewards]:
    header = list(dict.fromkeys(key for reward in rewards for key in reward or ()))
    return [
        None if reward is None else {key: reward[key] for key in header if key in reward}
        for reward in rewards
    ]


def _without_neighbours(rewards: Sequence[_Rewards], merged: Callable[[Any], bool]) -> list[_Rewards]:
    """Of equal lines in a row that may be merged, the first."""
    kept = list(rewards[:1])
    kept += [b for a, b in itertools.pairwise(rewards) if repr(a) != repr(b) or not merged(b)]
    return kept


def _trailing_cut(rewards: Sequence[_Rewards]) -> list[_Rewards]:
    return list(reversed(list(itertools.dropwhile(lambda it: it is None, reversed(rewards)))))


@null_lines.each(
    Case(
        "jsonl-missing-as-zero-reward",
        'a trial without rewards is {"reward": 0} in rewards.jsonl',
        "Harbor is said to treat missing rewards as 0.",
        "defaults filled in early",
        lambda rewards: [{"reward": 0} if it is None else it for it in rewards],
    ),
    Case(
        "jsonl-trailing-nulls-cut",
        "trials without rewards at the end have no line in rewards.jsonl",
        "What is empty at the end of a list is easily cut off.",
        "rstrip, sparse arrays",
        _trailing_cut,
    ),
    Case(
        "jsonl-leading-nulls-cut",
        "trials without rewards before the first one that has some have no line in rewards.jsonl",
        "The first reward seen opens the file.",
        "itertools.dropwhile, lazy writers",
        lambda rewards: list(itertools.dropwhile(lambda it: it is None, rewards)),
    ),
    Case(
        "jsonl-only-nulls-write-nothing",
        "rewards.jsonl is empty where no trial has rewards",
        "Without any reward there seems to be nothing to write.",
        "if any(rewards)",
        lambda rewards: rewards if any(it is not None for it in rewards) else [],
    ),
    Case(
        "jsonl-nulls-in-a-row-merged",
        "several trials without rewards in a row are one null in rewards.jsonl",
        "Grouping what follows each other is a habit of log writers.",
        "itertools.groupby, uniq",
        lambda rewards: _without_neighbours(rewards, lambda it: it is None),
    ),
    Case(
        "jsonl-null-repeats-the-trial-before",
        "a trial without rewards repeats the line of the one before it in rewards.jsonl",
        "A loop's variable keeps its value where nothing is assigned.",
        "stale variables, forward fill of data frames",
        _previous_repeated,
    ),
    Case(
        "jsonl-all-zero-as-null",
        "a trial whose rewards are all 0 is null in rewards.jsonl",
        "A reward of 0 and a missing one count alike in the mean.",
        "if any(reward.values())",
        lambda rewards: [it if it is None or not it or any(it.values()) else None for it in rewards],
    ),
    Case(
        "jsonl-nan-as-null",
        "a trial that measured NaN alone is null in rewards.jsonl",
        "NaN stands for a missing value in data frames.",
        "pandas, isnan",
        lambda rewards: [
            None if it and all(value != value for value in it.values()) else it for it in rewards
        ],
    ),
    Case(
        "jsonl-no-trials-as-null",
        "without trials rewards.jsonl is one null",
        "No trial is taken for one without rewards.",
        "rewards or [None]",
        lambda rewards: rewards or [None],
        clause="000-lines-no-trials",
    ),
    Case(
        "jsonl-neighbours-merged",
        "a trial with the rewards of the one before it has no line in rewards.jsonl",
        "Repeated lines look like one written twice.",
        "uniq, itertools.groupby",
        lambda rewards: _without_neighbours(rewards, lambda _: True),
        clause="000-lines-one-per-trial",
    ),
    Case(
        "jsonl-trials-by-number-as-text",
        "from eleven trials on, rewards.jsonl has them in the order of their numbers as text",
        "trial-10 sorts before trial-2.",
        "sorted(trial_dir.iterdir()), ls",
        lambda rewards: [rewards[i] for i in sorted(range(len(rewards)), key=str)],
        clause="000-lines-trial-order",
    ),
    Case(
        "jsonl-keys-carried-over",
        "a key that a trial lacks keeps the value of the trial before in rewards.jsonl",
        "One map is filled again for each trial.",
        "a dict reused in a loop, json.Unmarshal into the same map",
        _carried_over,
        clause="000-lines-object",
    ),
    Case(
        "jsonl-keys-in-the-first-trials-order",
        "every line of rewards.jsonl has its keys in the order in which the first trials brought them",
        "A table has one header.",
        "csv.DictWriter, data frames",
        _in_the_first_order,
        clause="000-lines-key-order",
    ),
)
def other_trials(reference: Variant, change: Callable[[list[_Rewards]], list[_Rewards]]) -> None:
    """Lets the file be written of other rewards."""
    given(reference, change)


def _cased_once(reward: dict[str, Any]) -> dict[str, Any]:
    last = {key.casefold(): value for key, value in reward.items()}
    firsts = {key.casefold(): key for key in reversed(reward)}
    return {key: last[key.casefold()] for key in reward if firsts[key.casefold()] == key}


def _digits_first(reward: dict[str, Any]) -> dict[str, Any]:
    first = sorted(key for key in reward if len(key) == 1 and key in "0123456789")
    return {key: reward[key] for key in (*first, *(key for key in reward if key not in first))}


@objects.each(
    Case(
        "jsonl-one-digit-keys-first",
        "keys of one digit come first in rewards.jsonl, in ascending order",
        "Arrays and maps are one thing in some languages.",
        "PHP, Lua tables",
        _digits_first,
        clause="000-lines-key-order",
    ),
    Case(
        "jsonl-proto-key-lost",
        "the key __proto__ is missing in rewards.jsonl",
        "Assigning it to an object sets the object's prototype.",
        "JavaScript and TypeScript objects as maps",
        lambda reward: {key: value for key, value in reward.items() if key != "__proto__"},
    ),
    Case(
        "jsonl-keys-trimmed",
        "keys lose the white space around them in rewards.jsonl",
        "Names are tidied where they are read.",
        "key.strip()",
        lambda reward: {key.strip(): value for key, value in reward.items()},
    ),
    Case(
        "jsonl-keys-lower-cased",
        "keys are in lower case in rewards.jsonl",
        "Names are compared without case elsewhere.",
        "key.lower(), serde rename_all",
        lambda reward: {key.lower(): value for key, value in reward.items()},
    ),
    Case(
        "jsonl-keys-composed",
        "keys are in Unicode's composed form in rewards.jsonl",
        "Names that look alike should be alike.",
        "NFC on reading, Swift's strings",
        lambda reward: {unicodedata.normalize("NFC", key): value for key, value in reward.items()},
    ),
    Case(
        "jsonl-keys-apart-by-case-merged",
        "of keys that differ by case alone rewards.jsonl has the first, with the value of the last",
        "Some maps look names up without case.",
        "encoding/json's struct fields, case-insensitive dictionaries",
        _cased_once,
    ),
    Case(
        "jsonl-many-keys-sorted",
        "from nine keys on, a line of rewards.jsonl has them sorted",
        "Small maps keep their order, large ones become trees or tables.",
        "small-map optimisations",
        lambda reward: dict(sorted(reward.items())) if len(reward) > 8 else reward,
        clause="000-lines-key-order",
    ),
    Case(
        "jsonl-first-key-only",
        "a line of rewards.jsonl has the first key of its trial alone",
        "The document's script expects exactly one key.",
        "next(iter(rewards))",
        lambda reward: dict(list(reward.items())[:1]),
    ),
)
def other_keys(reference: Variant, change: Callable[[dict[str, Any]], Any]) -> None:
    """Lets each line be written of other members."""
    of_each(reference, change)


def _plain(reward: _Rewards) -> str:
    return metric_script.rewards_jsonl([reward]).decode("ascii").removesuffix("\n")


def _bare(reward: _Rewards) -> str:
    return _plain(reward) if reward is None or len(reward) != 1 else _plain(reward)[:-1].partition(": ")[2]


def _tight(reward: _Rewards) -> str:
    return _plain(reward).replace(": ", ":") if reward and len(reward) == 1 else _plain(reward)


@objects.each(
    Case(
        "jsonl-missing-as-bare-zero",
        "a trial without rewards is the line 0 in rewards.jsonl",
        "Harbor is said to treat missing rewards as 0.",
        "defaults filled in early",
        lambda reward: "0" if reward is None else _plain(reward),
        clause="000-lines-null",
    ),
    Case(
        "jsonl-missing-as-empty-line",
        "a trial without rewards is an empty line in rewards.jsonl",
        "Nothing measured, nothing written.",
        "CSV, println of an empty string",
        lambda reward: "" if reward is None else _plain(reward),
        clause="000-lines-null",
    ),
    Case(
        "jsonl-single-reward-bare",
        "a trial with one key is its bare value in rewards.jsonl",
        "The name of the only reward seems to say nothing.",
        "result.json's plain scores",
        _bare,
    ),
    Case(
        "jsonl-single-key-without-spaces",
        "an object of one key has no space behind its colon in rewards.jsonl",
        "A writer's fast path forgets what its slow one does.",
        "hand-written fast paths",
        _tight,
        clause="000-lines-separators",
    ),
)
def other_lines(reference: Variant, line: Callable[[_Rewards], str]) -> None:
    """Lets each line be written by ``line``."""
    lines(reference, line)


@one_per_trial.each(
    Case(
        "jsonl-carriage-returns",
        "lines of rewards.jsonl end with a carriage return and a line feed",
        "A file in text mode ends its lines so on one system.",
        "Windows, text mode, csv",
        lambda text: text.replace("\n", "\r\n"),
    ),
    Case(
        "jsonl-blank-line-at-the-end",
        "rewards.jsonl ends with an empty line",
        "Every line has its line feed already when the file is printed.",
        "print(text), println",
        lambda text: text + "\n",
    ),
)
def other_ends(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the text of the whole file."""
    whole(reference, change)


@objects.each(
    Case(
        "jsonl-several-keys-refused",
        "a trial with several keys is a ValueError when rewards.jsonl is written",
        "The document's script expects exactly one key.",
        "the document's example",
        lambda reward: reward is not None and len(reward) > 1,
    ),
    Case(
        "jsonl-no-key-refused",
        "a trial without any key is a ValueError when rewards.jsonl is written",
        "The document's script expects exactly one key.",
        "the document's example",
        lambda reward: reward is not None and not reward,
    ),
)
def refused(reference: Variant, wrong: Callable[[_Rewards], bool]) -> None:
    """Refuses some rewards before anything is written."""

    def checked(rewards: list[_Rewards]) -> list[_Rewards]:
        if any(map(wrong, rewards)):
            raise ValueError("exactly one key is expected")
        return rewards

    given(reference, checked)
