"""An explanation for people, in lines, and for programs, as the schema `check-explanation` has it."""

from collections.abc import Iterator
from typing import Any

from conformance import __version__
from conformance.check.explaining.shape import Explanation, Share, Step
from conformance.suite.schemas import urn
from conformance.wire.text import encodable, printable, shortened

__all__ = ["SCHEMA", "as_json", "lines"]

SCHEMA = urn("check-explanation")
_INDENT = "    "
_SHARES, _NAMED = 12, 3
_LONGEST = 1000


def lines(explanation: Explanation) -> Iterator[str]:
    """For people: long lists are cut."""
    finding = explanation.finding
    name = "" if explanation.name is None else f" [{explanation.name}]"
    yield (
        _text(f"{explanation.job}: {explanation.file or 'the directory'} {explanation.path}".rstrip()) + name
    )
    if finding is not None:
        yield f"{_INDENT}{finding.severity}: {finding.kind}"
        yield f"{_INDENT}found {_text(finding.found)}"
        yield f"{_INDENT}expected {_text(finding.expected)}"
        if finding.likely is not None:
            yield f"{_INDENT}likely: {_text(finding.likely)}"
    else:
        yield f"{_INDENT}no finding is about this place"
    if explanation.clause is not None:
        yield f"{_INDENT}rule {explanation.clause}: {_text(explanation.rule or '')}"
    yield ""
    for step in explanation.steps:
        yield _text(step.says)
        width = max((len(f"{share.count:,}") for share in step.shares[:_SHARES]), default=0)
        for share in step.shares[:_SHARES]:
            yield f"{_INDENT}{share.count:>{width},}  {_text(share.what)}{_names(share)}"
        rest = len(step.shares) - _SHARES + step.left_out if len(step.shares) > _SHARES else step.left_out
        if rest:
            yield f"{_INDENT}… {rest:,} more"
    if explanation.result is not None:
        yield f"due: {explanation.result}"


def _names(share: Share) -> str:
    if not share.named:
        return ""
    shown = share.named if share.count <= _NAMED + 1 else share.named[:_NAMED]
    rest = share.count - len(shown)
    more = f", … {rest:,} more" if rest else ""
    return f": {', '.join(_text(name) for name in shown)}{more}"


def _text(text: str) -> str:
    return printable(shortened(text, _LONGEST))


def as_json(explanation: Explanation) -> dict[str, Any]:
    """For programs; of long lists the beginning."""
    finding = explanation.finding
    return {
        "schema": SCHEMA,
        "kit_version": __version__,
        "job": encodable(explanation.job),
        "id": explanation.name,
        "kind": None if finding is None else finding.kind,
        "severity": None if finding is None else str(finding.severity),
        "file": encodable(explanation.file),
        "path": encodable(explanation.path),
        "found": None if finding is None else encodable(finding.found),
        "expected": None if finding is None else encodable(finding.expected),
        "clause": explanation.clause,
        "rule": explanation.rule,
        "likely": None if finding is None or finding.likely is None else encodable(finding.likely),
        "steps": [_step(step) for step in explanation.steps],
        "result": explanation.result,
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "says": encodable(step.says),
        "shares": [
            {"what": encodable(share.what), "count": share.count, "trials": list(map(encodable, share.named))}
            for share in step.shares
        ],
        "left_out": step.left_out,
    }
