"""Experiments with a metric script: change one thing in a working input, and compare the outputs.

Each takes an `ScriptSession`, and yields a rule, a sentence and the run that shows it. ``cases.txt`` has the
situations: variations of three trials that the script accepts.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.extensions.metrics.findings import Case, table_rows
from conformance.extensions.metrics.script import contrasts
from conformance.extensions.metrics.script.contrasts import Experiment, Problems, values_of
from conformance.extensions.metrics.script.runs import PLAIN, How, Trials, shown
from conformance.extensions.metrics.script.session import ScriptSession, differ

__all__ = ["SCRIPT_CASES", "ScriptCase", "last_trial", "many_trials", "partial_lists", "repeated"]

_OFTEN = (0.25, 1.0, 0.375) * 32
_OF_ALL_KINDS = (
    "1.0 0.0 0.5; 1.0 null 0.5; 1.0; 0.25 0.625; 1.0 1.0 1.0; 0.0 0.0 0.0; (0.375)*5; (0.25 1.0 0.375)*3;"
    "(0.25 1.0 0.375)*128; null null;"
)
"""Lists for which the output's keys are the same."""


def repeated(session: ScriptSession) -> Problems:
    """Equal rewards repeatedly, with several hash seeds."""
    (first, *same), others = session.equal_runs()
    if not all(run.usable for run in (first, *same, *others)):
        return
    why = ", with another PYTHONHASHSEED, as of a set of texts whose order changes from run to run"
    for run, how, tolerance in (*((run, "", 0.0) for run in same), *((run, why, 1e-9) for run in others)):
        text = f"The same rewards gave {shown(first.value)} and {shown(run.value)}"
        if differ(first, run, tolerance):
            yield "repeats", f"{text}{how}.", run
            return
        if isinstance(first.value, dict) and [*run.value] != [*first.value]:
            yield "values-order", f"{text}.", run
            return
    for given in (_many(session), session.each(*_OFTEN)):
        one, other = (session.ask(given, again=again) for again in (0, 1))
        if one.usable and other.usable and differ(one, other):
            text = f"The same {len(given)} trials gave {shown(one.value)} and {shown(other.value)}."
            yield "repeats", text, other
            return


def partial_lists(session: ScriptSession) -> Problems:
    """The rewards so far, as in a job: one folder for each call, one home for all.

    Other lists come first; one of them starts the same and is as long.
    """
    trials = contrasts.mixed(session)
    before = session.each(0.5, 0.75, 0.875), session.each(0.25, 0.75, 0.875, 0.625)
    last = session.run_consecutively([*before, *(trials[:end] for end in (1, 2, 4))])
    fresh = session.ask(trials)
    if last.usable and fresh.usable and differ(last, fresh):
        sentence = f"After runs on other rewards it gave {shown(last.value)}, by itself {shown(fresh.value)}."
        yield "state", sentence, last


def key_order(session: ScriptSession) -> Problems:
    """The keys of a trial in two orders, with the higher rewards on one key or the other."""
    keys = session.shape.keys
    names = keys if len(keys) > 1 else (*keys, session.other())
    high, low = session.each(1.0, 0.5, 0.75), session.each(0.0, 0.25, 0.125)

    def trials(order: Sequence[str], first: Trials, others: Trials) -> Trials:
        rows = {name: first if name == names[0] else others for name in order}
        return [
            {name: (row[at] or {}).get(name, (row[at] or {})[keys[0]]) for name, row in rows.items()}
            for at in range(len(high))
        ]

    lists = [trials(names, high, low), trials(names[::-1], high, low), trials(names, low, high)]
    runs = session.all(*lists, [*lists[1][:1], *lists[0][1:]], quietly=len(keys) == 1)
    if not all(isinstance(run.value, dict) and run.value for run in runs):
        return
    base, turned, other, mixed_orders = runs
    for run in (turned, mixed_orders):
        if differ(base, run):
            text = f"{shown(base.value)} and {shown(run.value)}"
            yield "key-order", f"The same rewards, with the keys in another order, gave {text}.", run
            return
    for run, why in ((turned, "with the keys of trials in another order"), (other, "with other rewards")):
        if next(iter(run.value)) != next(iter(base.value)):
            text = f"The first value, which a job shows, is {shown(next(iter(base.value)))}"
            yield "first-key", f"{text}, and {why} {shown(next(iter(run.value)))}.", run
            return


