"""A metric script that can be asked: what it gives for trials, each question once."""

import re
from collections.abc import Mapping, Sequence

from conformance.metric.scratch import scratch_folder
from conformance.metric.script_output import alike
from conformance.metric.script_ran import PLAIN, How, Ran, Rewards, Trials
from conformance.metric.script_run import ScriptRunner
from conformance.metric.script_text import ScriptText
from reference_impl.metric_script import rewards_jsonl

__all__ = ["EQUAL_RUNS", "FAILING", "Asking", "StoppedError", "cause_of", "differ"]

FAILING = ("exit-code", "no-output", "not-json", "not-an-object", "empty-object", "first-value")
"""Rules that a run without a value breaks."""
EQUAL_RUNS = 20
"""How often equal trials are given, each two times with the same hash seed."""


class StoppedError(Exception):
    """The script had to be stopped; nothing more is asked of it."""


class Asking:
    """One script with the reward keys of its trials."""

    def __init__(self, runner: ScriptRunner, text: ScriptText, keys: Sequence[str]) -> None:
        self.text = text
        self.keys = tuple(keys)
        self.asked: list[Ran] = []
        """The runs that were asked for since somebody emptied this."""
        self._runner = runner
        self._known: dict[object, list[Ran]] = {}

    def each(self, *values: float | None) -> list[Rewards]:
        """Trials with the same value under every key; None is a trial without rewards."""
        return [None if value is None else dict.fromkeys(self.keys, value) for value in values]

    def other(self) -> str:
        """A key that the trials don't have."""
        return next(name for name in ("other", "another", "third") if name not in self.keys)

    def ask(self, trials: Trials, how: How = PLAIN, *, again: bool = False) -> Ran:
        """What a run gives; the same question is asked a second time only with ``again``.

        Raises:
            StoppedError: it had to be stopped.
            CannotTryError: it can't be run.
        """
        key = (rewards_jsonl(trials), how, again)
        if key not in self._known:
            with scratch_folder() as folder:
                self._known[key] = [self._runner.run(folder / "run", trials, how)]
        return self._taken(self._known[key])[0]

    def foresee(self, *lists: Trials) -> None:
        """Asks what will be asked, in one go, which costs half. A run that is not ended is forgotten.

        Raises:
            CannotTryError: it can't be run.
        """
        waiting = {(rewards_jsonl(trials), PLAIN, False): trials for trials in lists}
        waiting = {key: trials for key, trials in waiting.items() if key not in self._known}
        if len(waiting) > 1 and self._runner.sees_all_in_turn:
            with scratch_folder() as folder:
                calls = [(trials, dict[str, str]()) for trials in waiting.values()]
                runs = self._runner.run_in_turn(folder / "runs", calls, shared=False)
            for key, run in zip(waiting, runs, strict=False):
                if not run.ended.stopped:
                    self._known[key] = [run]

    def in_turn(self, calls: Sequence[tuple[Trials, Mapping[str, str]]]) -> list[Ran]:
        """What runs give that follow each other in one place, as those of a job do.

        Raises:
            StoppedError: one had to be stopped.
            CannotTryError: it can't be run.
        """
        key = tuple((rewards_jsonl(trials), *more.items()) for trials, more in calls)
        if key not in self._known:
            with scratch_folder() as folder:
                self._known[key] = self._runner.run_in_turn(folder / "runs", calls, shared=True)
        return self._taken(self._known[key])

    def equal_runs(self) -> list[Ran]:
        """The same trials 20 times, with 10 values of PYTHONHASHSEED, each twice.

        The trials have some keys more, where the script takes them: sets of texts then have an order.
        """
        asked = len(self.asked)
        more = self.ask([{**dict.fromkeys(self.keys, 1.0), self.other(): 0.5}] * 2)
        del self.asked[asked:]  # that it may be refused is another case's
        names = ("other", "another", "third", "fourth", "fifth") if more.usable and not cause_of(more) else ()
        added = {name: (index + 1) / 8 for index, name in enumerate(names) if name not in self.keys}
        trials = [one and {**one, **added} for one in self.each(0.25, None, 1.0, 0.0)]
        return self.in_turn([(trials, {"PYTHONHASHSEED": str(number // 2)}) for number in range(EQUAL_RUNS)])

    def steady(self) -> bool:
        """Whether equal runs give the same; otherwise no difference means anything."""
        asked = len(self.asked)
        first, *others = self.equal_runs()
        del self.asked[asked:]
        return not any(differ(first, one) for one in others)

    def _taken(self, runs: list[Ran]) -> list[Ran]:
        self.asked += runs
        if runs[-1].ended.stopped:
            raise StoppedError
        return runs


def cause_of(ran: Ran) -> tuple[str, str] | None:
    """Why a run gave nothing of worth: the rule, and what the script said without its numbers."""
    for rule, sentence in ran.problems:
        if rule in (*FAILING, "writes-elsewhere"):
            told = re.sub(r"\d+", "0", sentence) if rule in ("exit-code", "writes-elsewhere") else ""
            return rule, told
    return None


def differ(one: Ran, other: Ran) -> bool:
    """Whether two runs gave different values, or one alone gave any."""
    if one.usable and other.usable:
        return not alike(one.value, other.value, 1e-9)
    return (cause_of(one) is None) != (cause_of(other) is None)
