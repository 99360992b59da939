"""How a trial's own files speak of it: reward files, record, steps, and what the job lists."""

from collections.abc import Sequence

from conformance.check.explaining.shape import Step
from conformance.check.findings import Finding
from conformance.check.generations import record_generation
from conformance.check.job.listing import Listing
from conformance.check.reading.files import Folder, Refused, reason
from conformance.check.reading.json_files import Members, NotJsonError, parse, plain, show
from conformance.check.reading.limits import Limits, Spent, TooLargeError
from conformance.check.trials.records import RECORD
from conformance.check.trials.reward_files import DependsOnPythonError, RewardReader
from conformance.check.trials.ways import Way, ways
from conformance.wire.text import decoded, shortened
from reference_impl import Strategy, VerifierResult
from reference_impl.multi_step import Step as VerifiedStep
from reference_impl.multi_step import select_reward
from reference_impl.reward import REWARD_JSON, REWARD_TEXT

__all__ = ["ABOUT_TRIALS", "trial_steps"]

ABOUT_TRIALS = frozenset(
    {"reward-file", "record", "steps", "missing-trial", "extra-trial", "trial-name", "duplicate-trial"}
)
"""The kinds that the files of one trial explain."""
_MOST_SHOWN = 200
"""Bytes of a reward file that are shown."""
_MOST_STEPS = 20


def trial_steps(path: str, finding: Finding, evals: object, limits: Limits) -> list[Step]:
    """What the files of the finding's trial say, in the job's directory `path`; `evals` is the job's."""
    trial, _, rest = finding.file.partition("/")
    if not rest:
        return [Step("it is no single trial that is missing, so nothing of one can be shown")]
    steps: list[Step] = []
    record: object = None
    try:
        top = Folder.top(path)
    except OSError as error:
        return [Step(f"the job's directory can't be read: {reason(error)}")]
    try:
        folder = top.enter(trial)
        if folder is None:
            steps.append(Step(f"there is no directory {show(trial)}"))
        else:
            try:
                record, told = _record(folder, limits)
                steps += told
                steps += _rewards(folder, _verifier_folders(finding, rest), limits, _way(record))
            finally:
                folder.leave()
    except Refused as refused:
        steps.append(Step(f"{show(trial)} can't be read: {refused}"))
    finally:
        top.leave()
    if finding.kind == "steps":
        steps += _means(record)
    return [*steps, *_listed(trial, evals, limits)]


def _verifier_folders(finding: Finding, rest: str) -> Sequence[str]:
    """The directory of the verifier that the finding is about, below the trial's."""
    parts = rest.split("/")
    if parts[0] == "steps" and len(parts) > 2:
        return ("steps", parts[1], "verifier")
    _, mark, where = finding.expected.rpartition(", from ")  # as a finding about a record has it
    if mark and where.startswith("steps/") and where.count("/") == 3:
        return tuple(where.split("/")[:3])
    return ("verifier",)