def output_keys(session: ScriptSession) -> Problems:
    """Whether the output has the same keys for all kinds of lists."""
    base, *runs = session.all(*(values_of(text)(session) for text in _OF_ALL_KINDS.split(";")), quietly=True)
    if not isinstance(base.value, dict):
        return
    follows = bool(set(base.value) & set(session.shape.keys))
    for run in runs:
        without_keys = not any(run.trials) and follows
        if not isinstance(run.value, dict) or not run.value or without_keys:
            continue
        if run.value.keys() != base.value.keys():
            text = f"three trials gave {shown(base.value)}, and these {shown(run.value)}"
            yield "output-keys", f"The keys of the output change: {text}.", run
            return


def _one_of_131(session: ScriptSession) -> Trials:
    """131 trials with a mean just below 0.445, and above 0.45 with another 1, to reveal rounding."""
    number = session.shape.fit(131)
    middle = [0.25] * 3 + [(267 + 3 * at * 131 / number) / 1024 for at in range(3, number - 2)]
    return session.each(0.25, *middle, 0.25)


def _many(session: ScriptSession) -> Trials:
    """4999 trials, some without rewards."""
    return session.each(*(session.null if at % 7 == 0 else at % 5 / 8 + 0.25 for at in range(4999)))


def _ends(given: Callable[[ScriptSession], Trials], tail: int, values: Sequence[float]) -> Experiment:
    """Other rewards at the start, or at the end; both replace equally many of each reward."""

    def problems(session: ScriptSession) -> Problems:
        if session.shape.exact:
            return
        trials = given(session)
        base, number = session.ask(trials), len(trials)
        places = {"first": range(tail), "last": range(number - tail, number)}
        counts = dict.fromkeys(places, False)
        for value in values:
            row = session.each(*[value] * number)
            for end, positions in places.items():
                others = [row[at] if at in positions and one else one for at, one in enumerate(trials)]
                counts[end] = counts[end] or differ(base, session.ask(others))
            if all(counts.values()):
                return
        place, other = sorted(counts, key=lambda end: counts[end])
        if base.usable and any(counts.values()):
            text = f"others there gave {shown(base.value)} all the same, and not at the {other} places"
            yield "trials-left-out", f"The {place} {tail} of {number} trials do not count: {text}.", base

    return problems


last_trial, many_trials = _ends(_one_of_131, 1, [1.0, 0.0]), _ends(_many, 350, [1.0])


def _only(given: Callable[[ScriptSession], Trials], how: How = PLAIN) -> Experiment:
    """Runs the script; only a failure is a finding."""

    def problems(session: ScriptSession) -> Problems:
        session.ask(given(session), how)
        return iter(())

    return problems


def _several_keys(session: ScriptSession) -> Trials:
    return [{**(one or {}), session.other(): 0.5} for one in session.each(1.0, 0.0)]


_NAMED = (repeated, partial_lists, output_keys, key_order)
"""Each has the name of its case."""
_EXPERIMENTS: list[tuple[str, Experiment]] = [
    *((experiment.__name__.replace("_", "-"), experiment) for experiment in _NAMED),
    ("last-trial", last_trial),
    ("many-trials", many_trials),
    ("long-options", _only(values_of("1.0 0.0 0.5"), How(long=True))),
    ("environment", contrasts.surroundings),
    ("several-keys", _only(_several_keys)),
    ("other-keys", _only(lambda session: [{session.shape.keys[0]: 1.0}, {session.other(): 1.0}])),
    ("no-keys", _only(lambda session: [{}, *session.each(1.0)])),
    ("non-ascii-keys", _only(lambda _: [{"é": 1.0}, {"é": 0.5}])),
    *contrasts.CONTRASTS,
]


@dataclass(frozen=True, slots=True)
class ScriptCase:
    """One situation."""

    case: Case
    group: str
    """The rule that a plain failure breaks, or ordinary, number or odd."""
    experiments: list[Experiment]
    """Run the script, and yield findings from comparing its results."""


def _cases() -> Iterator[ScriptCase]:
    for group, name, about, *rewards in table_rows(Path(__file__).with_name("cases.txt")):
        runs = [_only(values_of(text)) for text in rewards]
        yield ScriptCase(Case(name, about), group, [*runs, *(one for of, one in _EXPERIMENTS if of == name)])


SCRIPT_CASES = {made.case.name: made for made in _cases()}
"""By name."""
