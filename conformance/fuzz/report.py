"""The report of a fuzz run: as text at its end, and as JSON."""

import datetime
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from conformance import __version__, interrupts
from conformance.console.todo import todo_lines
from conformance.fuzz.engine import Fuzz, FuzzError
from conformance.fuzz.findings import Keeper, finding_id
from conformance.fuzz.progress import disagreements
from conformance.fuzz.shares import Order, Share
from conformance.judging.environments import description_of, variants_of
from conformance.outcomes.words import counted
from conformance.registry.ops import OPS, SPEC_TABLE
from conformance.registry.spec import MAIN
from conformance.run.dispatcher import start_failure
from conformance.run.options import repeat_file
from conformance.runner.conversation import RunnerStartError
from conformance.wire.text import printable

__all__ = ["FuzzReport"]

SCHEMA = "urn:harbor-conformance:fuzz-report:1"
_WIDTH = 100
"""The width of the to-do list."""
_ENDS = {"time": "the time was over", "inputs": "all inputs were compared"}
_ENDS |= {"interrupted": "interrupted", "runner": "stopped early"}


@dataclass(slots=True)
class FuzzReport:
    """A run's result; everything is derived from the run itself."""

    fuzz: Fuzz
    keeper: Keeper
    interrupted: int | None = None
    """The exit code of an interruption; None if there was none."""
    problems: list[str] = field(default_factory=list)
    """A sentence for each reason why the runner could not be tried."""
    jobs: list[Share] = field(default_factory=list)
    """The results of several jobs; empty for a run in this process."""
    order: Order | None = None
    """The requested settings; None in a gate, which chooses its own."""
    started_at: str = field(
        default_factory=lambda: datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    )

    def run(self) -> None:
        """Runs the fuzz to its end; records what prevents that."""
        try:
            with interrupts.released():
                self.fuzz.run()
        except RunnerStartError as error:
            self.problems.append(start_failure(error, self.fuzz.plan.options.command))
        except FuzzError as error:
            self.problems.append(str(error))
        except KeyboardInterrupt:
            self.interrupted = interrupts.exit_code()

    def conclude(self, announce: Callable[[str], None]) -> None:
        """Writes the findings, with the known mistakes that explain them."""
        self.keeper.write()
        if self.interrupted is not None:
            self.keeper.leave_out_the_diagnosis()
        elif self.fuzz.causes.found:
            try:
                with interrupts.released():
                    announce("looking for known mistakes that explain the findings")
                    self.keeper.diagnose()
            except KeyboardInterrupt:
                self.interrupted = interrupts.exit_code()
            self.keeper.write()

    @property
    def exit_code(self) -> int:
        """0 without a disagreement after at least one comparison, 1 with one, 2 could not be tried."""
        if self.interrupted is not None:
            return self.interrupted
        if self.fuzz.causes.found or self.fuzz.unsupported or self.environment is None:
            return 1 if self.fuzz.compared else 2
        return 0 if self.fuzz.compared and not self.problems else 2

    @property
    def ended(self) -> str:
        """What ended the run: time, inputs, interrupted or runner."""
        if self.interrupted is not None:
            return "interrupted"
        if self.fuzz.stopped or self.problems:
            return "runner"
        drawn = self.fuzz.compared + self.fuzz.incomparable + self.fuzz.unsupported.total()
        return "inputs" if self.fuzz.plan.inputs is not None and drawn >= self.fuzz.plan.inputs else "time"

    @property
    def not_asked(self) -> list[str]:
        """The requested ops that hello does not name."""
        named = self.fuzz.hello.ops if self.fuzz.hello else frozenset(self.fuzz.plan.ops)
        return [op for op in self.fuzz.plan.ops if op not in named]

    def head(self) -> list[str]:
        """Lines that say what is under test."""
        hello, plan = self.fuzz.hello, self.fuzz.plan
        runner = f"{hello.runner} {hello.version}" if hello else "not started"
        base = f"{len(plan.vectors)} vectors to change" if plan.vectors else "all inputs generated"
        lines = [
            f"runner: {runner} ({plan.options.command})",
            f"spec: {plan.options.spec}, level: {plan.options.level}, seed: {plan.seed}, {base}",
        ]
        if self.jobs:
            first, last = self.jobs[0].seed, self.jobs[-1].seed
            lines.append(f"jobs: {len(self.jobs)}, with the seeds {first} to {last}")
        if self.not_asked:
            lines.append(f"not asked, as hello does not name them: {', '.join(self.not_asked)}")
        return lines

    def lines(self) -> list[str]:
        """The report's lines for people, after the header."""
        fuzz, lines = self.fuzz, list[str]()
        for cause in fuzz.causes.found:
            line = f"{counted(cause.count, 'disagreement')} in {cause.op}: {printable(cause.kind)}"
            if not cause.repeats:
                line += f" (input {cause.examples[0].number} did not repeat in a new process)"
            lines.append(line)
        if self.keeper.diagnosis is not None:
            lines += todo_lines(self.keeper.diagnosis, None, _WIDTH)
        lines += self._of_environment()
        for op, count in sorted(fuzz.unsupported.items()):
            lines.append(
                f"{counted(count, 'request')} of {op}: unsupported, although the runner offers {op}: that "
                f"breaks the claim of the class {OPS[op].conformance_class}"
            )
        if self.keeper.written:
            lines += [
                f"counterexamples: {self.keeper.path}, {self.keeper.written} of them; to repeat them:",
                f"  {repeat_file(fuzz.plan.options, self.keeper.path)}",
            ]
        by = "the time given" if self.interrupted is None else "the interruption"
        lines += [f"cut by {by}: {sentence}" for sentence in self.keeper.cut()]
        if fuzz.stopped:
            lines.append(f"stopped early: {printable(fuzz.stopped)}")
        lines += [f"problem: {problem}" for problem in self.problems]
        return [*lines, self._last_line()]

    @property
    def environment(self) -> str | None:
        """The environment that explains all answers; None if they are mixed."""
        known = (MAIN, *variants_of(self.fuzz.plan.options.spec))
        return next((name for name in known if name in self.fuzz.environments), None)

    def _of_environment(self) -> list[str]:
        spec, name = self.fuzz.plan.options.spec, self.environment
        if name is None:
            return ["it mixes environments: some answers are right only in one, some only in another"]
        if name == MAIN:
            return []
        inputs = f"{self.fuzz.distinguishing:,} inputs"
        return [f"answers as {description_of(spec, name)} does ({name}, by {inputs})"]

    def _last_line(self) -> str:
        fuzz = self.fuzz
        if not fuzz.compared and self.interrupted is None:
            return "could not be tried: nothing was compared"
        summary = disagreements(fuzz)
        return (
            f"{fuzz.compared:,} inputs compared, {summary}; {_ENDS[self.ended]} after {fuzz.seconds:.1f} s "
            f"({fuzz.rate:,.0f} a second, start-up {fuzz.start_up_seconds:.2f} s)"
        )

    def as_json(self) -> dict[str, Any]:
        """The report in the form of its schema."""
        fuzz, plan = self.fuzz, self.fuzz.plan
        hello, spec = fuzz.hello, plan.options.spec
        jobs = [{name: getattr(job, name) for name in ("seed", "compared", "problem")} for job in self.jobs]
        names = ("agreed", "disagreed", "unsupported")
        counted_by_op = {name: getattr(fuzz, name) for name in names}
        return {
            "schema": SCHEMA,
            "kit_version": __version__,
            "spec": spec,
            "level": str(plan.options.level),
            "runner": {
                "command": plan.options.command,
                "name": hello.runner if hello else None,
                "version": hello.version if hello else None,
                "numbers": ("string" if hello.numbers_as_strings else "json") if hello else None,
                "ops": sorted(hello.ops) if hello else [],
            },
            "started_at": self.started_at,
            "start_up_seconds": round(fuzz.start_up_seconds, 3),
            "duration_seconds": round(fuzz.seconds, 3),
            "environment": (self.environment or SPEC_TABLE[spec].oracle.provenance)
            if fuzz.distinguishing and self.environment is not None
            else None,
            "looking_seconds": round(fuzz.looking_seconds, 3),
            "telling": fuzz.distinguishing,
            "seed": plan.seed,
            **({} if self.order is None else {"selection": self.order.as_json()}),
            **({"jobs": jobs} if jobs else {}),
            "vectors_changed": len(plan.vectors),
            "ended": self.ended,
            "exit_code": self.exit_code,
            "problems": [*self.problems, *([fuzz.stopped] if fuzz.stopped else [])],
            "cut": self.keeper.cut(),
            "compared": fuzz.compared,
            "disagreed": fuzz.disagreed.total(),
            "incomparable": fuzz.incomparable,
            "rate_per_second": round(fuzz.rate, 1),
            "ops": {
                op: {name: counts[op] for name, counts in counted_by_op.items()} for op in fuzz.asked_ops
            },
            "not_asked": self.not_asked,
            "unclaimed": sorted({OPS[op].conformance_class for op in fuzz.unsupported}),
            "causes": [
                {
                    "op": cause.op,
                    "kind": cause.kind,
                    "count": cause.count,
                    "first_input": cause.examples[0].number,
                    **({"seed": cause.examples[0].seed} if jobs else {}),
                    "base": cause.examples[0].base,
                    "likely": self.keeper.likely(cause.shown),
                    "mistakes": sorted(cause.mistakes),
                    "repeats": cause.repeats,
                    "counterexample": finding_id(spec, cause.shown) if cause.repeats else None,
                    **self.keeper.account(cause),
                }
                for cause in fuzz.causes.found
            ],
            "counterexamples": str(self.keeper.path) if self.keeper.written else None,
            "repeat": repeat_file(plan.options, self.keeper.path) if self.keeper.written else None,
        }
