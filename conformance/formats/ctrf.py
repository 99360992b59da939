"""Renders a page as CTRF, the Common Test Report Format (https://ctrf.io), which CI viewers read."""

import re
from collections import Counter
from datetime import datetime
from typing import Any

from conformance import __version__
from conformance.formats.junit import with_verdict
from conformance.pages.model import Item, Page, Tone
from conformance.wire.text import cut, encodable, harmless
from conformance.wire.writing import dumps

__all__ = ["SPEC_VERSION", "as_ctrf"]

SPEC_VERSION = "0.0.0"
"""The version of the format; there is only one."""
_STATUSES = {
    Tone.GOOD: "passed",
    Tone.BAD: "failed",
    Tone.KNOWN: "other",
    Tone.WARN: "skipped",
    Tone.QUIET: "skipped",
}
_LONGEST = 6_000


def as_ctrf(page: Page) -> str:
    """Return a document with a test for each item, whose raw status is the kit's outcome."""
    items = with_verdict(page)
    counts = Counter(_STATUSES[item.tone] for item in items)
    start = _milliseconds(page.started_at) if page.started_at else 0
    summary = {name: counts[name] for name in ("passed", "failed", "skipped", "pending", "other")}
    document = {
        "reportFormat": "CTRF",
        "specVersion": SPEC_VERSION,
        "generatedBy": f"harbor-conformance {__version__}",
        "results": {
            "tool": {"name": "harbor-conformance", "version": __version__},
            "summary": {
                "tests": len(items),
                **summary,
                "start": start,
                "stop": start + round(page.seconds * 1000),
            },
            "tests": [_test(item) for item in items],
        },
    }
    return harmless(dumps(document))


def _milliseconds(moment: str) -> int:
    """Return milliseconds since 1970 for an RFC 3339 time; Python 3.10 parses only some forms."""
    spelled = re.sub(r"\.([0-9]+)", lambda match: f".{match[1]:0<6.6}", re.sub("[Zz]$", "+00:00", moment))
    return round(datetime.fromisoformat(spelled).timestamp() * 1000)


def _test(item: Item) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": encodable(cut(item.key, 400)) or "(no name)",
        "status": _STATUSES[item.tone],
        "duration": round(max(0.0, item.seconds) * 1000),
        "rawStatus": encodable(item.outcome),
        "suite": [encodable(item.group)],
    }
    if item.tone is Tone.GOOD:
        return test
    test["message"] = encodable(cut(item.detail or item.outcome, 1_000))
    texts = {**item.texts, "repeat": item.repeat} if item.wrong else {}
    stderr = texts.pop("stderr", "")
    if trace := "\n".join(f"{name}: {text}" for name, text in texts.items() if text):
        test["trace"] = encodable(cut(trace, _LONGEST))
    return {**test, "stderr": encodable(cut(stderr, _LONGEST)).splitlines()} if stderr else test
