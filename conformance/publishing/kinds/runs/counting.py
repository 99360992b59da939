"""The denominators of a run: the whole vector set, each vector counted once."""

from conformance.publishing.blocks import Tone
from conformance.publishing.kinds.runs.account import Run
from conformance.publishing.model import Count

__all__ = ["counts", "left_out"]

_MEANS = (
    ("passed", Tone.GOOD, "The answer is the one that is due."),
    ("failed", Tone.BAD, "A wrong answer or none, which is not listed as a known failure."),
    ("unexpected passes", Tone.BAD, "Listed as a known failure, and passed."),
    ("expected failures", Tone.KNOWN, "Failed as the list of known failures says."),
    ("unsupported, demanded", Tone.BAD, "The runner does not answer these, and the run demands them."),
    ("unsupported", Tone.WARN, "The runner says that it does not answer these."),
    ("not run", Tone.BAD, "Selected and not asked: the run had been given up."),
    ("not reached", Tone.QUIET, "Selected and without a result: the run ended before them."),
    ("in missing shards", Tone.BAD, "Selected in a part of the run of which there is no report."),
    ("in other shards", Tone.QUIET, "Selected in other parts of the run, which have reports of their own."),
    ("filtered", Tone.QUIET, "Not selected."),
    ("newer, left out", Tone.QUIET, "Came with a later version of the vectors than the one chosen."),
)
_ALWAYS = frozenset({"passed", "failed"})
_LEFT_OUT = ("not reached", "in missing shards", "in other shards", "filtered", "newer, left out")


def _numbers(run: Run) -> dict[str, int]:
    demanded = len(run.demanded)
    return {
        "passed": run.totals["passed"],
        "failed": len(run.failed),
        "unexpected passes": run.totals["unexpected-pass"],
        "expected failures": run.totals["expected-failure"],
        "unsupported, demanded": demanded,
        "unsupported": run.totals["unsupported"] - demanded,
        "not run": run.totals["not-run"],
        "not reached": run.unreached,
        "in missing shards": run.missing_vectors,
        "in other shards": run.in_other_shards,
        "filtered": run.filtered,
        "newer, left out": run.newer,
    }


def counts(run: Run) -> tuple[Count, ...]:
    """The counts; what is zero is left out, but for passes and failures."""
    numbers = _numbers(run)
    return tuple(
        Count(name, numbers[name], tone, means)
        for name, tone, means in _MEANS
        if numbers[name] or name in _ALWAYS
    )


def left_out(run: Run) -> list[tuple[int, str]]:
    """How many vectors have no result, by why."""
    numbers = _numbers(run)
    return [(numbers[name], name) for name in _LEFT_OUT if numbers[name]]
