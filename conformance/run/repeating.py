"""Builds the command that repeats a failure, with earlier requests if it depends on them.

A runner that keeps state between requests may crash only after certain others. Asked alone in a new process,
the vector then passes, so that it is ``flaky``, and its ``repeat:`` repeats the earlier requests too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.judging.verdict import Outcome, Verdict
from conformance.paths import vectors_dir
from conformance.run.options import REPHRASED_SUFFIX, RunOptions, repeat_vector
from conformance.run.session import Session
from conformance.suite.vectors import Vector, is_of_kit

__all__ = ["Repeat", "repeat_of"]

_BROKEN = {Outcome.CRASH: "crash", Outcome.TIMEOUT: "time-out", Outcome.PROTOCOL_ERROR: "protocol error"}
"""The outcomes of a failed exchange."""
_FEW = 10
"""If a command would list more vectors, it uses ``--before N`` where possible."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """How to repeat a failure."""

    command: str
    before: str = ""
    """A remark about earlier requests; empty if the vector alone repeats the failure."""


def repeat_of(session: Session, verdict: Verdict) -> Repeat:
    """Return the command that repeats one failure."""
    options, vector, rephrasing = session.options, verdict.vector, session.rephrasing
    if rephrasing is not None and vector.id.endswith(REPHRASED_SUFFIX):
        words = ["--again-seed", str(rephrasing.seed)]
        return Repeat(repeat_vector(options, vector, words=words), rephrasing.remark(vector))
    if (after := session.supporting_vector(vector.id)) is not None:
        earlier = [candidate for candidate in session.every if candidate.id == after]
        return Repeat(repeat_vector(options, *earlier, vector, words=["--in-order"]))
    command = repeat_vector(options, vector)
    keys = session.dispatcher.before.get(vector.id, ())
    failure = _BROKEN.get(verdict.actual or verdict.outcome)
    if not keys or failure is None:
        return Repeat(command)
    if verdict.outcome is not Outcome.FLAKY:
        return Repeat(command, f"not asked alone; {len(keys)} requests came before it in its process")
    note = f"asked alone it is answered: the {failure} may depend on the {len(keys)} requests before it"
    if rephrasing is not None and any(key.endswith(REPHRASED_SUFFIX) for key in keys):
        return Repeat(repeat_vector(options, words=["--again-seed", str(rephrasing.seed)]), note)
    by_id = {candidate.id: candidate for candidate in session.every}
    return Repeat(_command(session, options, [by_id[key] for key in keys if key in by_id], vector), note)


def _command(session: Session, options: RunOptions, before: Sequence[Vector], last: Vector) -> str:
    """Return the command that asks ``before`` and then ``last``, with ``--before N`` if possible."""
    home = _home(options, last)
    inside = [vector for vector in session.every if _home(options, vector) == home]
    places = {vector.id: index for index, vector in enumerate(inside)}
    if before and all(vector.id in places for vector in before):
        first, end = places[before[0].id], places[last.id]
        between = [vector for vector in inside[first:end] if session.dispatcher.supports(vector)]
        same = [vector.id for vector in between] == [vector.id for vector in before]
        if same or (len(before) > _FEW and first < end):
            return repeat_vector(options, last, words=["--before", str(end - first)])
    return repeat_vector(options, *before, last, words=["--in-order"])


def _home(options: RunOptions, vector: Vector) -> object:
    """Return where the command finds a vector: the spec's folder, or a file."""
    return vectors_dir(options.spec) if is_of_kit(vector) else vector.file
