"""What a trial's reward files say, as the releases read them that wrote its record."""

from dataclasses import dataclass, field

from conformance.check.findings import Finding, Findings
from conformance.check.job.listing import SHARED_NAN, Listing
from conformance.check.reading.files import Folder, Refused
from conformance.check.reading.json_files import show
from conformance.check.reading.limits import Spent
from conformance.check.trials.known_texts import KnownTexts
from conformance.check.trials.reward_files import (
    DependsOnPythonError,
    Disagreement,
    FileResult,
    RewardReader,
    disagreement,
)
from conformance.check.trials.reward_values import Recorded
from conformance.check.trials.shapes import RecordShape, StepShape
from conformance.check.trials.ways import Way, ways
from reference_impl import VerifierResult
from reference_impl.verifier_result import Rewards

__all__ = ["Witness"]

_NO_RESULT = VerifierResult(None)


@dataclass(slots=True)
class Witness:
    """The reward files beside the record that was read last."""

    spent: Spent
    findings: Findings
    listing: Listing
    known_texts: KnownTexts
    results_only: bool
    """Whether they are left aside."""
    rewards: RewardReader = field(init=False)

    def __post_init__(self) -> None:
        self.rewards = RewardReader(self.spent)

    def held(
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
            if result is None:
                return None, None
            said = part.verifier_result
            if result.spelled is not None and said is not None and repr(said.rewards) == result.spelled:
                return result, None
            found = disagreement(part, result, place, step)
            if found is None:
                return result, None
            first = first if first[1] is not None else (result, found)
            if result.absent:
                break
        return first

    def _ways(self) -> tuple[Way, ...]:
        """How the releases that wrote the record read reward files."""
        config, generation = self.known_texts.configuration, self.known_texts.generation
        if config is None or generation is None:
            return ways(generation)
        found = config.ways.get(generation.first)
        if found is None:
            found = config.ways[generation.first] = ways(generation, config.content.keys())
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

    def said(self, record: RecordShape, result: FileResult | None, trial_name: str) -> VerifierResult | None:
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
