"""What readers of the document alone understood of reward files inside a job.

The rules of section 1 are told of one trial. Each of these mistakes reads a trial's files rightly where only
they are asked for, and otherwise where they are a trial's, or a step's, among others.
"""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import errors, reward
from reference_impl.job_result import JobStatistics
from reference_impl.pipeline import _executed, _read, read_trial
from reference_impl.pipeline import pipeline as reference_pipeline
from reference_impl.reward import parse_reward
from reference_impl.verifier_result import validate_rewards

__all__: list[str] = []

JSON, TEXT = reward.REWARD_JSON, reward.REWARD_TEXT
Parse = Callable[[Any], Any]
in_parse = family("pipeline", of=(reference_pipeline, parse_reward))
in_read = family("pipeline", of=_read, clause="003-3.3-exception-stats")
in_read_trial = family("pipeline", of=read_trial)
in_executed = family("pipeline", of=_executed, clause="003-1.1-json-wins")
in_pipeline = family("pipeline", of=reference_pipeline)


def values_in(reference: Variant, files: Any) -> Any:
    """The JSON value of reward.json before it is validated."""
    return reference.its(reward._parse_reward_json)(files[JSON])


@way("pipeline")
def values(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes every reward that a job reads."""

    def changed(files: Any) -> Any:
        rewards = parse(files)
        return rewards and {key: change(value) for key, value in rewards.items()}

    parse = reference.get((reference_pipeline, parse_reward))
    reference.replace_use((reference_pipeline, parse_reward), changed)


@way("pipeline")
def steps_files(reference: Variant, change: Callable[[list[Any]], list[Any]]) -> None:
    """Changes the files of the steps, given in order, before the steps are run."""

    def around(executed: Callable[..., Any]) -> Callable[..., Any]:
        def with_changed(unread: Any) -> Any:
            files = change([step.files for step in unread])
            return executed([replace(step, files=f) for step, f in zip(unread, files, strict=True)])

        return with_changed

    reference.wrap(_executed, around)


@steps_files.made(clause="003-1.1-json-wins", invited_by="a reader of its own for steps")
def text_wins_in_steps(files: list[Any]) -> list[Any]:
    """In the steps of a trial reward.txt wins over reward.json. The precedence is told of a trial's files."""
    return [{TEXT: f[TEXT]} if f and TEXT in f else f for f in files]


@steps_files.made(clause="003-1.1-no-file-is-not-found", invited_by="one verifier directory for all steps")
def step_reads_files_of_the_step_before(files: list[Any]) -> list[Any]:
    """A step whose verifier leaves no reward file has the files of the step before it.
    They are still there if nobody clears the directory."""
    last: Any = {}
    read = []
    for given in files:
        last = given or last
        read.append(given if given is None else last)
    return read


@steps_files.made(clause="003-1.1-txt-without-json", invited_by="one verifier directory for all steps")
def steps_files_pile_up(files: list[Any]) -> list[Any]:
    """A reward.json that a step leaves wins over the reward.txt of every later step.
    It is still there if nobody clears the directory."""
    there: dict[str, Any] = {}
    read = []
    for given in files:
        there = {**there, **(given or {})}
        read.append({**there} if given else given)
    return read


@steps_files.made(clause="003-2-no-verifier-result", invited_by="one verifier directory for all steps")
def unverified_step_reads_files_before(files: list[Any]) -> list[Any]:
    """A step whose verifier does not run to its end has the reward of the step before it.
    Its files are read from the one directory whatever the verifier did."""
    last: Any = None
    read = []
    for given in files:
        last = last if given is None else given
        read.append(last)
    return read


@in_pipeline.wrapped(
    clause="003-2-no-verifier-result", invited_by="a variable outside of the loop over trials"
)
def unverified_trial_keeps_rewards_before(
    reference: Variant, pipeline: Callable[..., Any], job: Any, trials: Any
) -> Any:
    """A trial that was not verified has the rewards of the trial before it.
    The variable that holds them is not cleared."""
    last: Any = None
    changed = []
    for trial in trials:
        if trial.steps is None:
            last = trial.files or last
            changed.append(replace(trial, files=last) if trial.files is None else trial)
        else:
            changed.append(trial)
    return pipeline(job, changed)


@in_read_trial.wrapped(clause="003-3.3-verifier-after-agent", invited_by="time-outs as the end of everything")
def files_unread_after_agent_timeout(read: Callable[..., Any], trial: Any) -> Any:
    """The reward files of a trial whose agent ran out of time are not read, those of other errored ones are.
    A time-out ends the trial."""
    return read(replace(trial, files=None) if trial.exception == "AgentTimeoutError" else trial)


@in_read.wrapped(clause="003-1.1-no-file-is-not-found", invited_by="`if not files`, len(files) == 0")
def no_files_is_no_verification(read: Callable[..., Any], files: Any) -> Any:
    """A trial whose verifier leaves no reward file is unverified, without an error.
    An empty directory looks like none; other faults of the files are errors."""
    return read(files or None)


@in_parse.used(clause="003-1.2-key-is-reward", invited_by="the key of a job's metrics, mean")
def text_reward_called_mean(parse: Parse, files: Any) -> Any:
    """In a job the reward of reward.txt is called mean. That is the key under which a job shows it."""
    rewards = parse(files)
    return rewards if JSON in files else {"mean": rewards[reward.REWARD_KEY]}


@values.made(clause="003-1.2-signed-zero", invited_by="value + 0.0, sums of one value")
def minus_zero_unsigned_in_job(value: Any) -> Any:
    """In a job a reward of -0.0 is 0.0. Zero has no sign where it is added to a total."""
    return value + 0.0 if isinstance(value, float) else value


@in_parse.used(clause="003-1.2-always-float", invited_by="1 and 0 as the binary rewards of Terminal-Bench")
def whole_text_is_int_in_job(parse: Parse, files: Any) -> Any:
    """In a job a whole number in reward.txt is an int. Binary rewards are 1 and 0."""
    rewards = parse(files)
    if JSON in files:
        return rewards
    return {k: int(v) if math.isfinite(v) and v == int(v) else v for k, v in rewards.items()}


@values.made(clause="003-1.2-range-is-open", invited_by="scores of 0 to 1")
def rewards_clamped_in_job(value: Any) -> Any:
    """In a job rewards are brought into the range from 0 to 1. A score is between these."""
    return 0.0 if value < 0 else 1.0 if value > 1 else value


@in_parse.used(clause="003-6-nan-propagates", invited_by="NaN as the missing value of tables")
def nan_is_no_reward_in_job(parse: Parse, files: Any) -> Any:
    """In a job a trial with a NaN reward has no rewards. NaN stands for what is missing."""
    rewards = parse(files)
    return None if rewards and any(value != value for value in rewards.values()) else rewards


@in_parse.used(clause="003-1.2-overflow-is-infinity", invited_by="JSON, which has no infinity")
def infinity_malformed_in_job(reference: Variant, parse: Parse, files: Any) -> Any:
    """In a job an infinite reward is VerifierOutputParseError. A result.json cannot hold it."""
    rewards = parse(files)
    if rewards and any(value in (math.inf, -math.inf) for value in rewards.values()):
        raise reference.its(errors.VerifierOutputParseError)(TEXT, "text")
    return rewards


@in_parse.used(clause="003-1.2-whitespace-is-not-empty", invited_by="strip() before the size is tested")
def blank_text_is_empty_in_job(reference: Variant, parse: Parse, files: Any) -> Any:
    """In a job a reward.txt of nothing but white space is RewardFileEmptyError. There is nothing in it."""
    if JSON not in files and TEXT in files and not files[TEXT].strip():
        raise reference.its(errors.RewardFileEmptyError)(TEXT)
    return parse(files)


@in_parse.used(clause="003-1.3-white-space-is-not-empty", invited_by="strip() before the size is tested")
def blank_json_is_empty_in_job(reference: Variant, parse: Parse, files: Any) -> Any:
    """In a job a reward.json of nothing but white space is RewardFileEmptyError. There is nothing in it."""
    if JSON in files and not files[JSON].strip():
        raise reference.its(errors.RewardFileEmptyError)(JSON)
    return parse(files)


@in_parse.used(clause="003-1.1-no-fallback", invited_by="try/except around one reader, then the other")
def text_tried_after_bad_json_in_job(parse: Parse, files: Any) -> Any:
    """In a job reward.txt is read where reward.json cannot be.
    A trial should not be lost for one bad file."""
    try:
        return parse(files)
    except Exception:
        return parse({TEXT: files[TEXT]}) if JSON in files and TEXT in files else parse(files)


@in_parse.used(clause="003-1.1-json-wins", invited_by="reading what a log prints, reward.txt")
def text_wins_in_job(parse: Parse, files: Any) -> Any:
    """In a job reward.txt wins over reward.json. It holds the reward itself, the other file its parts."""
    return parse({TEXT: files[TEXT]} if TEXT in files else files)


@in_parse.used(clause="003-1.3-key-order", invited_by="BTreeMap, Go's maps, the sorted keys of metrics")
def reward_keys_sorted_in_job(parse: Parse, files: Any) -> Any:
    """In a job the keys of reward.json come out sorted. Its metrics sort them as well."""
    rewards = parse(files)
    return rewards and dict(sorted(rewards.items()))


@in_parse.used(
    clause="003-1.3-duplicate-keys-last-wins", invited_by="setdefault, find_first, streaming readers"
)
def first_duplicate_wins_in_job(reference: Variant, parse: Parse, files: Any) -> Any:
    """In a job the first of equal keys in reward.json counts. What is set once is not set again."""
    rewards = parse(files)
    if not rewards or JSON not in files:
        return rewards
    pairs = json.loads(files[JSON], object_pairs_hook=tuple)
    return {**rewards, **(reference.its(validate_rewards)(dict(reversed(pairs))) or {})}


@values.made(clause="003-1.3-int-and-float-kept", invited_by="JavaScript's numbers, printing with %g")
def whole_floats_are_ints_in_job(value: Any) -> Any:
    """In a job whole rewards are ints. JSON does not tell 1.0 from 1."""
    return int(value) if isinstance(value, float) and math.isfinite(value) and value == int(value) else value


@values.made(clause="003-1.3-int-and-float-kept", invited_by="dict[str, float]")
def ints_are_floats_in_job(value: Any) -> Any:
    """In a job int rewards are floats. A reward is a float, says the type."""
    try:
        return float(value)
    except OverflowError:
        return value


@in_parse.used(clause="003-1.3-bool-becomes-float", invited_by="bool as a kind of int")
def booleans_are_ints_in_job(reference: Variant, parse: Parse, files: Any) -> Any:
    """In a job true and false in reward.json are the ints 1 and 0. A bool is an int in Python."""
    rewards = parse(files)
    if not rewards or JSON not in files:
        return rewards
    given = values_in(reference, files)
    return {k: int(given[k]) if isinstance(given[k], bool) else v for k, v in rewards.items()}


@in_parse.used(clause="003-1.3-numeric-string-becomes-float", invited_by="a type check before conversion")
def strings_refused_in_job(reference: Variant, parse: Parse, files: Any) -> Any:
    """In a job a string in reward.json is a ValidationError, whatever it spells. Rewards are numbers."""
    rewards = parse(files)
    if rewards and JSON in files:
        for key, given in values_in(reference, files).items():
            if isinstance(given, str):
                raise reference.its(errors.ValidationError)(f"rewards[{key!a}]", given)
    return rewards


@in_parse.used(clause="003-1.3-one-bad-value-refuses-all", invited_by="filter by type, retain, compactMap")
def bad_values_dropped_in_job(reference: Variant, parse: Parse, files: Any) -> Any:
    """In a job the values of reward.json that are no numbers are left out, and the others kept.
    A job goes on with what it can use."""
    if JSON not in files or not files[JSON]:
        return parse(files)
    given = values_in(reference, files)
    if not isinstance(given, dict):
        return parse(files)
    validate = reference.its(validate_rewards)
    kept: dict[str, Any] = {}
    for key, value in given.items():
        try:
            kept |= validate({key: value}) or {}
        except ValueError:
            continue
    return kept


@in_read.wrapped(
    clause="003-1.3-one-bad-value-refuses-all", invited_by="except VerifierError around the reading"
)
def validation_error_ends_the_job(reference: Variant, read: Callable[..., Any], files: Any) -> Any:
    """A reward.json with a value that is no number ends the whole job.
    Only the three errors of reward files are expected there."""
    result, error = read(files)
    if error == "ValidationError":
        reference.its(parse_reward)(files)
    return result, error


@in_parse.used(clause="003-2-empty-object-is-not-null", invited_by="`rewards or None`")
def empty_object_is_null_in_job(parse: Parse, files: Any) -> Any:
    """In a job a reward.json with an empty object gives null rewards. It holds no reward."""
    return parse(files) or None


@in_read.wrapped(clause="003-1.3-top-level-null", invited_by="Optional for what is missing")
def null_json_is_not_found_in_job(read: Callable[..., Any], files: Any) -> Any:
    """In a job a reward.json that holds null is recorded as RewardFileNotFoundError.
    No rewards are taken for no file."""
    result, error = read(files)
    if result is not None and result.rewards is None:
        return None, "RewardFileNotFoundError"
    return result, error


@in_pipeline.wrapped(
    clause="003-5-clean-reason-null", invited_by="the codes of section 1.4 in front of section 5"
)
def reward_error_is_the_lines_reason(
    reference: Variant, pipeline: Callable[..., Any], job: Any, trials: Any
) -> Any:
    """The outcome line of a job gives the code of its first error of a reward file as its reason.
    The codes seem to be made for the line."""
    listed = list(trials)
    result, line = pipeline(job, listed)
    codes = {
        "RewardFileNotFoundError": "harbor_reward_missing",
        "RewardFileEmptyError": "harbor_reward_empty",
        "VerifierOutputParseError": "harbor_reward_parse_error",
    }
    found = (codes.get(reference.its(read_trial)(trial).exception or "") for trial in listed)
    code = next(filter(None, found), None)
    return result, line.replace('"reason_code": null', f'"reason_code": "{code}"') if code else line


@in_read_trial.wrapped(clause="003-3.3-unverified-counts-zero", invited_by="`except: continue` in the loop")
def unreadable_trial_has_zero_reward_and_error(
    reference: Variant, read: Callable[..., Any], trial: Any
) -> Any:
    """A trial whose reward file cannot be read has a reward of 0.0 beside its error.
    A trial without rewards counts as 0, so that is what is recorded."""
    done = read(trial)
    if trial.files is None or done.verifier_result is not None:
        return done
    module = reference.module_of(read_trial)
    return replace(done, verifier_result=module.VerifierResult({"reward": 0.0}))


@way("pipeline", clause="003-3.3-n-completed")
def without(reference: Variant, is_left_out: Callable[[Any], bool]) -> None:
    """Leaves trials out of the job once they are read."""

    def around(add: Callable[..., None]) -> Callable[..., None]:
        return lambda self, trial: None if is_left_out(trial) else add(self, trial)

    reference.wrap(JobStatistics.add, around)


@without.made(invited_by="`except VerifierError: continue`, filter_map over results")
def unreadable_trials_left_out_of_the_job(trial: Any) -> bool:
    """A trial whose reward file is missing, empty or malformed does not count at all, as if it had not run.
    The loop goes on with the next one."""
    return trial.exception in ("RewardFileNotFoundError", "RewardFileEmptyError", "VerifierOutputParseError")


@in_executed.wrapped(clause="003-4.5-null-rewards-count", invited_by="an error as a result without rewards")
def unreadable_step_is_a_result_without_rewards(
    reference: Variant, executed: Callable[..., Any], unread: Any
) -> Any:
    """A step whose reward file cannot be read has a verifier result, without rewards, and the steps go on.
    Its verifier has run, only without a reward."""
    read = reference.get(_read)
    return executed(
        [
            replace(step, files={JSON: b"null"}) if step.exception is None and read(step.files)[1] else step
            for step in unread
        ]
    )
