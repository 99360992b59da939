"""Audits one trial's directory: its record, its reward files, and what the job gets from it."""

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import IntEnum
from typing import TYPE_CHECKING

from conformance.check.findings import MOST_OF_A_KIND, Finding, Findings, Severity
from conformance.check.job.expected import Row
from conformance.check.job.listing import SHARED_NAN, Listing
from conformance.check.reading.files import Folder, Refused
from conformance.check.reading.json_files import show
from conformance.check.reading.limits import Spent, TooLargeError
from conformance.check.trials.absence import Absence, Otherwise
from conformance.check.trials.known_texts import Configuration, KnownTexts
from conformance.check.trials.members import settled
from conformance.check.trials.multi_steps import as_listed, contradiction, fitting, without_nulls
from conformance.check.trials.plan import Configurations, Key
from conformance.check.trials.records import RECORD, SMALL, read_slowly, rewards_in, stranger
from conformance.check.trials.reward_files import (
    DependsOnPythonError,
    Disagreement,
    FileResult,
    Recorded,
    RewardReader,
    Way,
    all_finite,
    disagreement,
    ways,
)
from conformance.check.trials.shapes import AgentResultShape, RecordShape, StepShape, quick
from reference_impl import AgentResult, Trial, VerifierResult
from reference_impl.multi_step import Step
from reference_impl.verifier_result import Rewards

if TYPE_CHECKING:
    from conformance.check.against_dataset import AgainstDataset

__all__ = ["Plain", "TrialReader"]

_NO_RESULT = VerifierResult(None)
_NOTHING = (None, None, None, None)
_MOST_ALIKE = 10_000
_MOST_STRANGERS = 200
_NOWHERE = frozenset[str]()
_LONG_AGO = datetime(1970, 1, 1)

Plain = tuple[
    str,
    str | None,
    str,
    str | None,
    Rewards | None,
    str | None,
    tuple[int | None, int | None, int | None, float | None] | None,
    float | None,
    Key | None,
    int,
    "Files",
    tuple[str, bool],
]
"""A trial with nothing remarkable, small enough to be sent: task, source, agent, model, rewards, exception,
tokens and cost, when it began, what it ran, the bytes that were read for it, its reward files and its
generation."""


class Files(IntEnum):
    """What was found of a trial's reward files."""

    NOT_LOOKED_FOR = 0
    PRESENT = 1
    ABSENT = 2
    """Rewards are recorded, and there is no file."""
    IN_PART = 3
    """Some are missing, and what is said of it depends on more than the rewards."""


