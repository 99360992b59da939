"""The text for a property that does not hold: the requests, the violation, and how to repeat it."""

from collections.abc import Callable

from conformance.judging.verdict import Verdict
from conformance.outcomes.failure_text import with_likely
from conformance.properties.asking import Exchange
from conformance.properties.disagreeing import Disagreements
from conformance.properties.trying import Failure
from conformance.wire.messages import Ok, Refused, Unsupported
from conformance.wire.text import compact, printable

__all__ = ["property_text"]

_MOST = 1000
"""The most characters shown of an input or an answer."""
_MOST_REQUESTS = 6
_MOST_DISAGREEMENTS = 2


def property_text(
    verdict: Verdict,
    failure: Failure,
    found: Disagreements,
    *,
    tried: int,
    clause: str,
    repeat: str,
    request_text: Callable[[Verdict], str],
) -> str:
    """The text for a property that does not hold.

    ``clause`` is the statement of its clause; ``request_text`` describes one request like a failing vector.
    """
    vector = verdict.vector
    lines = [
        f"{verdict.outcome}: {vector.id}",
        f"rule:     {printable(vector.rule)}",
        f"clause:   {printable(vector.clause)}: {clause}".rstrip(": "),
        f"why:      {verdict.sentence}",
        f"found:    after {tried} input{'s' if tried != 1 else ''}, then shrunk",
    ]
    direct = len(failure.exchanges) == 1 and len(found.verdicts) == 1
    if not direct:  # otherwise the single request is shown below
        for number, exchange in enumerate(failure.exchanges[:_MOST_REQUESTS], start=1):
            lines += _exchange(number, exchange)
        more = len(failure.exchanges) - _MOST_REQUESTS
        if more > 0:
            lines.append(f"          and {more} more requests")
    if found.problem:
        lines.append(f"problem:  {found.problem}")
    lines.append(f"repeat:   {repeat}")
    count = len(found.verdicts)
    if not count and any(isinstance(exchange.reply.answer, Ok | Refused) for exchange in failure.exchanges):
        lines.append(
            "note:     the runner answers each of these requests as the reference does, so the property "
            "itself is wrong, not the runner: please report it"
        )
    for index, (one, likely) in enumerate(zip(found.verdicts, found.likely, strict=True)):
        if index == _MOST_DISAGREEMENTS:
            lines += ["", f"and {count - index} more requests on which the runner differs from the reference"]
            break
        text = request_text(one)
        lines += ["", with_likely(text, likely) if likely else text]
    return "\n".join(lines)


def _exchange(number: int, exchange: Exchange) -> list[str]:
    match exchange.reply.answer:
        case Ok(value):
            shown = compact(value, _MOST)
        case Refused(error_type, reason_code, _):
            shown = f"error {printable(error_type)}" + (f" ({printable(reason_code)})" if reason_code else "")
        case Unsupported(reason):
            shown = f"unsupported: {printable(reason)}"
        case failed:
            shown = f"{failed.outcome}: {printable(failed.sentence)}"
    return [f"asked {number}:  {exchange.op} {compact(exchange.input, _MOST)}", f"answer:   {shown}"]
