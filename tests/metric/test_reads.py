"""Which reward keys a script reads is found out: on scripts that are functions here, which cost nothing.

What they read is known, and so is what they must not be said to read.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.metric.confinement import Ended
from conformance.metric.findings import Reads
from conformance.metric.script_asking import Asking
from conformance.metric.script_comparing import (
    Told,
    another_order,
    beyond_0_and_1,
    equal_rewards,
    last_trial,
    many_trials,
    nulls_as_zero,
    repeated,
)
from conformance.metric.script_output import Output
from conformance.metric.script_ran import PLAIN, How, Ran, Rewards, Trials
from conformance.metric.script_reads import find_out
from conformance.metric.script_text import ScriptText

Script = Callable[[list[Any]], object]


class Functions:
    """Runs a function as if it were a script."""

    sees_all_in_turn = True

    def __init__(self, script: Script) -> None:
        self._script = script
        self.runs = 0

    def run(self, folder: Path, trials: Trials, how: How = PLAIN) -> Ran:
        self.runs += 1
        try:
            written = json.dumps(self._script(json.loads(json.dumps(list(trials))))).encode()
        except Exception as error:
            sentence = f"It exited with 1: {type(error).__name__}: {error}"
            return Ran(trials, Ended(code=1), None, (("exit-code", sentence),))
        output = Output.read(written)
        return Ran(trials, Ended(code=0), output, output.problems, written)

    def run_in_turn(
        self, folder: Path, calls: Sequence[tuple[Trials, Mapping[str, str]]], *, shared: bool
    ) -> list[Ran]:
        return [self.run(folder, trials) for trials, _ in calls]


def asking(script: Script, *names: str, keys: Sequence[str] = ("reward",)) -> Asking:
    runner: Any = Functions(script)
    return Asking(runner, ScriptText(keys=names), keys)


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0


def by(get: Callable[[dict[str, Any]], float]) -> Script:
    """The mean of a number of each trial; null is 0."""
    return lambda trials: {"mean": mean([0 if one is None else get(one) for one in trials])}


def only(trial: dict[str, Any]) -> float:
    (value,) = trial.values()
    return float(value)


def checked_schema(trial: dict[str, Any]) -> float:
    if unknown := set(trial) - {"a", "b"}:
        raise ValueError(f"unknown {sorted(unknown)}")
    return float(trial["a"] - trial["b"])


@pytest.mark.parametrize(
    ("script", "names", "keys", "reads"),
    [
        (by(lambda one: one["reward"]), ("mean",), ["reward"], Reads(("reward",))),
        (
            by(lambda one: one.get("accuracy", 0)),
            ("mean", "accuracy", "x"),
            ["accuracy"],
            Reads(("accuracy",)),
        ),
        (by(lambda one: one["accuracy"]), (), ["accuracy"], Reads(("accuracy",))),
        (by(lambda one: one["b"] + one["a"]), (), ["b", "a"], Reads(("b", "a"))),
        (
            by(lambda one: one.get("a", 0) * 2 + one.get("b", 0)),
            ("p", "q", "a", "r", "s", "b", "t"),
            ["a", "b"],
            Reads(("a", "b")),
        ),
        (
            by(lambda one: one["reward"] - one.get("cost", 0)),
            ("mean", "cost"),
            ["reward", "cost"],
            Reads(("reward", "cost")),
        ),
        (by(lambda one: one.get("reward", one.get("score", 0))), ("score",), ["reward"], Reads(("reward",))),
        (by(only), ("mean",), ["reward"], Reads((), every=True)),
        (by(lambda one: sum(one.values())), ("mean",), ["reward"], Reads((), every=True)),
        (by(checked_schema), ("mean", "a", "b"), ["a", "b"], Reads(("a", "b"))),
        (by(lambda one: max(one.values())), (), ["reward"], Reads((), every=True)),
    ],
    ids=[
        *("its own key", "another, if it is there", "another", "two", "two, if they are there", "one more"),
        *("instead", "the only one", "the sum", "no others", "the highest"),
    ],
)
def test_what_is_read(script: Script, names: tuple[str, ...], keys: list[str], reads: Reads) -> None:
    found = find_out(asking(script, *names), ("reward",))
    assert (list(found.keys), found.reads, found.ignored) == (keys, reads, False)


@pytest.mark.parametrize(
    "script", [by(lambda _: 0.5), lambda trials: {"n": len(trials)}], ids=["0.5", "number"]
)
def test_nothing_is_read(script: Script) -> None:
    found = find_out(asking(script, "mean", "accuracy"), ("reward",))
    assert (found.reads, found.ignored) == (None, True)


def test_a_script_that_only_fails_is_left_alone_soon() -> None:
    def script(trials: list[Any]) -> object:
        raise RuntimeError("no licence")

    runner: Any = Functions(script)
    names = tuple(f"name_{number}" for number in range(24))
    find_out(Asking(runner, ScriptText(keys=names), ("reward",)), ("reward",))
    assert runner.runs <= 8


def values_of(trials: list[Rewards]) -> list[float]:
    return [0.0 if one is None else float(one.get("reward", 0)) for one in trials]


def share(threshold: float, digits: int = 9) -> Script:
    return lambda trials: {"pass": round(mean([value >= threshold for value in values_of(trials)]), digits)}


def quantile(part: float) -> Script:
    def script(trials: list[Any]) -> object:
        ordered = sorted(values_of(trials)) or [0.0]
        return {"q": ordered[min(len(ordered) - 1, int(part * len(ordered)))]}

    return script


def spread(trials: list[Any]) -> object:
    values = values_of(trials)
    return {"var": mean([(value - mean(values)) ** 2 for value in values])}


def top_ten(trials: list[Any]) -> object:
    return {"top": mean(sorted(values_of(trials))[-10:])}


def trimmed(trials: list[Any]) -> object:
    ordered = sorted(values_of(trials))
    cut = len(ordered) // 10
    return {"mean": mean(ordered[cut : len(ordered) - cut])}


def mode(trials: list[Any]) -> object:
    return {"mode": next(iter(dict(Counter(values_of(trials)).most_common(1))), 0.0)}


FAIR: dict[str, Script] = {
    "mean": lambda trials: {"mean": mean(values_of(trials))},
    "rounded": lambda trials: {"mean": round(mean(values_of(trials)), 2)},
    "per cent": lambda trials: {"mean": round(100 * mean(values_of(trials)))},
    "sum": lambda trials: {"sum": sum(values_of(trials))},
    "max": lambda trials: {"max": max(values_of(trials), default=0)},
    "min": lambda trials: {"min": min(values_of(trials), default=0)},
    "both": lambda trials: {"max": max(values_of(trials), default=0), "mean": mean(values_of(trials))},
    "number": lambda trials: {"n": len(trials)},
    "answered": lambda trials: {"answered": sum(one is not None for one in trials)},
    "some": lambda trials: {"some": float(any(value > 0 for value in values_of(trials)))},
    "all": lambda trials: {"all": float(all(value >= 1 for value in values_of(trials)))},
    "partial": lambda trials: {"partial": sum(0 < value < 1 for value in values_of(trials))},
    "variance": spread,
    "top ten": top_ten,
    "trimmed": trimmed,
    "mode": mode,
    **{f"share of {one}": share(one) for one in (0.2, 0.25, 0.5, 0.7, 0.9, 1.0, 50.0)},
    **{f"rounded share of {one}": share(one, 2) for one in (0.5, 1.0)},
    **{f"quantile {one}": quantile(one) for one in (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)},
}
COMPARISONS = (another_order, beyond_0_and_1, equal_rewards, last_trial, many_trials, repeated)


@pytest.mark.parametrize("name", FAIR)
def test_what_aggregates_every_trial_is_told_nothing(name: str) -> None:
    script = asking(FAIR[name])
    told = [(rule, sentence) for compare in COMPARISONS for rule, sentence, _ in compare(script)]
    assert told == []
    nulls = {rule for rule, _, _ in nulls_as_zero(script)}
    assert nulls == ({"nulls-left-out"} if name == "answered" else set())


BLIND = {"number", "answered", "share of 50.0", "some", "all", "mode"}
"""What shows in no rewards, or not in these, that a trial is left out."""


@pytest.mark.parametrize("name", [name for name in FAIR if not name.startswith("rounded share")])
def test_what_leaves_trials_out_is_told_so(name: str) -> None:
    cuts: dict[str, tuple[Callable[[list[Any]], list[Any]], Callable[[Asking], Told]]] = {
        "the last": (lambda trials: trials[:-1], last_trial),
        "the first": (lambda trials: trials[1:], last_trial),
        "after 100": (lambda trials: trials[:100], last_trial),
    }
    for cut, compare in cuts.values():
        script = asking(lambda trials, cut=cut: FAIR[name](cut(trials)))  # type: ignore[misc]
        told = [rule for rule, _, _ in compare(script)]
        assert told == ([] if name in BLIND else ["trials-left-out"])


@pytest.mark.parametrize(
    "name", ["mean", "rounded", "per cent", "sum", "max", "share of 1.0", "quantile 0.5"]
)
def test_a_thousand_trials_are_not_all(name: str) -> None:
    told = [rule for rule, _, _ in many_trials(asking(lambda trials: FAIR[name](trials[:1000])))]
    assert told == ["trials-left-out"]


def test_names_in_a_text(tmp_path: Path) -> None:
    path = tmp_path / "metric.py"
    (tmp_path / "weights.json").write_text('{"fluency": 0.5}')
    path.write_text(
        '"""Docstring."""\n'
        "import json, os, pathlib\n"
        'LIMIT = os.environ.get("METRIC_LIMIT", os.getenv("HOME"))\n'
        'weights = json.loads(pathlib.Path(__file__).with_name("weights.json").read_text())\n'
        'def score(r): return r["exact match"] + r.get("speed", 0) + r.style\n'
        'print("--option", "a sentence of five words", f"{LIMIT} of")\n'
    )
    text = ScriptText.read(path)
    assert {"exact match", "speed"} <= set(text.keys[:5])
    assert {"fluency", "style"} <= set(text.keys)
    assert not {"Docstring.", "--option", "a sentence of five words", "read_text"} & set(text.keys)
    assert text.variables == ("METRIC_LIMIT",)


@pytest.mark.parametrize(
    "text",
    ["def (:\n x['accuracy']", "(" * 100_000, "\0", "x = '\\d'"],
    ids=["syntax", "deep", "nul", "escape"],
)
def test_any_text_can_be_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "metric.py"
    path.write_text(text)
    assert set(ScriptText.read(path).keys) <= {"accuracy", "\\d"}