def _record(folder: Folder, limits: Limits) -> tuple[object, list[Step]]:
    try:
        content = folder.read(RECORD, limits.record_bytes)
        value = None if content is None else plain(parse(content, limits.file_memory // 2))
    except (Refused, NotJsonError, TooLargeError) as error:
        return None, [Step(f"{RECORD} of the trial can't be read: {error}")]
    if content is None:
        return None, [Step(f"the trial has no {RECORD}")]
    if not isinstance(value, dict):
        return None, [Step(f"{RECORD} of the trial holds no object")]
    result = value.get("verifier_result")
    rewards = result.get("rewards") if isinstance(result, dict) else None
    raised = value.get("exception_info")
    exception = raised.get("exception_type") if isinstance(raised, dict) else None
    told = "no verifier result" if result is None else f"rewards {show(rewards)}"
    ended = "" if exception is None else f", and that it ended in {show(exception)}"
    return value, [Step(f"the record of {show(value.get('trial_name'))} says: {told}{ended}")]


def _way(record: object) -> Way:
    """How the releases that write such a record read reward files, the likeliest of them."""
    if not isinstance(record, dict):
        return ways(None)[0]
    said, config = record.get("agent_result"), record.get("config")
    generation = record_generation(record.keys(), said.keys() if isinstance(said, dict) else ())
    return ways(generation, config.keys() if isinstance(config, dict) else ())[0]


def _rewards(folder: Folder, path: Sequence[str], limits: Limits, way: Way) -> list[Step]:
    """The reward files, which of them counts, and what harbor's rules make of it."""
    entered: list[Folder] = []
    where = "/".join(path)
    files: dict[str, bytes] = {}
    try:
        inner: Folder | None = folder
        for name in path:
            assert inner is not None
            inner = inner.enter(name)
            if inner is None:
                return [Step(f"there is no {where}, so nothing else tells its rewards")]
            entered.append(inner)
        assert inner is not None
        for name in way.value[:2]:
            content = inner.read(name, limits.reward_bytes)
            if content is not None:
                files[name] = content
    except Refused as refused:
        return [Step(f"{where} can't be read: {refused}")]
    finally:
        for one in entered:
            one.leave()
    if not files:
        return [Step(f"{where} has neither {REWARD_JSON} nor {REWARD_TEXT}: RewardFileNotFoundError")]
    steps = []
    for name, content in files.items():
        text = shortened(decoded(content[:_MOST_SHOWN]), _MOST_SHOWN)
        steps.append(Step(f"{where}/{name} holds {len(content)} bytes: {text!r}"))
    other = f", which goes before {way.value[1]}" if len(files) > 1 else ""
    try:
        given = RewardReader(Spent(limits)).read(folder, path[:-1], way).shown()
    except (Refused, DependsOnPythonError) as error:
        given = f"nothing that can be told: {error}"
    return [*steps, Step(f"{next(iter(files))} counts{other}; by harbor's rules it gives {given}")]


def _means(record: object) -> list[Step]:
    """The rewards of each step of a trial, and what the two strategies make of them."""
    every = record.get("step_results") if isinstance(record, dict) else None
    if not isinstance(every, list) or not every:
        return [Step("the record has no steps that can be read")]
    verified: list[VerifiedStep] = []
    told: list[Step] = []
    for number, one in enumerate(every):
        result = one.get("verifier_result") if isinstance(one, dict) else None
        rewards = result.get("rewards") if isinstance(result, dict) else None
        numbers = {
            key: float("nan") if value is None else value
            for key, value in (rewards.items() if isinstance(rewards, dict) else ())
            if value is None or isinstance(value, int | float)
        }
        verified.append(VerifiedStep(None if result is None else VerifierResult(numbers), None, None))
        if number < _MOST_STEPS:
            name = one.get("step_name") if isinstance(one, dict) else None
            told.append(Step(f"step {show(name)}: {'not verified' if result is None else show(rewards)}"))
    if len(every) > _MOST_STEPS:
        told.append(Step(f"… {len(every) - _MOST_STEPS} more steps"))
    for strategy, says in (
        (Strategy.MEAN, "the mean over the verified steps, key by key, a missing key as 0"),
        (Strategy.FINAL, "the last step's"),
    ):
        try:
            given = select_reward(strategy, verified)
        except OverflowError:
            told.append(Step(f"{says}: beyond the range of a double"))
        else:
            told.append(Step(f"{says}: {'none' if given is None else show(given.rewards)}"))
    return [*told, Step("the task says which of the two counts, and is not at hand: either will do")]


def _listed(trial: str, evals: object, limits: Limits) -> list[Step]:
    """What the job lists for the trial."""
    if not isinstance(evals, Members):
        return []
    said = Listing(evals, limits.entries).of(trial)
    if said is None:
        return [Step(f"the job's result.json lists no trial {show(trial)}")]
    rewards = f"rewards {show(said.rewards)}" if said.rewards else "no reward"
    raised = "" if said.exception is None else f" and the exception {show(said.exception)}"
    return [Step(f"the job's result.json lists it in {show(said.group)} with {rewards}{raised}")]
