"""Situations in which several runs of a metric script are compared.

Each takes a script that can be asked, and yields a rule, a sentence and the run that shows it. No
aggregate that counts every trial is told anything here: what is compared would change the mean, the
median, the extremes, the number and the share above a threshold, or what would not is tried in another
place first.
"""

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from conformance.metric.script_asking import Asking, differ
from conformance.metric.script_output import alike, shown
from conformance.metric.script_ran import How, Ran, Trials

__all__ = [
    "Told",
    "another_order",
    "beyond_0_and_1",
    "environment",
    "equal_rewards",
    "last_trial",
    "many_trials",
    "nulls_as_zero",
    "output_exists",
    "partial_lists",
    "repeated",
]

Told = Iterator[tuple[str, str, Ran]]
MANY, TAIL = 5000, 2000
LAST = 130
_LOCALE = (("TZ", "Asia/Kathmandu"), ("LC_ALL", "C"), ("LANG", "C"), ("COLUMNS", "20"))


def mixed(asking: Asking) -> Trials:
    """Four trials, one without rewards."""
    return asking.each(0.25, None, 1.0, 0.0)


def repeated(asking: Asking) -> Told:
    """The same rewards 20 times, twice with each of 10 hash seeds."""
    runs = asking.equal_runs()
    if not all(run.usable for run in runs):
        return
    first = runs[0]
    for one, other in zip(runs[::2], runs[1::2], strict=True):
        if not alike(one.value, other.value):
            yield "repeats", f"The same rewards gave {shown(one.value)} and {shown(other.value)}.", other
            return
    for run in runs:
        if not alike(first.value, run.value, 1e-9):
            text = f"{shown(first.value)} and {shown(run.value)}"
            why = "with another PYTHONHASHSEED, as of a set of texts whose order changes from run to run"
            yield "repeats", f"The same rewards gave {text}, {why}.", run
            return
    for run in runs:
        if json.dumps(run.value) != json.dumps(first.value) and list(run.value) != list(first.value):
            yield "values-order", f"The same rewards gave {shown(first.value)} and {shown(run.value)}.", run
            return


def partial_lists(asking: Asking) -> Told:
    """The rewards so far, as a job gives them: one folder for each call, one home for all."""
    trials = mixed(asking)
    lengths = (1, 1, 2, 3, 4)
    last = asking.in_turn([(trials[:length], {}) for length in lengths])[-1]
    fresh = asking.ask(trials)
    if last.usable and fresh.usable and differ(last, fresh) and asking.steady():
        sentence = f"After runs on other rewards it gave {shown(last.value)}, by itself {shown(fresh.value)}."
        yield "state", sentence, last


def nulls_as_zero(asking: Asking) -> Told:
    """null, left out, and 0 in its place."""
    lists = ((1.0, None, 0.5), (1.0, 0.5), (1.0, 0.0, 0.5))
    asking.foresee(*(asking.each(*values) for values in lists))
    null, out, zero = (asking.ask(asking.each(*values)) for values in lists)
    if not (null.usable and out.usable and zero.usable):
        return
    if alike(null.value, out.value) and not alike(null.value, zero.value) and asking.steady():
        text = f"{shown(null.value)}, where counting it as 0 gives {shown(zero.value)}"
        yield "nulls-left-out", f"It leaves null out: {text}.", zero


def another_order(asking: Asking) -> Told:
    """The trials in two orders."""
    asking.foresee(mixed(asking), mixed(asking)[::-1])
    first, last = asking.ask(mixed(asking)), asking.ask(mixed(asking)[::-1])
    if not (first.usable and last.usable and differ(first, last) and asking.steady()):
        return
    if not any(True for _ in last_trial(asking)):
        text = f"{shown(first.value)} and {shown(last.value)}"
        sentence = (
            f"In the reverse order the same rewards gave {text}: trials come in the order of completion."
        )
        yield "order", sentence, last


def output_exists(asking: Asking) -> Told:
    """An output file that is there already."""
    ran = asking.ask(asking.each(1.0, 0.0, 0.5), How(old=True))
    if ran.usable and isinstance(ran.value, dict) and "old" in ran.value:
        yield "old-output", "It keeps what stood in the output file.", ran


def last_trial(asking: Asking) -> Told:
    """130 trials, with other rewards in the last place and in the first."""
    # The mean is just below 0.445, and above 0.45 with a 1: a script that rounds shows it too.
    middle = [0.25] * 3 + [(268 + 3 * index) / 1024 for index in range(3, LAST - 2)]

    def trials(first: float, last: float) -> Trials:
        return asking.each(first, *middle, last)

    def runs(of_first: bool) -> Iterator[Ran]:
        for value in (1.0, 0.0):
            yield asking.ask(trials(value, 0.25) if of_first else trials(0.25, value))

    asking.foresee(trials(0.25, 0.25), trials(1.0, 0.25), trials(0.25, 1.0))
    places = {"first": lambda: runs(True), "last": lambda: runs(False)}
    base = asking.ask(trials(0.25, 0.25))
    yield from _left_out(asking, base, places, f"The {{}} of {LAST} trials does not count")


