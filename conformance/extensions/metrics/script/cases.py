"""The situations that a metric script is put into: variations of three trials that it takes."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from conformance.extensions.metrics.findings import Case
from conformance.extensions.metrics.script import experiments as the
from conformance.extensions.metrics.script.asking import Asking
from conformance.extensions.metrics.script.contrasts import CONTRASTS, Experiment, Given, Problems, values_of
from conformance.extensions.metrics.script.ran import PLAIN, How, Trials
from conformance.extensions.metrics.script.surroundings import surroundings

__all__ = ["SCRIPT_CASES", "ScriptCase"]

_TABLE = """
ordinary | one-key | three trials | 1.0 0.0 0.5
ordinary | keys | other rewards, and other reward keys
number | one-trial | a single trial | 1.0
ordinary | null-rewards | trials without rewards among others | 1.0 null 0.5
ordinary | all-null | no trial with rewards | null null
ordinary | ints | ints and floats of the same value
ordinary | tenths | ten times 0.1 | 0.1*10
ordinary | equal-rewards | trials with the same rewards, once and twice
ordinary | last-trial | other rewards in the last and the first of 131 trials
ordinary | many-trials | other rewards at both ends of 4999 trials
number | partial-lists | the rewards so far, after each trial, as in a job
ordinary | repeated | the same rewards 12 times, with several hash seeds
ordinary | nulls-as-zero | null, left out, and 0 in its place
ordinary | zeros | 0, next to nothing, and no trial in its place
ordinary | another-order | the trials in other orders
ordinary | list-lengths | the same shares of rewards in lists of many lengths
ordinary | output-keys | lists of every sort, which give the same keys
long | long-options | --input-path and --output-path
old | output-exists | an output file that is there already
environment | environment | another place and time, other variables and files
no-trials | no-trials | an empty input file |
shapes | several-keys | one key more
shapes | missing-keys | trials with a key less than others
shapes | key-order | the keys of trials in other orders
shapes | other-keys | another key in each trial
shapes | no-keys | rewards without keys
shapes | non-ascii-keys | keys beyond ASCII
range | beyond-0-and-1 | rewards above 1 and below 0
range | signs | negative rewards and -0.0 | -1.5 -0.0 0.25
range | far-apart | rewards from 1e-300 to 1e15 | 1e15 1e-300 3.5 -1e15
odd | nan | a reward that is NaN | 1.0 nan
odd | infinite | infinite rewards | inf 1.0 -inf
odd | huge-int | an int of 401 digits | 1E400 1
odd | near-overflow | rewards whose sum is beyond the doubles | 1.7e308 1.7e308
""".replace("1E400", str(10**400))
"""The kind of trouble that a failure in the case is, its name, what it is about, and rewards to run it on."""


@dataclass(frozen=True, slots=True)
class ScriptCase:
    """One situation."""

    case: Case
    group: str
    """What kind of trouble a failure in it is."""
    experiments: list[Experiment] = field(default_factory=list)
    """They ask the script, and yield what a comparison of its runs shows."""


def only(given: Given, how: How = PLAIN) -> Experiment:
    """Runs the script; a failure is all that this can show."""

    def problems(asking: Asking) -> Problems:
        asking.ask(given(asking), how)
        return iter(())

    return problems


def _a_key_more(asking: Asking) -> Trials:
    return [one and {**one, asking.other(): 0.5} for one in asking.each(1.0, 1.0)]


def _other_keys(asking: Asking) -> Trials:
    return [{key: 1.0} for key in (asking.shape.keys[0], asking.other())]


_OTHERS: Sequence[tuple[str, Experiment]] = (
    ("last-trial", the.last_trial),
    ("many-trials", the.many_trials),
    ("partial-lists", the.partial_lists),
    ("repeated", the.repeated),
    ("nulls-as-zero", the.nulls_as_zero),
    ("list-lengths", the.lengths),
    ("output-keys", the.output_keys),
    ("long-options", only(values_of("1.0 0.0 0.5"), How(long=True))),
    ("output-exists", the.output_exists),
    ("environment", surroundings),
    ("several-keys", only(_a_key_more)),
    ("missing-keys", the.missing_keys),
    ("key-order", the.key_order),
    ("other-keys", only(_other_keys)),
    ("no-keys", only(lambda asking: [{}, *asking.each(1.0)])),
    ("non-ascii-keys", only(lambda _: [{"é": 1.0}, {"é": 0.5}])),
)


def _cases() -> dict[str, ScriptCase]:
    made = {}
    for line in _TABLE.strip().splitlines():
        group, name, about, *rewards = (cell.strip() for cell in line.split("|"))
        made[name] = ScriptCase(Case(name, about), group)
        made[name].experiments.extend(only(values_of(text)) for text in rewards)
    for name, experiment in (*_OTHERS, *CONTRASTS):
        made[name].experiments.append(experiment)
    return made


SCRIPT_CASES = _cases()
"""By name."""
