"""The trials that a number is made of."""

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.check.explaining.shape import Step, shares
from conformance.check.job.expected import Expected, Row
from conformance.check.job.explain import Account, Working
from conformance.check.job.stand_ins import group_of
from conformance.check.reading.json_files import show
from reference_impl import Trial
from reference_impl.json_text import JsonObject, JsonTree, json_text
from reference_impl.verifier_result import Rewards

__all__ = ["View", "rewards_of", "views"]


@dataclass(frozen=True, slots=True)
class View:
    """One account of a job's trials, and what its file has to hold by that."""

    account: Account
    expected: Expected
    departures: tuple[str, ...] = ()
    """Trials that are not taken as their records have them, or have none."""

    @property
    def rows(self) -> Sequence[Row]:
        """The trials, in the order of the file."""
        return self.account.rows

    def of_group(self, group: str) -> list[Row]:
        """The trials of a group."""
        return [row for row in self.rows if self.group(row.trial) == group]

    def group(self, trial: Trial) -> str:
        """The evals key under which a job has the trial."""
        return group_of(trial, self.expected.generation)

    def due(self, path: Sequence[str]) -> JsonTree | None:
        """What the file has to hold at a place; None if nothing stands there."""
        value: JsonTree = self.expected.tree
        for key in path:
            if isinstance(value, JsonObject):
                value = dict(value.members).get(key)
            elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
                value = value[int(key)]
            else:
                return None
        return value

    def text(self, path: Sequence[str]) -> str | None:
        """A number that is due, as the file has to spell it; None if no number stands there."""
        value = self.due(path)
        return json_text(value) if isinstance(value, int | float) else None

    def step(self) -> Step | None:
        """What is to be said of trials that are taken otherwise than their records say."""
        if not self.departures:
            return None
        says = "the report takes some trials as result.json lists or counts them, not as records have them:"
        return shares((("", "taken so", name) for name in self.departures), says)


def views(working: Working) -> list[View]:
    """The account that the report gives, and the one that takes records as they are."""
    as_they_are = working.as_they_are()
    there = {row.folder: row.trial for row in as_they_are.rows}
    made = []
    for account in (working.judged, as_they_are):
        if account.worked_out is None:
            continue
        names = {row.folder for row in account.rows}
        other = [
            row.trial.trial_name.replace("\0", "unknown trial ")
            for row in account.rows
            if there.get(row.folder) != row.trial
        ]
        left_out = [show(name) + ", which is left out" for name in there if name not in names]
        made.append(View(account, account.worked_out, tuple(other + left_out)))
    return made


def rewards_of(trial: Trial) -> Rewards | None:
    """The trial's rewards, None where it was not scored."""
    return None if trial.verifier_result is None else trial.verifier_result.rewards
