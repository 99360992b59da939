"""Tries the properties of a run: chooses the inputs, and handles failures."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.judging.comparison import Level
from conformance.judging.environments import AGREEING
from conformance.judging.verdict import Outcome, Verdict, considered
from conformance.option_names import prefixed
from conformance.outcomes.answers import property_record
from conformance.outcomes.failure_text import answer_text, with_likely
from conformance.outcomes.words import counted
from conformance.properties.disagreeing import Disagreements, disagreements
from conformance.properties.registry import check_of
from conformance.properties.trying import MOST_SILENCES, Trial, seed_of, try_property
from conformance.registry.ops import OPS
from conformance.run.dispatcher import Dispatcher
from conformance.run.options import repeat_property
from conformance.suite.properties import Property
from conformance.wire.messages import Ok, Refused
from conformance.wire.text import compact, printable

__all__ = ["Judged", "Properties"]

_MOST = 1000
"""The most characters shown of an input or an answer."""
_MOST_REQUESTS = 6
_MOST_DISAGREEMENTS = 2
_MIXED = "some answers are those of one environment, some those of another: none explains all of them"
ONESHOT_EXAMPLES = 10
"""The number of inputs if each one starts the runner."""


@dataclass(slots=True)
class Judged:
    """The result of a property, tried or not."""

    verdict: Verdict
    record: dict[str, Any]
    trial: Trial | None = None
    found: Disagreements | None = None


@dataclass(slots=True)
class Properties:
    """Tries properties on the runner of one run."""

    dispatcher: Dispatcher
    _timed_out: bool = False
    """Whether a property has timed out: then later ones do not wait for another time-out."""

    def run(self, property_: Property) -> Judged:
        """Tries one property; without ``--conformance-fuzz`` the inputs are always the same."""
        options, known = self.dispatcher.options, self.dispatcher.known
        seed = options.fuzz_seed or 0
        offered = self.dispatcher.hello.ops if self.dispatcher.hello else {op.name for op in property_.ops}
        missing = next((op.name for op in property_.ops if op.name not in offered), None)
        if missing is not None:
            untried = Trial(seed, unsupported=(missing, ""))
            verdict = considered(_verdict(property_, untried, options.level, options.classes), known)
            return Judged(verdict, property_record(verdict, 0, seed))
        check = check_of(property_)
        examples = options.fuzz or (ONESHOT_EXAMPLES if options.oneshot else None)
        trial = try_property(
            check,
            self.dispatcher.ask,
            seed=seed_of(property_.id, seed),
            level=options.level,
            examples=examples,
            silences=1 if self._timed_out else MOST_SILENCES,
            ask_all=self.dispatcher.ask_all,
            searching=options.fuzz is not None,
        )
        verdict = considered(_verdict(property_, trial, options.level, options.classes), known)
        self.dispatcher.failed(verdict)
        self._timed_out = self._timed_out or (
            trial.failure is not None and trial.failure.outcome == "timeout"
        )
        differing = None
        if trial.failure is not None:
            note = f"Found by the property {property_.slug}"
            if options.fuzz is not None:
                note += f", {prefixed('fuzz')} {options.fuzz} {prefixed('fuzz-seed')} {seed}"
            differing = disagreements(property_, trial, options, note)
        wrong = differing.verdicts[0] if differing and differing.verdicts else None
        holds_in = trial.environments if verdict.outcome in AGREEING else None
        path = differing.path if differing else None
        record = property_record(verdict, trial.examples, seed, path, wrong, holds_in)
        return Judged(verdict, record, trial, differing)

    def text(self, judged: Judged, clause: str, request_text: Callable[[Verdict], str]) -> str:
        """The text for a failed property.

        ``clause`` is the statement of its clause; ``request_text`` describes a request like a failing vector.
        """
        verdict = judged.verdict
        if judged.trial is None or judged.trial.failure is None or judged.found is None:
            return f"{verdict.outcome}: {verdict.vector.id}\nwhy:      {verdict.sentence}"
        failure, differing = judged.trial.failure, judged.found
        vector = verdict.vector
        lines = [
            f"{verdict.outcome}: {vector.id}",
            f"rule:     {printable(vector.rule)}",
            f"clause:   {printable(vector.clause)}: {clause}".rstrip(": "),
            f"why:      {verdict.sentence}",
            f"found:    after {counted(judged.trial.examples, 'input')}, then shrunk",
        ]
        direct = len(failure.exchanges) == 1 and len(differing.verdicts) == 1
        if not direct:  # otherwise the single request is shown below
            for number, exchange in enumerate(failure.exchanges[:_MOST_REQUESTS], start=1):
                lines.append(f"asked {number}:  {exchange.op} {compact(exchange.input, _MOST)}")
                lines.append(f"answer:   {answer_text(exchange.reply.answer, _MOST, message=False)}")
            more = len(failure.exchanges) - _MOST_REQUESTS
            if more > 0:
                lines.append(f"          and {more} more requests")
        if differing.problem:
            lines.append(f"problem:  {differing.problem}")
        lines.append(f"repeat:   {repeat_property(self.dispatcher.options, vector.id)}")
        count = len(differing.verdicts)
        if not count and any(isinstance(sent.reply.answer, Ok | Refused) for sent in failure.exchanges):
            lines.append(
                "note:     the runner answers each of these requests as the reference does, so the property "
                "itself is wrong, not the runner: please report it"
            )
        for index, (wrong, likely) in enumerate(zip(differing.verdicts, differing.likely, strict=True)):
            if index == _MOST_DISAGREEMENTS:
                more = count - index
                lines += ["", f"and {more} more requests on which the runner differs from the reference"]
                break
            text = request_text(wrong)
            lines += ["", with_likely(text, likely) if likely else text]
        return "\n".join(lines)


def _verdict(property_: Property, trial: Trial, level: Level, demanded: frozenset[str]) -> Verdict:
    """The verdict on a property tried at ``level``, before applying known failures.

    A property with ops of two classes is required if the class of the missing op is.
    """
    outcome, reached, sentence, is_demanded = Outcome.PASSED, None, "", False
    if trial.failure is not None:
        outcome, sentence = Outcome(trial.failure.outcome), trial.failure.sentence
    elif trial.environments is not None and not trial.environments:
        outcome, sentence = Outcome.MISMATCH, _MIXED
    elif trial.unsupported is not None:
        op, reason = trial.unsupported
        outcome, is_demanded = Outcome.UNSUPPORTED, OPS[op].conformance_class in demanded
        sentence = f"{op} is not among the ops that hello named"
        if trial.examples:
            sentence = f"the runner says unsupported: {reason}"
    if outcome in (Outcome.PASSED, Outcome.MISMATCH):
        reached = level if outcome is Outcome.PASSED else Level.NONE
    return Verdict(property_.as_vector, outcome, reached, trial.seconds, sentence, demanded=is_demanded)