@dataclass(slots=True)
class TrialReader:
    """Reads trials, one after the other; what they share is kept once."""

    spent: Spent
    findings: Findings
    listing: Listing
    configurations: Configurations
    rewards: RewardReader = field(init=False)
    agents: dict[tuple[object, ...], AgentResult] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    known_places: Set[str] = _NOWHERE
    """Where the current record is known to be wrong already."""
    alike: dict[str, VerifierResult] = field(default_factory=dict)
    dataset: "AgainstDataset | None" = None
    """Judges the records as well, if the job is over the kit's datasets."""
    results_only: bool = False
    """Whether reward files are left aside even where they are there."""
    generations: Counter[str] = field(default_factory=Counter)
    """The generations of the records, by name."""
    alone: bool = False
    """Whether the trials were judged by their records alone; known once all are read."""
    known_texts: KnownTexts = field(default_factory=KnownTexts)
    absence: Absence = field(init=False)
    strangers: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Members that no harbor writes, by place: the first file and how many have it."""
    _files_of_it: Files = Files.NOT_LOOKED_FOR
    """Of the trial that was read last."""
    _otherwise: Otherwise | None = None
    _told: Counter[tuple[str, bool]] = field(default_factory=Counter)
    """The generations of the records, by first release and whether the one before it is as likely."""
    _ways_of: dict[tuple[Configuration, str], tuple[Way, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rewards = RewardReader(self.spent)
        self.absence = Absence(self.results_only)

    def settle(self) -> None:
        """Says what could only be said once all trials were read."""
        self.alone = self.absence.settle(self.findings, self.listing)
        for place, (file, count) in self.strangers.items():
            self.findings.add(stranger(file, place, count))
        self.strangers = {}
        self.generations += settled(self._told)
        self._told.clear()

    def read(self, folder: Folder, name: str) -> Row | bool | None:
        """The trial in a directory; None if it has no record, False if nothing can be made of it.

        Raises:
            OverLimitError: with this one the job's trials are too much.
        """
        spent = self.spent
        file = spent.file = f"{name}/{RECORD}"
        try:
            content = folder.read(RECORD, spent.limits.record_bytes)
        except Refused as refused:
            self.findings.add(Finding(refused.kind, file, "", refused.what, refused.due, None))
            return False
        if content is None:
            return None
        spent.read(len(content))
        known = self.known_texts
        record = quick(content, known) if len(content) <= SMALL else None
        found: list[Finding] = []
        self.known_places = _NOWHERE
        if record is None:
            explain = self.findings.counts["schema"] < MOST_OF_A_KIND
            record, found = read_slowly(content, file, explain, spent, known)
            self._add(found)
        del content  # it may be large
        if known.generation is not None:
            self._told[known.generation.first, known.unsure] += 1
        if record is None:
            if not found:
                what = ("a record that harbor does not read", "a trial's record")
                self.findings.add(Finding("schema", file, "", *what, "003-3.3-trial-record"))
            return False
        if self.dataset is not None:
            self.dataset.trial(name, record)
        try:
            spent.rewarded(rewards_in(record, spent.limits))
        except TooLargeError as error:
            self.findings.add(Finding("too-large", file, "", error.what, error.due, None))
            return False
        self._files_of_it, self._otherwise = Files.NOT_LOOKED_FOR, None
        steps = record.steps
        if steps is None:
            result, exception = self._single(folder, name, record)
            agent, by_step = self._agent(record.agent_result), None
        else:
            result = self._steps(folder, name, record)
            exception = record.exception_info.exception_type if record.exception_info else None
            agent = self._agent(record.agent_result, kept=True)
            by_step = [self._agent(step.agent_result) for step in steps]
        who = record.agent_info
        shared = self.texts.setdefault
        row = Row(
            Trial(
                shared(record.task_name, record.task_name),
                record.trial_name,
                None if record.source is None else shared(record.source, record.source),
                shared(who.name, who.name),
                None if who.model_info is None else shared(who.model_info.name, who.model_info.name),
                result,
                None if exception is None else shared(exception, exception),
                agent,
                by_step,
            ),
            name,
            None if record.started_at is None else _seconds(record.started_at),
            self.configurations.of_record(known.configuration, known.path),
        )
        if self._files_of_it is not Files.PRESENT:
            self._hold(row)
        return row

    def _add(self, found: list[Finding]) -> None:
        """Says what is wrong with a record's text."""
        self.known_places = {finding.path for finding in found if finding.severity is not Severity.NOTE}
        for finding in found:
            if finding.severity is Severity.NOTE:
                self._stranger(finding)
            else:
                self.findings.add(finding)

    def _hold(self, row: Row) -> None:
        """Keeps a trial of which it is not known yet whether it ought to have reward files."""
        if self._files_of_it is Files.ABSENT:
            self.absence.hold_row(row)
        elif self._otherwise is not None:
            self.absence.others.append((row, self._otherwise))

    def _stranger(self, finding: Finding) -> None:
        """Counts a member that no harbor writes."""
        place = finding.path if len(self.strangers) < _MOST_STRANGERS else ""
        file, count = self.strangers.get(place, (finding.file, 0))
        self.strangers[place] = (file, count + 1)

    def known(self, name: str, plain: Plain) -> Row:
        """The row of a trial that a helper has read."""
        task, source, agent, model, rewards, exception, report, started, key, read, files, generation = plain
        self.spent.file = f"{name}/{RECORD}"
        self.spent.read(read)
        self.spent.rewarded(len(rewards or ()))
        result = None
        if rewards is not None:
            spelled = repr(rewards)  # 1 and 1.0 are equal, but not alike
            result = self.alike.get(spelled)
            if result is None:
                result = VerifierResult(rewards)
                if len(self.alike) < _MOST_ALIKE:
                    self.alike[spelled] = result
        self._told[generation] += 1
        row = Row(
            Trial(
                self._shared(task),
                name,
                None if source is None else self._shared(source),
                self._shared(agent),
                None if model is None else self._shared(model),
                result,
                None if exception is None else self._shared(exception),
                None if report is None else AgentResult(*report),
                None,
            ),
            name,
            started,
            -1 if key is None else self.configurations.number(key),
        )
        if files is Files.ABSENT:
            self.absence.hold_row(row)
        elif files is Files.PRESENT:
            self.absence.present = True
        return row

    def plain(self, row: Row, read: int) -> Plain | None:
        """What is sent of a row with nothing remarkable, for which so many bytes were `read`; else None."""
        trial = row.trial
        result = trial.verifier_result
        rewards = None if result is None else result.rewards
        if trial.trial_name != row.folder or trial.step_results is not None or (result and rewards is None):
            return None
        files, generation = self._files_of_it, self.known_texts.generation
        if files is Files.IN_PART or generation is None:
            return None
        if not all_finite(rewards):  # every NaN is an object of its own
            return None
        report = trial.agent_result
        return (
            trial.task_name,
            trial.source,
            trial.agent,
            trial.model,
            rewards,
            trial.exception,
            None
            if report is None
            else (report.n_input_tokens, report.n_cache_tokens, report.n_output_tokens, report.cost_usd),
            row.started,
            None if row.config < 0 else self.configurations.key(row.config),
            read,
            files,
            (generation.first, self.known_texts.unsure),
        )

    def _shared(self, text: str) -> str:
        return self.texts.setdefault(text, text)

    def _agent(self, said: AgentResultShape | None, kept: bool = False) -> AgentResult | None:
        """What an agent reported; None if that is nothing, unless it has to be `kept` to hide steps."""
        if said is None:
            return None
        key = (said.n_input_tokens, said.n_cache_tokens, said.n_output_tokens, said.cost_usd)
        if key == _NOTHING and not kept:
            return None
        if said.cost_usd is not None:  # hardly any two are the same
            return AgentResult(*key)
        known = self.agents.get(key)
        if known is None:
            known = AgentResult(*key)
            if len(self.agents) < _MOST_ALIKE:
                self.agents[key] = known
        return known

    # A trial with one verifier run

    def _single(
        self, folder: Folder, name: str, record: RecordShape
    ) -> tuple[VerifierResult | None, str | None]:
        """The trial's verifier result and exception, once it is settled what they are."""
        exception = None if record.exception_info is None else record.exception_info.exception_type
        if record.verifier_result is None and record.verifier is None:
            return None, exception
        result, found = self._held(folder, name, (), record, "", None)
        if result is None:
            return self._said(record, None, record.trial_name), exception
        if not result.absent:
            self.absence.present, self._files_of_it = True, Files.PRESENT
        if found is None:
            return self._said(record, result, record.trial_name), exception
        blamed = self.listing.supports_file(record.trial_name, found)
        if result.absent and not self.absence.present:
            said = None if record.verifier_result is None else record.verifier_result.rewards
            if said is not None and found.place not in self.known_places and all_finite(said):
                self._files_of_it = Files.ABSENT
            else:
                self._files_of_it = Files.IN_PART
                known = blamed and found.place in self.known_places
                due = [] if known else [found.blames_record(name) if blamed else found.blames_file(name)]
                self.absence.hold(due, [])
                self._otherwise = (None, exception or result.error) if blamed else None
            return self._said(record, None, record.trial_name), exception
        if blamed:
            self._blame_record(found, name)
            if result.error is None:
                return VerifierResult(result.rewards), exception
            return None, exception or result.error
        self.findings.add(found.blames_file(name))
        return self._said(record, None, record.trial_name), exception

    def _blame_record(self, found: Disagreement, name: str) -> None:
        if found.place not in self.known_places:
            self.findings.add(found.blames_record(name))

    def _held(
        self,
        folder: Folder,
        name: str,
        path: tuple[str, ...],
        part: RecordShape | StepShape,
        place: str,
        step: int | None,
    ) -> tuple[FileResult | None, Disagreement | None]:
        """What the reward files below a path give, and where that part of the record disagrees with them."""
        if self.results_only:
            return None, None
        first: tuple[FileResult | None, Disagreement | None] = None, None
        for way in self._ways():
            result = self._files(folder, name, path, way)
            found = None if result is None else disagreement(part, result, place, step)
            if found is None:
                return result, None
            first = first if first[1] is not None else (result, found)
            if result is not None and result.absent:
                break
        return first

    def _ways(self) -> tuple[Way, ...]:
        """How the releases that wrote the record read reward files."""
        config, generation = self.known_texts.configuration, self.known_texts.generation
        if config is None or generation is None:
            return ways(generation)
        found = self._ways_of.get((config, generation.first))
        if found is None:
            found = ways(generation, config.content.keys())
            if len(self._ways_of) < _MOST_ALIKE:
                self._ways_of[config, generation.first] = found
        return found

    def _files(self, folder: Folder, name: str, path: tuple[str, ...], way: Way) -> FileResult | None:
        try:
            return self.rewards.read(folder, path, way)
        except Refused as refused:
            where = f"{name}/{refused.where}".rstrip("/")
            self.findings.add(Finding(refused.kind, where, "", refused.what, refused.due, None))
            return None
        except DependsOnPythonError as error:
            where = show(f"{name}/{error.where}")
            versions = "whether it is read hangs on Python's version, so its rewards are not checked"
            self.findings.note(f"{where} is nested {error.depth} levels deep: {versions}")
            return None

    def _said(self, record: RecordShape, result: FileResult | None, trial_name: str) -> VerifierResult | None:
        """The recorded result; what is null in it is known from the file, or from what the job lists."""
        if record.verifier_result is None:
            return None
        said = record.verifier_result.rewards
        if said is None:
            return _NO_RESULT
        if result is not None and result.rewards is not None:
            return result.result or VerifierResult(result.rewards)
        return VerifierResult(self._without_nulls(said, trial_name))

    def _without_nulls(self, said: Recorded, trial_name: str) -> Rewards:
        rewards: Rewards = {}
        for key, number in said.items():
            if number is None:
                listed = self.listing.of(trial_name)
                spelled = "nan" if listed is None else listed.rewards.get(key, "nan")
                number = float(spelled) if spelled in ("inf", "-inf") else float("nan")
                if listed is not None and key in listed.shared:
                    number = SHARED_NAN
            rewards[key] = number
        return rewards

    # A trial of several steps

    def _steps(self, folder: Folder, name: str, record: RecordShape) -> VerifierResult | None:
        said_steps: list[Step] = []
        found_steps: list[Step] = []
        open_questions: list[Disagreement] = []
        for index, step in enumerate(record.steps or ()):
            said = None if step.verifier_result is None else step.verifier_result.rewards
            verified = None if step.verifier_result is None else VerifierResult(without_nulls(said))
            exception = None if step.exception_info is None else step.exception_info.exception_type
            said_steps.append(Step(verified, exception, None))
            found_steps.append(said_steps[-1])
            if verified is None and step.verifier is None:
                continue
            if "/" in step.step_name or "\0" in step.step_name or step.step_name in ("", ".", ".."):
                file, place = f"{name}/{RECORD}", f"/step_results/{index}/step_name"
                what = (show(step.step_name), "the name of a directory")
                self.findings.add(Finding("schema", file, place, *what, "003-3.3-trial-record"))
                continue
            place = f"/step_results/{index}"
            result, found = self._held(folder, name, ("steps", step.step_name), step, place, index)
            if result is None:
                continue
            if not result.absent:
                self.absence.present, self._files_of_it = True, Files.PRESENT
            if found is None:
                if verified is not None:
                    known = replace(said_steps[-1], verifier_result=VerifierResult(result.rewards))
                    said_steps[-1] = found_steps[-1] = known
                continue
            open_questions.append(found)
            given = VerifierResult(result.rewards) if result.error is None else None
            found_steps[-1] = Step(given, exception or result.error, None)
        whole, findings = self._judge_steps(name, record, said_steps, found_steps, open_questions)
        if not open_questions or self.absence.present:
            for finding in findings:
                self.findings.add(finding)
            return whole
        self._files_of_it = Files.IN_PART  # every open question is about a file that is not there
        alone, findings_alone = self._judge_steps(name, record, said_steps, said_steps, [])
        self.absence.hold(findings, findings_alone)
        if alone != whole:
            self._otherwise = (whole, record.exception_info.exception_type if record.exception_info else None)
        return alone

    def _judge_steps(
        self,
        name: str,
        record: RecordShape,
        said_steps: list[Step],
        found_steps: list[Step],
        open_questions: list[Disagreement],
    ) -> tuple[VerifierResult | None, list[Finding]]:
        """The trial's verifier result, and what is wrong with its steps."""
        findings: list[Finding] = []
        fits = fitting(record, said_steps)
        by_files = fitting(record, found_steps) if open_questions else None
        file_is_right = by_files is not None and (fits is None or by_files[1] < fits[1])
        for found in open_questions:
            if not file_is_right:
                findings.append(found.blames_file(name))
            elif found.place not in self.known_places:
                findings.append(found.blames_record(name))
        fits = by_files if file_is_right else fits
        if fits is None:
            findings.append(contradiction(f"{name}/{RECORD}", record, said_steps))
            return as_listed(record, said_steps, self.listing.of(record.trial_name)), findings
        return fits[0], findings


def _seconds(moment: datetime) -> float:
    """Seconds of some clock that is the same for all trials of a job."""
    return moment.timestamp() if moment.tzinfo is not None else (moment - _LONG_AGO).total_seconds()
