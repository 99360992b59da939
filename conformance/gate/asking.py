"""The gate's run: all that was selected, judged to its end, whatever happens on the way."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from conformance import interrupts
from conformance.diagnosis import Evidence
from conformance.diagnosis.evidence import of_verdict
from conformance.judging.known_failures import KnownFailuresError, Offered
from conformance.judging.verdict import Verdict
from conformance.oracle.python import OracleError
from conformance.registry.op import ORACLE
from conformance.registry.ops import ops_of
from conformance.report.run_report import Report
from conformance.report.selection import newer_than
from conformance.report.shards import in_shard, sizes
from conformance.run.asking_again import AskedAgain, asking_again
from conformance.run.closing import close_run, not_started
from conformance.run.commands import CommandError, is_attached
from conformance.run.dispatcher import Dispatcher
from conformance.run.engine import open_run, run_vectors, selection_of
from conformance.run.options import RunOptions
from conformance.runner.conversation import RunnerStartError
from conformance.suite.vectors import Vector

__all__ = ["Asking"]

_LIST = "known-failures.txt"


@dataclass(slots=True)
class Asking:
    """A run in three steps, none of which raises: begun, asked, closed. The report is there after each."""

    options: RunOptions
    report: Report
    chosen: Sequence[Vector]
    _dispatcher: Dispatcher | None
    """What asks the runner; None where the run could not be begun."""
    _evidence: list[Evidence] = field(default_factory=list)
    _interrupted: str | None = None

    @classmethod
    def begun(
        cls,
        options: RunOptions,
        every: list[Vector],
        selected: Sequence[Vector],
        say: Callable[[str], None] = lambda _: None,
    ) -> "Asking":
        """Makes the runner's command, which may take building an environment; ``say`` hears of that.

        Of what was ``selected``, the part that is this shard's is asked.

        Raises:
            VectorFileError: one of the vectors belongs to another spec.
        """
        chosen = [vector for vector in selected if in_shard(vector.id, options.shard)]
        try:
            with interrupts.released():
                dispatcher, report = open_run(options, every, say)
            _require(options, report)
        except (CommandError, KnownFailuresError, OracleError) as error:
            return cls(options, _never_begun(options, every, len(chosen), str(error)), chosen, None)
        except KeyboardInterrupt:
            report = _never_begun(options, every, len(chosen), "interrupted before the runner was started")
            (report.interrupted,) = report.problems
            return cls(options, report, chosen, None)
        report.chosen = len(chosen)
        if report.for_merging is not None and options.shard is not None:
            report.for_merging.vectors = sizes((vector.id for vector in selected), options.shard[1])
        return cls(options, report, chosen, dispatcher)

    def ask(self, tick: Callable[[], None] = lambda: None) -> None:
        """Asks the runner for every vector; ``tick`` is called at each verdict."""
        if self._dispatcher is None:
            return

        def note(verdict: Verdict) -> None:
            tick()
            told = None if isinstance(verdict.vector, AskedAgain) else of_verdict(verdict)
            if told is not None and verdict.kept:
                self._evidence.append(told)

        report = self.report
        try:
            with interrupts.released():
                again = asking_again(self.options, report)
                run_vectors(self._dispatcher, report, self.chosen, note, again)
        except RunnerStartError as error:
            not_started(report, error)
        except KeyboardInterrupt:
            self._interrupted = f"interrupted after {len(report.records):,} of {len(self.chosen):,} vectors"

    def close(self, say: Callable[[str], None] = lambda _: None) -> None:
        """Ends the exchange and judges the whole; ``say`` hears what takes time."""
        if self._dispatcher is not None:
            close_run(
                *(self._dispatcher, self.report, self._evidence),
                interrupted=self._interrupted,
                progress=say,
            )


def _require(options: RunOptions, report: Report) -> None:
    """Decides what the runner must offer, so that a runner that offers less can't pass.

    Raises:
        CommandError: nothing says what it must offer.
    """
    if report.required:
        return
    if is_attached(options.command):
        report.required = tuple(
            Offered(op.name, 0, 0) for op in ops_of(options.spec, package=True) if op.source == ORACLE
        )
    elif not options.classes:
        listed = options.known_failures
        wanted = f"-o {_LIST}" if listed is None else f"--update {listed}"
        lacks = (
            "there is no list of known failures" if listed is None else f"{listed} has no '# offers:' lines"
        )
        raise CommandError(
            f"nothing says what the runner must offer, as {lacks}: record it with 'harbor-conformance "
            f"baseline --runner … {wanted}' and gate with --known-failures, or name --classes (such as all)"
        )


def _never_begun(options: RunOptions, every: list[Vector], chosen: int, sentence: str) -> Report:
    """The report of a run that could not be begun: CI shows why, as it shows everything else."""
    newer = newer_than(options.vectors_version, every, options.spec)
    return Report(
        *(options.spec, options.level, options.command),
        [vector for vector in every if vector.id not in newer],
        newer=[vector for vector in every if vector.id in newer],
        selection=selection_of(options),
        chosen=chosen,
        could_not_try=True,
        problems=[sentence],
    )
