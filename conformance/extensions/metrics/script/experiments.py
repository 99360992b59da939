"""Experiments with a metric script: change one thing in a working input, and compare the outputs.

Each takes a `ScriptSession`, and yields a rule, a sentence and the run that shows the violation.
``cases.txt`` has the cases, which vary three trials that the script accepts. ``contrasts.txt`` has lists of
trials for which any aggregate of all trials (a mean, a median, an extreme, a count or a share) satisfies
certain relations: ints and equal floats, for example, give the same number.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.extensions.metrics.checker import Case
from conformance.extensions.metrics.relations import expanded, holds, table_rows
from conformance.extensions.metrics.sandbox.environments import DIFFERENT, FIRST, moments, second
from conformance.extensions.metrics.script.runs import (
    PLAIN,
    Rewards,
    RunOptions,
    ScriptRun,
    Shape,
    Trials,
    Violation,
    brief,
)
from conformance.extensions.metrics.script.session import ScriptSession, differ, numbers
from conformance.option_names import metric_option

__all__ = ["SCRIPT_CASES", "Problems", "ScriptCase"]

Problems = Iterator[Violation]
Experiment = Callable[[ScriptSession], Problems]
Given = Callable[..., Trials]
Changed = Iterator[tuple[str, RunOptions, bool]]
"""A description of the environment, how to run, and whether a failure does not count as a difference."""
_ELSEWHERE = {"PATH", "HOME", "TZ", "TMPDIR", "TMP", "TEMP", "USER", "LOGNAME", "PYTHONHASHSEED"}
"""Variables that other runs vary."""
_VARIABLE = re.compile(r"""["']([A-Z_][A-Z0-9_]{2,40})["']""")


def values_of(text: str, hole: Rewards = None) -> Given:
    """Return a function that makes trials with these rewards under every key.

    A word is a number, ``null``, or ``none`` for null if the script accepts it. ``(…)*10`` repeats words ten
    times, ``0.25..0.5*9`` gives nine values from 0.25 to 0.5, ``_`` is the trial ``hole``, and ``_0.5`` is
    the hole with 0.5 under each key that it lacks.
    """
    words = expanded(text)

    def trials(session: ScriptSession, shape: Shape | None = None) -> Trials:
        shape = shape or session.shape

        def value(word: str) -> float | None:
            word = word.lstrip("_") or "null"
            if word in ("null", "none"):
                return session.null if word == "none" else None
            word = str(10**400) if word == "1E400" else word
            return float(word) if re.search(r"[.enf]", word) else int(word)

        rows = shape.trials(*map(value, words))
        for index, word in enumerate(words[: len(rows)]):
            if word == "_":
                rows[index] = hole
            elif word.startswith("_"):
                (whole,) = replace(shape, exact=False).trials(value(word))
                kept = {key: reward for key, reward in (hole or {}).items() if key in shape.keys}
                rows[index] = {**(whole or {}), **kept}
        return rows

    return trials


def _incomplete_trials(session: ScriptSession, case: str) -> Iterator[tuple[str, Rewards]]:
    """Yield trials without rewards, or without some, each after a description."""
    keys = session.shape.keys
    if case == "nulls-as-zero":
        yield from [("null", None)] if session.shape.nulls else ()
        return
    yield from (("A trial with another key only", {session.other_key(): 0.0}), ("A trial without keys", {}))
    for key in keys[:2] if len(keys) > 1 else ():
        (whole,) = replace(session.shape, exact=False).trials(0.5)
        yield f"A trial without {key}", {name: value for name, value in (whole or {}).items() if name != key}


def _contrast(case: str, rule: str, options: str, lists: str, wrong: str, sentence: str) -> Experiment:
    """Return an experiment that runs lists, and yields the rule if numbers in the outputs satisfy ``wrong``.

    The outputs are inserted into the ``sentence``. The options:
    ``plain``: skip scripts that need rewards outside of 0 to 1; ``literal``: use the rewards even then;
    ``one-key``: skip scripts that read several keys;
    ``any-number``: skip scripts that need a certain number of trials, or answer yes or no;
    ``may-fail``: ignore failures, which another case reports;
    ``whole``: the first two outputs must be equal; ``outputs``: compare whole outputs, not numbers in them.
    """

    def problems(session: ScriptSession) -> Problems:
        shape, whole_outputs, any_number = session.shape, "outputs" in options, "any-number" in options
        yes_or_no = any_number and not whole_outputs
        if ("one-key" in options and len(shape.keys) > 1) or (any_number and shape.exact):
            return
        if "plain" in options and shape.levels:
            return
        for about, hole in _incomplete_trials(session, case) if "_" in lists else [("", None)]:
            tried = replace(shape, levels={}) if "literal" in options else shape
            inputs = [values_of(text, hole)(session, tried) for text in lists.split(";")]
            runs = session.all(*inputs, quietly="may-fail" in options)
            outputs = [numbers(run) for run in runs]
            if whole_outputs and all(run.usable for run in runs):
                equal = [[differ(run, earlier) for earlier in runs].index(False) for run in runs]
                outputs = [{"output": float(first)} for first in equal]
            for name in outputs[0]:
                values = [output[name] for output in outputs if name in output]
                if len(values) < len(outputs) or (yes_or_no and {*values} <= {0, 1}):
                    continue
                if holds(wrong, values) and ("whole" not in options or not differ(runs[0], runs[1])):
                    keys = f"tried keys: {', '.join(shape.keys)}; {metric_option('key')} NAME tries others"
                    gave = [brief(run.value) for run in runs]
                    text = sentence.format(*gave, what=about, keys=keys, values=metric_option("values"))
                    yield rule, text, runs[-1 if yes_or_no else 0]
                    return

    return problems


_mixed = values_of("0.25 none 1.0 0.0")
_LONG_LISTS = values_of("none (0.25 1.0 0.375)*32"), values_of("(none 0.375 0.5 0.625 0.75 0.25)*833 0.375")


def repeated(session: ScriptSession) -> Problems:
    """Run equal rewards repeatedly, with several hash seeds."""
    (first, *same), varied = session.equal_runs()
    if not all(run.usable for run in (first, *same, *varied)):
        return
    why = " with another PYTHONHASHSEED, which changes the order of sets of texts"
    for run, end, tolerance in (*((run, "", 0.0) for run in same), *((run, why, 1e-9) for run in varied)):
        text = f"The same rewards gave {brief(first.value)} and {brief(run.value)}"
        if differ(first, run, tolerance):
            yield "repeats", f"{text}{end}.", run
            return
        if isinstance(first.value, dict) and [*run.value] != [*first.value]:
            yield "values-order", f"{text}.", run
            return
    for rewards in (trials(session) for trials in _LONG_LISTS):
        before, after = (session.ask(rewards, again=again) for again in (0, 1))
        if before.usable and after.usable and differ(before, after):
            text = f"The same {len(rewards)} trials gave {brief(before.value)} and {brief(after.value)}."
            yield "repeats", text, after
            return


def partial_lists(session: ScriptSession) -> Problems:
    """Run the rewards so far, as in a job: each call has its own folder, and all have the same home.

    Other lists come first; one has the same length and the same first reward.
    """
    trials = _mixed(session)
    before = session.shape.trials(0.5, 0.75, 0.875), session.shape.trials(0.25, 0.75, 0.875, 0.625)
    last = session.run_consecutively([*before, *(trials[:end] for end in (1, 2, 4))])
    fresh = session.ask(trials)
    if last.usable and fresh.usable and differ(last, fresh):
        sentence = f"After runs on other rewards it gave {brief(last.value)}, alone {brief(fresh.value)}."
        yield "state", sentence, last


def key_order(session: ScriptSession) -> Problems:
    """Run trials with two orders of keys, and with the higher rewards under either key."""
    keys = session.shape.keys
    names = keys if len(keys) > 1 else (*keys, session.other_key())
    high, low = session.shape.trials(1.0, 0.5, 0.75), session.shape.trials(0.0, 0.25, 0.125)

    def trials(order: Sequence[str], first: Trials, further: Trials) -> Trials:
        rows = {name: first if name == names[0] else further for name in order}
        return [
            {name: (row[index] or {}).get(name, (row[index] or {})[keys[0]]) for name, row in rows.items()}
            for index in range(len(high))
        ]

    lists = [trials(names, high, low), trials(names[::-1], high, low), trials(names, low, high)]
    runs = session.all(*lists, [*lists[1][:1], *lists[0][1:]], quietly=len(keys) == 1)
    if not all(isinstance(run.value, dict) and run.value for run in runs):
        return
    base, turned, swapped, mixed_orders = runs
    for run in (turned, mixed_orders):
        if differ(base, run):
            text = f"{brief(base.value)} and {brief(run.value)}"
            yield "key-order", f"The same rewards with another order of keys gave {text}.", run
            return
    for run, why in ((turned, "with the keys of trials in another order"), (swapped, "with other rewards")):
        if next(iter(run.value)) != next(iter(base.value)):
            text = f"The first value, which a job shows, is {brief(next(iter(base.value)))}"
            yield "first-key", f"{text}, and {why} {brief(next(iter(run.value)))}.", run
            return


_OF_ALL_KINDS = (
    "1.0 0.0 0.5; 1.0 null 0.5; 1.0; 0.25 0.625; 1.0 1.0 1.0; 0.0 0.0 0.0; (0.375)*5; (0.25 1.0 0.375)*3;"
    "(0.25 1.0 0.375)*128; null null;"
)
"""Lists for which the output must have the same keys."""


def output_keys(session: ScriptSession) -> Problems:
    """Check that the output has the same keys for all kinds of lists."""
    base, *runs = session.all(*(values_of(text)(session) for text in _OF_ALL_KINDS.split(";")), quietly=True)
    if not isinstance(base.value, dict):
        return
    follows = bool(set(base.value) & set(session.shape.keys))
    for run in runs:
        without_keys = not any(run.trials) and follows
        if not isinstance(run.value, dict) or not run.value or without_keys:
            continue
        if run.value.keys() != base.value.keys():
            text = f"three trials gave {brief(base.value)}, and these {brief(run.value)}"
            yield "output-keys", f"The keys of the output change: {text}.", run
            return


def environment(session: ScriptSession) -> Problems:
    """Run it in another folder, with other variables, and at another time."""
    trials = _mixed(session)
    base = session.ask(trials)
    if not base.usable:
        return

    def problem(run: ScriptRun, where: str, base: ScriptRun = base) -> Violation:
        cause = next((sentence for _, sentence in run.problems), "")
        gave = f"gave {brief(run.value)}" if run.usable else f"failed: {cause}"
        return "environment", f"The rewards that gave {brief(base.value)} {gave} {where}.", run

    elsewhere = replace(second(), hash_seed=FIRST.hash_seed, user="root", home="far/house", folder="far/away")
    run = session.ask(trials, RunOptions(under=elsewhere))
    if differ(base, run):
        yield problem(run, f"in another environment: {DIFFERENT}")
        return
    # Other problems of these runs belong to other cases. With many trials, a sample may be seeded by the
    # clock.
    many = values_of("0.25 none (1.0 0.0 0.375)*99")(session)
    watched = session.ask_quietly(many, RunOptions(pretended=()))
    for before, rewards, changes in (
        (base, trials, _variables(session, watched.asked_for)),
        (watched, many, _pretences(watched.asked_for)),
    ):
        for where, options, must_work in changes:
            run = session.ask_quietly(rewards, options)
            if differ(before, run) and (run.usable or not must_work):
                yield problem(run, where, before)
                return


def _pretences(asked_for: Sequence[str]) -> Changed:
    """Yield fake values of what the script reads: the clock or the number of processors."""
    for number in (1, 16) if "=processors" in asked_for else ():
        yield f"with {number} processors", RunOptions(pretended=(("processors", number),)), False
    if "=clock" in asked_for:
        yield from ((when, RunOptions(pretended=(("clock", ahead),)), False) for when, ahead in moments())


def _variables(session: ScriptSession, asked_for: Sequence[str]) -> Changed:
    """Yield values for variables that it reads or names, and for those whose first or last part it names."""
    named = _VARIABLE.findall(session.text.source)
    whole = [f"{name}X" for name in named if name.endswith("_")]
    whole += [f"X{name}" for name in named if name.startswith("_")]
    variables = [name for name in asked_for if "=" not in name]
    names = [name for name in dict.fromkeys((*variables, *named, *whole)) if name not in _ELSEWHERE]
    of_languages = [name for name in names if name.startswith(("LC_", "LANG"))]
    names = [name for name in names if name not in of_languages]
    for value in ("1", "0", "other", *session.text.keys[:6]) if names else ():
        options = RunOptions(under=replace(FIRST, variables=tuple((name, value) for name in names)))
        yield f"with the value {value} for {', '.join(names[:3])}", options, False
    if of_languages:  # the locale may not be installed
        yield "with the locale de_DE.UTF-8", RunOptions(under=replace(FIRST, locale="de_DE.UTF-8")), True


def _run_only(make_trials: Given, options: RunOptions = PLAIN) -> Experiment:
    """Return an experiment that only runs the script, and finds nothing but failures."""

    def problems(session: ScriptSession) -> Problems:
        session.ask(make_trials(session), options)
        return iter(())

    return problems


def _with_another_key(session: ScriptSession) -> Trials:
    return [{**(trial or {}), session.other_key(): 0.5} for trial in session.shape.trials(1.0, 0.0)]


_EXPERIMENTS: list[tuple[str, Experiment]] = [
    *(("repeated", repeated), ("partial-lists", partial_lists), ("output-keys", output_keys)),
    *(("key-order", key_order), ("environment", environment)),
    ("long-options", _run_only(values_of("1.0 0.0 0.5"), RunOptions(long=True))),
    ("several-keys", _run_only(_with_another_key)),
    ("other-keys", _run_only(lambda session: [{session.shape.keys[0]: 1.0}, {session.other_key(): 1.0}])),
    ("no-keys", _run_only(lambda session: [{}, *session.shape.trials(1.0)])),
    ("non-ascii-keys", _run_only(lambda _: [{"é": 1.0}, {"é": 0.5}])),
    *(
        (case, _contrast(case, *row))
        for cases, *row in table_rows(Path(__file__).with_name("contrasts.txt"))
        for case in cases.split()
    ),
]


@dataclass(frozen=True, slots=True)
class ScriptCase:
    """A case with its experiments."""

    case: Case
    group: str
    """The rule that a failure breaks, or ordinary, number or odd."""
    experiments: list[Experiment]
    """Functions that run the script, and yield findings."""


def _cases() -> Iterator[ScriptCase]:
    for group, name, about, *rewards in table_rows(Path(__file__).with_name("cases.txt")):
        experiments = [_run_only(values_of(text)) for text in rewards]
        experiments += [experiment for case, experiment in _EXPERIMENTS if case == name]
        yield ScriptCase(Case(name, about), group, experiments)


SCRIPT_CASES = {script_case.case.name: script_case for script_case in _cases()}
