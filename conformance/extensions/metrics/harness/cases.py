"""The situations for a harness-evals metric, as changes to a case that it accepts.

Used by the checker, and by the worker's part in the metric's process. The file ``cases.json`` has them. Each
is an object with these members; all but ``about`` may be omitted:

- ``changes``: the differences to the case that the metric accepts. An object with the member ``$`` means
  a value that JSON lacks, or is derived from the value that it replaces;
- ``group``: who is responsible if the metric fails: ordinary, missing, amounts, judge (one that answers what
  its schema allows), nonsense (one that does not), gone (one that can't be reached) or odd;
- ``do``: measure, sequence, together, repeat, loop, explore or runs;
- ``missing``: the missing fields, of those that the metric may need;
- ``models``: how the fake ``llm`` or ``embedding`` behaves;
- ``between``: the changes of other cases.
"""

import json
from pathlib import Path
from typing import Any

Fields = dict[str, Any]

COUNTS = ("token_count", "input_tokens", "output_tokens", "retry_count")
AMOUNTS = ("latency_ms", "cost_usd", "confidence", *COUNTS)
"""The typed fields that an operational metric reads."""
LARGE = ("long", "many-words", "many-runs", "equal-runs")
"""Cases that may be slow: they are not repeated with other thresholds."""
_LISTS = ("messages", "tool_calls", "expected_tools", "expected_tool_calls", "tags", "metadata", "runs")
_NAMED = {
    "amounts": AMOUNTS,
    "counts": COUNTS,
    "texts": ("input", "output", "expected", "context"),
    "rest": ("expected", "context", *AMOUNTS, *_LISTS),
}
"""Names of several fields, which a change gives the same value."""
_RICH = ("output", "expected", "input", "context", "expected_tools")


def _spread(changes: Fields) -> Fields:
    """Changes of fields; ``rich`` is for values with many parts; the expected value shares some of them."""
    found: Fields = {}
    for name, value in changes.items():
        if name == "rich":
            at, size = value
            found |= {one: {"$": "rich", "at": at + 3 * n, "size": size} for n, one in enumerate(_RICH)}
        else:
            found |= dict.fromkeys(_NAMED.get(name, (name,)), value)
    return found


def _given(name: str, row: Fields) -> Fields:
    missing = [field for named in row.pop("missing", ()) for field in _NAMED.get(named, (named,))]
    lists = {"between": list(map(_spread, row.pop("between", ()))), "missing": missing}
    changes = _spread(row.pop("changes", {}))
    usual = {"name": name, "group": "ordinary", "do": "measure", "models": {}}
    return {**usual, "changes": changes, **lists, **row}


_ROWS = json.loads(Path(__file__).with_name("cases.json").read_text("utf-8"))
CASES = {name: _given(name, row) for name, row in _ROWS.items()}
"""By name."""
