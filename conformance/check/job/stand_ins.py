"""Rows that stand for trials that are not there, and rows as the job lists them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from conformance.check.findings import Finding
from conformance.check.generations import JobGeneration
from conformance.check.job.differences import JOB_FILE
from conformance.check.job.expected import Row
from conformance.check.job.form import keyed
from conformance.check.job.listing import Listed
from conformance.check.reading.json_files import Members, pointer, show
from conformance.check.trials.records import RECORD
from conformance.check.trials.rows import TrialRow
from reference_impl import Trial, VerifierResult, evals_key
from reference_impl.agent_result import trial_total
from reference_impl.evals_key import SEPARATOR
from reference_impl.verifier_result import Rewards

__all__ = ["StandIns", "group_of", "leaves_traces", "shortlist", "trial_row"]

_SHOWN = 3


def group_of(trial: Trial, generation: JobGeneration) -> str:
    """The evals key that the job has the trial under."""
    named = keyed(trial, generation)
    return evals_key(named.agent, named.model, named.source)


def trial_row(row: Row, generation: JobGeneration) -> TrialRow:
    """The trial in a few words."""
    trial = row.trial
    used = trial_total(trial.agent_result, trial.step_results)
    return TrialRow(
        trial.trial_name,
        trial.task_name,
        trial.source,
        trial.agent,
        trial.model,
        group_of(trial, generation),
        _rewards(trial),
        trial.exception,
        row.started,
        used.n_input_tokens,
        used.n_cache_tokens,
        used.n_output_tokens,
        used.cost_usd,
    )


def leaves_traces(trial: Trial) -> bool:
    """Whether a job that counts the trial lists it."""
    return trial.exception is not None or bool(trial.verifier_result and trial.verifier_result.rewards)


@dataclass(frozen=True, slots=True)
class StandIns:
    """Makes them, of what a job of that generation lists."""

    evals: Members
    listed: dict[str, Listed]
    generation: JobGeneration

    def listed_alone(self, rows: Sequence[Row], names: Sequence[str]) -> list[Row]:
        """Rows for trials that are known from the listing alone."""
        triples = self._triples(rows)
        made = []
        for name in names:
            said = self.listed[name]
            agent, model, source = triples.get(said.group) or _split(said.group)
            rewards = said.numbers()
            result = None if rewards is None else VerifierResult(rewards)
            trial = Trial(name, name, source, agent, model, result, said.exception)
            made.append(Row(trial, name, whole=False))
        return made

    def silent(self, rows: Sequence[Row], count: int) -> list[Row]:
        """Rows for trials of which nothing but their number is known."""
        triples = self._triples(rows)
        group = next(iter(self.evals), ("agent__adhoc", None))[0]
        agent, model, source = triples.get(group) or _split(group)
        return [Row(Trial("", f"\0{index}", source, agent, model), "", whole=False) for index in range(count)]

    def _triples(self, rows: Sequence[Row]) -> dict[str, tuple[str, str | None, str | None]]:
        distinct = {(row.trial.agent, row.trial.model, row.trial.source): row.trial for row in rows}
        by_name = sorted(distinct.items(), key=lambda item: repr(item[0]))
        return {group_of(trial, self.generation): triple for triple, trial in by_name}

    def unscored_as_zero(self, rows: Sequence[Row]) -> tuple[list[Row], list[Finding]]:
        """The rows with a 0 for each trial without rewards that is listed so, and a finding for each group.

        No release of harbor lists such a trial; in the metric it counts as 0 either way.
        """
        changed: list[Row] = []
        names: dict[tuple[str, str, str], list[str]] = {}
        for row in rows:
            trial, said = row.trial, self.listed.get(row.trial.trial_name)
            scored = trial.verifier_result is not None and trial.verifier_result.rewards is not None
            numbers = None if said is None or scored else said.numbers()
            if said is None or not numbers or any(numbers.values()):
                changed.append(row)
                continue
            key, spelling = next(iter(said.rewards.items()))
            names.setdefault((said.group, key, spelling), []).append(trial.trial_name)
            changed.append(replace(row, trial=replace(trial, verifier_result=VerifierResult(numbers))))
        found = []
        for (group, key, spelling), trials in names.items():
            place = pointer("stats", "evals", group, "reward_stats", key, spelling)
            count = "one trial" if len(trials) == 1 else f"{len(trials)} trials"
            what = f"{count} without rewards, as records say: {shortlist(sorted(trials))}"
            due = "none of them, and none in n_trials"
            likely = (
                f"unscored trials are listed as reward {spelling} and counted as scored; harbor lists "
                "and counts those with rewards alone, and takes the others as 0 in the metric"
            )
            found.append(Finding("listing", JOB_FILE, place, what, due, "003-3.3-reward-stats", likely))
        return changed, found

    def as_listed(self, rows: Sequence[Row], unlisted: Collection[str]) -> tuple[list[Row], list[Finding]]:
        """The rows as the job lists them, and a finding for each record that says otherwise.

        Those `unlisted` are taken as trials that the job counts and does not list: nothing was measured.
        """
        corrected: list[Row] = []
        wrong: list[Finding] = []
        triples = self._triples(rows)
        for row in rows:
            trial, said = row.trial, self.listed.get(row.trial.trial_name)
            file = f"{row.folder}/{RECORD}"
            if said is None:
                if trial.trial_name in unlisted:
                    what = (show(_rewards(trial)), f"none, as {JOB_FILE} does not list the trial")
                    place, clause = "/verifier_result/rewards", "003-3.3-reward-stats"
                    wrong.append(Finding("record", file, place, *what, clause))
                    row = replace(row, trial=replace(trial, verifier_result=None, exception=None))
                corrected.append(row)
                continue
            if (key := group_of(trial, self.generation)) != said.group:
                agent, model, source = triples.get(said.group) or _split(said.group)
                place = "/source" if source != trial.source else "/agent_info"
                what = (f"group {show(key)}", f"{show(said.group)}, where {JOB_FILE} lists it")
                wrong.append(Finding("record", file, place, *what, "003-3.3-evals-key-verbatim"))
                trial = replace(trial, agent=agent, model=model, source=source)
            if trial.exception != said.exception:
                place = "/exception_info" + ("/exception_type" if trial.exception and said.exception else "")
                what = (show(trial.exception), f"{show(said.exception)}, as {JOB_FILE} lists")
                wrong.append(Finding("record", file, place, *what, "003-3.3-exception-stats"))
                trial = replace(trial, exception=said.exception)
            numbers: Rewards | None = said.numbers()
            if _sane(_rewards(trial)) != _sane(numbers):
                what = (show(_rewards(trial)), f"{show(numbers)}, as {JOB_FILE} lists")
                place, clause = "/verifier_result/rewards", "003-3.3-reward-stats"
                wrong.append(Finding("record", file, place, *what, clause))
                trial = replace(trial, verifier_result=None if numbers is None else VerifierResult(numbers))
            corrected.append(row if trial is row.trial else replace(row, trial=trial))
        return corrected, wrong


def shortlist(names: Sequence[str]) -> str:
    """The first names, for people."""
    rest = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(show, names[:_SHOWN])) + rest


def _split(group: str) -> tuple[str, str | None, str | None]:
    """An agent and a dataset that give the group's key."""
    agent, _, source = group.rpartition(SEPARATOR)
    return agent, None, source


def _rewards(trial: Trial) -> Rewards | None:
    return None if trial.verifier_result is None else trial.verifier_result.rewards


def _sane(rewards: Rewards | None) -> dict[str, str]:
    """The rewards that a double can be made of, spelled alike."""
    return {
        key: repr(float(value))
        for key, value in (rewards or {}).items()
        if isinstance(value, float) or abs(value) < 2**1023
    }
