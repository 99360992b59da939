"""The situations for a metric script: variations of three trials that it accepts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformance.extensions.metrics.findings import Case, table_rows
from conformance.extensions.metrics.script import experiments as the
from conformance.extensions.metrics.script.contrasts import (
    CONTRASTS,
    Experiment,
    Problems,
    values_of,
)
from conformance.extensions.metrics.script.script_run import PLAIN, How, Trials
from conformance.extensions.metrics.script.session import ScriptSession
from conformance.extensions.metrics.script.surroundings import surroundings

__all__ = ["SCRIPT_CASES", "ScriptCase"]


@dataclass(frozen=True, slots=True)
class ScriptCase:
    """One situation."""

    case: Case
    group: str
    """The kind of problem that a failure is."""
    experiments: list[Experiment] = field(default_factory=list)
    """Run the script, and yield findings from comparing its results."""


def only(given: Callable[[ScriptSession], Trials], how: How = PLAIN) -> Experiment:
    """Runs the script; only a failure is a finding."""

    def problems(session: ScriptSession) -> Problems:
        session.ask(given(session), how)
        return iter(())

    return problems


def _other_keys(session: ScriptSession) -> Trials:
    return [{key: 1.0} for key in (session.shape.keys[0], session.other())]


def _several_keys(session: ScriptSession) -> Trials:
    return [{**(one or {}), session.other(): 0.5} for one in session.each(1.0, 0.0)]


_OTHERS: Sequence[tuple[str, Experiment]] = (
    ("long-options", only(values_of("1.0 0.0 0.5"), How(long=True))),
    ("environment", surroundings),
    ("several-keys", only(_several_keys)),
    ("other-keys", only(_other_keys)),
    ("no-keys", only(lambda session: [{}, *session.each(1.0)])),
    ("non-ascii-keys", only(lambda _: [{"é": 1.0}, {"é": 0.5}])),
)


def _cases() -> dict[str, ScriptCase]:
    made = {}
    for group, name, about, *rewards in table_rows(Path(__file__).with_name("cases.txt")):
        made[name] = ScriptCase(Case(name, about), group, [only(values_of(text)) for text in rewards])
        if (experiment := getattr(the, name.replace("-", "_"), None)) is not None:  # has the name of its case
            made[name].experiments.append(experiment)
    for name, experiment in (*_OTHERS, *CONTRASTS):
        made[name].experiments.append(experiment)
    return made


SCRIPT_CASES = _cases()
"""By name."""
