"""Audits one trial's directory: its record, its reward files, and what the job gets from it."""

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from conformance.check.findings import MOST_OF_A_KIND, Finding, Findings, Severity
from conformance.check.job.expected import Row
from conformance.check.job.listing import Listing
from conformance.check.reading.files import Folder, Refused
from conformance.check.reading.json_files import show
from conformance.check.reading.limits import Spent, TooLargeError
from conformance.check.trials.absence import Absence, Otherwise
from conformance.check.trials.known_texts import KnownTexts
from conformance.check.trials.members import settled
from conformance.check.trials.multi_steps import judged, without_nulls
from conformance.check.trials.plain import Files, Plain, Unpacking, packed
from conformance.check.trials.plan import Configurations
from conformance.check.trials.records import RECORD, SMALL, read_slowly, rewards_in, stranger
from conformance.check.trials.reward_files import Disagreement
from conformance.check.trials.reward_values import all_finite
from conformance.check.trials.shapes import AgentResultShape, RecordShape, quick
from conformance.check.trials.witness import Witness
from reference_impl import AgentResult, Trial, VerifierResult
from reference_impl.multi_step import Step

if TYPE_CHECKING:
    from conformance.check.against_dataset import AgainstDataset

__all__ = ["Plain", "TrialReader"]

_NO_RESULT = VerifierResult(None)
_NOTHING = (None, None, None, None)
_MOST_ALIKE = 10_000
_MOST_STRANGERS = 200
_NOWHERE = frozenset[str]()
_LONG_AGO = datetime(1970, 1, 1)


@dataclass(slots=True)
class TrialReader:
    """Reads trials, one after the other; what they share is kept once."""

    spent: Spent
    findings: Findings
    listing: Listing
    configurations: Configurations
    witness: Witness = field(init=False)
    agents: dict[tuple[object, ...], AgentResult] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    known_places: Set[str] = _NOWHERE
    """Where the current record is known to be wrong already."""
    unpacking: Unpacking = field(init=False)
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

    def __post_init__(self) -> None:
        self.witness = Witness(self.spent, self.findings, self.listing, self.known_texts, self.results_only)
        self.absence = Absence(self.results_only)
        self.unpacking = Unpacking(self.texts)

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
        self.spent.file = f"{name}/{RECORD}"
        row, read, files, told = self.unpacking.row(name, plain, self.configurations)
        self.spent.read(read)
        self.spent.rewarded(len(plain[4] or ()))
        self._told[told] += 1
        if files is Files.ABSENT:
            self.absence.hold_row(row)
        elif files is Files.PRESENT:
            self.absence.present = True
        return row

    def plain(self, row: Row, read: int) -> Plain | None:
        """What is sent of a row with nothing remarkable, for which so many bytes were `read`; else None."""
        generation = self.known_texts.generation
        if generation is None:
            return None
        told = (generation.first, self.known_texts.unsure)
        return packed(row, read, self._files_of_it, told, self.configurations)

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
        result, found = self.witness.held(folder, name, (), record, "", None)
        if result is None:
            return self.witness.said(record, None, record.trial_name), exception
        if not result.absent:
            self.absence.present, self._files_of_it = True, Files.PRESENT
        if found is None:
            return self.witness.said(record, result, record.trial_name), exception
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
            return self.witness.said(record, None, record.trial_name), exception
        if blamed:
            self._blame_record(found, name)
            if result.error is None:
                return VerifierResult(result.rewards), exception
            return None, exception or result.error
        self.findings.add(found.blames_file(name))
        return self.witness.said(record, None, record.trial_name), exception

    def _blame_record(self, found: Disagreement, name: str) -> None:
        if found.place not in self.known_places:
            self.findings.add(found.blames_record(name))

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
            result, found = self.witness.held(folder, name, ("steps", step.step_name), step, place, index)
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
        whole, findings = judged(
            *(name, record, said_steps, found_steps, open_questions, self.known_places),
            self.listing.of,
        )
        if not open_questions or self.absence.present:
            for finding in findings:
                self.findings.add(finding)
            return whole
        self._files_of_it = Files.IN_PART  # every open question is about a file that is not there
        alone, findings_alone = judged(
            name, record, said_steps, said_steps, [], self.known_places, self.listing.of
        )
        self.absence.hold(findings, findings_alone)
        if alone != whole:
            self._otherwise = (whole, record.exception_info.exception_type if record.exception_info else None)
        return alone


def _seconds(moment: datetime) -> float:
    """Seconds of some clock that is the same for all trials of a job."""
    return moment.timestamp() if moment.tzinfo is not None else (moment - _LONG_AGO).total_seconds()
