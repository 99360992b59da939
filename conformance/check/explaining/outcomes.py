"""How an outcome line follows from `result.json`: the metrics' values, the score, the counts."""

from conformance.check.explaining.shape import Share, Step
from conformance.check.job.differences import JOB_FILE
from conformance.check.reading.files import Folder, Refused, reason
from conformance.check.reading.json_files import Members, NotJsonError, parse, plain, show
from conformance.check.reading.limits import Limits, TooLargeError
from reference_impl import summarise

__all__ = ["outcome_steps"]

_MOST_SHOWN = 20


def outcome_steps(path: str, limits: Limits) -> list[Step]:
    """What the line has to say of the job in the directory `path`, by its `result.json` as it stands."""
    try:
        folder = Folder.top(path)
    except OSError as error:
        return [Step(f"the job's directory can't be read: {reason(error)}")]
    try:
        content = folder.read(JOB_FILE, limits.job_bytes)
        value = None if content is None else parse(content, limits.file_memory // 3)
    except (Refused, NotJsonError, TooLargeError) as error:
        return [Step(f"{JOB_FILE} can't be read: {error}")]
    finally:
        folder.leave()
    if content is None or not isinstance(value, Members):
        return [Step(f"{JOB_FILE} holds no object")]
    stats = value.get("stats")
    evals = stats.get("evals") if isinstance(stats, Members) else None
    values = []
    for group, recorded in evals if isinstance(evals, Members) else ():
        metrics = recorded.get("metrics") if isinstance(recorded, Members) else None
        for metric in metrics if isinstance(metrics, list) else ():
            values.append(Share(f"{show(plain(metric))} of {show(group)}", 1))
    planned = plain(value.get("n_total_trials"))
    try:
        summary = summarise(content)
        line = summary.line()
    except ValueError:
        return [Step("a total of so many digits is not printed, so there is no line")]
    shown, rest = values[:_MOST_SHOWN], max(len(values) - _MOST_SHOWN, 0)
    return [
        Step(f"the metrics that {JOB_FILE} states:", shown, rest),
        Step(
            f"the score is the mean of their values, of `mean` alone where an entry has it: {summary.score!r}"
        ),
        Step(f"resolved, score × {show(planned)} planned trials, rounded half to even: {summary.resolved}"),
        Step(f"total, the trials planned: {summary.total}"),
        Step(f"the status, by the count of errored trials: {summary.status}"),
        Step(f"so the line is {line}"),
    ]
