"""The situations that a metric script is put into: what it is given, and how often it is run on that."""

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.metric.findings import Case

__all__ = ["ScriptCase", "script_cases"]

Rewards = dict[str, int | float] | None
Trials = Sequence[Rewards]

NAN, INF = float("nan"), float("inf")
MANY = 5000


@dataclass(frozen=True, slots=True)
class ScriptCase:
    """One situation."""

    case: Case
    runs: tuple[Trials, ...]
    """The rewards of each run."""
    group: str = "ordinary"
    """Whose trouble it is if the script fails: ordinary, long, old, no-trials, shapes or odd."""
    compares: str | None = None
    """What the outputs of the runs are held to: same, order, nulls or old; None for nothing."""


def script_cases(keys: Sequence[str]) -> tuple[ScriptCase, ...]:
    """All cases, for trials whose rewards have these keys."""

    def each(*values: float | None) -> Trials:
        return [None if value is None else dict.fromkeys(keys, value) for value in values]

    first = keys[0]
    other = next(name for name in ("other", "another") if name not in keys)
    ordinary = each(1.0, 0.0, 0.5)
    mixed = each(0.25, None, 1.0, 0.0)
    many = each(*(None if index % 7 == 0 else index % 5 / 4 for index in range(MANY)))
    lone: Trials = [{key: 1.0} for key in (first, other)]
    return (
        _case("one-key", "three trials", ordinary),
        _case("one-trial", "a single trial", each(1.0)),
        _case("null-rewards", "trials without rewards among others", each(1.0, None, 0.5)),
        _case("all-null", "no trial with rewards", each(None, None)),
        _case("ints", "rewards that are ints", each(1, 0, 1)),
        _case("tenths", "ten times 0.1", each(*[0.1] * 10)),
        _case("signs", "negative rewards and -0.0", each(-1.5, -0.0, 0.25)),
        _case("far-apart", "rewards from 1e-300 to 1e15", each(1e15, 1e-300, 3.5, -1e15)),
        _case("many-trials", f"{MANY} trials", many),
        _case(
            "partial-lists",
            "the rewards so far, after each of three trials, as in a job",
            *(mixed[:count] for count in (1, 1, 2, 2, 3)),
        ),
        _case("long-options", "--input-path and --output-path", ordinary, group="long"),
        _case("repeated", "the same rewards twice", mixed, mixed, compares="same"),
        _case("no-trials", "an empty input file", [], group="no-trials"),
        _case(
            "nulls-as-zero",
            "null, left out, and 0 in its place",
            each(1.0, None, 0.5),
            each(1.0, 0.5),
            each(1.0, 0.0, 0.5),
            compares="nulls",
        ),
        _case("another-order", "the trials in two orders", mixed, mixed[::-1], compares="order"),
        _case("output-exists", "an output file that is there already", ordinary, group="old", compares="old"),
        _case("several-keys", "one key more", [{**dict.fromkeys(keys, 1.0), other: 0.5}] * 2, group="shapes"),
        _case("missing-keys", "trials with a key less than others", [*lone, *each(0.5)], group="shapes"),
        _case("other-keys", "another key in each trial", lone, group="shapes"),
        _case("no-keys", "rewards without keys", [{}, *each(1.0)], group="shapes"),
        _case("non-ascii-keys", "keys beyond ASCII", [{"é": 1.0}, {"é": 0.5}], group="shapes"),
        _case("nan", "a reward that is NaN", each(1.0, NAN), group="odd"),
        _case("infinite", "infinite rewards", each(INF, 1.0, -INF), group="odd"),
        _case("huge-int", "an int of 401 digits", each(10**400, 1), group="odd"),
        _case(
            "near-overflow", "rewards whose sum is beyond the doubles", each(1.7e308, 1.7e308), group="odd"
        ),
    )


def _case(
    name: str, about: str, *runs: Trials, group: str = "ordinary", compares: str | None = None
) -> ScriptCase:
    return ScriptCase(Case(name, about), runs, group, compares)