def many_trials(asking: Asking) -> Told:
    """5000 trials, with other rewards in the last 2000."""
    values = [None if index % 7 == 0 else index % 5 / 8 + 0.25 for index in range(MANY)]

    def changed(begin: int) -> Trials:
        places = range(begin, begin + TAIL)
        return asking.each(*(one and 1.0 if at in places else one for at, one in enumerate(values)))

    def runs(begin: int) -> Iterator[Ran]:
        yield asking.ask(changed(begin))

    asking.foresee(asking.each(*values), changed(MANY - TAIL))
    base = asking.ask(asking.each(*values))
    places = {f"last {TAIL}": lambda: runs(MANY - TAIL)}
    if base.usable and not any(differ(base, ran) for ran in runs(MANY - TAIL)):
        places[f"first {TAIL}"] = lambda: runs(0)
    yield from _left_out(asking, base, places, f"The {{}} of {MANY} trials do not count")


def _left_out(
    asking: Asking, base: Ran, places: dict[str, Callable[[], Iterator[Ran]]], sentence: str
) -> Told:
    if not base.usable:
        return
    counts, last = {}, base
    for place, runs in places.items():
        for last in runs():
            counts[place] = differ(base, last)
            if counts[place]:
                break
    if len(set(counts.values())) == 2 and asking.steady():
        place = next(place for place, count in counts.items() if not count)
        other = next(place for place, count in counts.items() if count)
        text = (
            f": other rewards there gave {shown(base.value)} all the same, and not in place of the {other}."
        )
        yield "trials-left-out", sentence.format(place) + text, base


def equal_rewards(asking: Asking) -> Told:
    """Trials with the same rewards, once and twice."""

    def same(*lists: tuple[float, ...]) -> bool:
        runs = [asking.ask(asking.each(*values)) for values in lists]
        return all(run.usable for run in runs) and not any(
            differ(one, other) for one, other in pairwise(runs)
        )

    once = same((1, 0, 1), (1, 0, 0)) and same((1, 0, 0.75), (1, 0, 0.75, 0.75), (1, 1, 0, 0.75))
    if once and not same((1, 0, 1), (1, 0, 0.75)) and asking.steady():
        ran = asking.ask(asking.each(1, 0, 0.75, 0.75))
        yield "equal-rewards", f"Trials with equal rewards count once: it gave {shown(ran.value)}.", ran


def beyond_0_and_1(asking: Asking) -> Told:
    """Single rewards above 1 and below 0."""
    asking.foresee(*(asking.each(value) for value in (2.0, 0.0, -1.0)))
    for inside, beyond, what in ((1.0, 2.0, "above 1 counts as 1"), (0.0, -1.0, "below 0 counts as 0")):
        one, other = (asking.ask(asking.each(value)) for value in (inside, beyond))
        level = {name for name, value in _numbers(one).items() if _numbers(other).get(name) == value}
        if not level:
            continue
        between = [_numbers(asking.ask(asking.each(value))) for value in (0.5, 0.75)]
        for name in sorted(level):
            graded = {_numbers(one)[name], *(numbers.get(name) for numbers in between)}
            if len(graded) == 3 and asking.steady():
                text = f"{shown(inside)} and {shown(beyond)} alike gave {shown(one.value)}"
                yield "clips", f"A reward {what}: {text}.", other
                break


def _numbers(ran: Ran) -> dict[str, float]:
    value: Any = ran.value if ran.usable else None
    if not isinstance(value, dict):
        return {}
    return {
        name: one for name, one in value.items() if isinstance(one, int | float) and not isinstance(one, bool)
    }


def environment(asking: Asking) -> Told:
    """Another locale and time zone; the variables that the text names unset, and set to 1 and 0."""
    base = asking.ask(mixed(asking))
    names = asking.text.variables
    for value in (None, "1", "0") if names else (None,):
        ran = asking.ask(mixed(asking), How(environment=(*_LOCALE, *((name, value) for name in names))))
        if base.usable and differ(base, ran) and asking.steady():
            named = ", ".join(names[:3])
            where = (
                "in another locale and time zone" if value is None else f"with the value {value} for {named}"
            )
            where = f"without {named}" if value is None and names else where
            cause = next((sentence for _, sentence in ran.problems), "")
            gave = f"gave {shown(ran.value)}" if ran.usable else f"failed: {cause}"
            yield "environment", f"The rewards that gave {shown(base.value)} {where} {gave}", ran
            return
