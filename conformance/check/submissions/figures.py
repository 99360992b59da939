"""How scores are written for people."""

from collections.abc import Sequence

from conformance.check.submissions.scores import DENOMINATORS

__all__ = ["figure", "signed", "spread", "under"]


def figure(value: float, fractional: bool) -> str:
    """A score: in percent with one digit where rewards are from 0 to 1, else with six significant digits."""
    return f"{100 * value:.1f} %" if fractional else f"{value:.6g}"


def spread(error: float | None, fractional: bool) -> str:
    """A standard error, with its sign; nothing where there is none."""
    if error is None:
        return ""
    return f"± {100 * error:.1f}" if fractional else f"± {error:.3g}"


def under(denominators: Sequence[str]) -> str:
    """The denominators that give a number, in words."""
    if not denominators:
        return "none of these scores"
    first = DENOMINATORS.get(denominators[0], denominators[0])
    others = f" (and {', '.join(denominators[1:])})" if len(denominators) > 1 else ""
    return first + others


def signed(value: float, fractional: bool) -> str:
    """A difference of two scores: in points of a hundred with one digit, or with six significant digits."""
    return f"{100 * value:+.1f}" if fractional else f"{value:+.6g}"
