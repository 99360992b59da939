"""Inputs for a harness-evals metric: cases, kinds of values, and values derived from a case.

Used by the checker, and by the worker's part in the metric's process. The file ``cases.json`` has the cases,
as changes to one that the metric accepts. Each is an object with these members; only ``about`` is
required:

- ``changes``: the differences from the accepted case. An object with the member ``$`` stands for a value
  that JSON lacks, or one that is derived from the value that it replaces;
  - ``group``: the likely culprit if the metric fails: ordinary, missing, amounts, judge (its answers satisfy
  the schema), nonsense (they don't), gone (it can't be reached) or odd;
- ``do``: measure, sequence, together, repeat, loop, explore or runs;
- ``missing``: the missing fields that the metric may need;
- ``models``: how the fake ``llm`` or ``embedding`` behaves;
- ``between``: the changes of cases that are measured in between.
"""

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Fields = dict[str, Any]
COUNTS = ("token_count", "input_tokens", "output_tokens", "retry_count")
AMOUNTS = ("latency_ms", "cost_usd", "confidence", *COUNTS)
"""The typed fields that an operational metric reads."""
LARGE = ("long", "many-words", "many-runs", "equal-runs")
"""Cases that may be slow, and are not repeated with other thresholds."""
_LISTS = ("messages", "tool_calls", "expected_tools", "expected_tool_calls", "tags", "metadata", "runs")
_NAMED = {
    "amounts": AMOUNTS,
    "counts": COUNTS,
    "texts": ("input", "output", "expected", "context"),
    "rest": ("expected", "context", *AMOUNTS, *_LISTS),
}
"""Names for several fields that a change sets to the same value."""
_RICH = ("output", "expected", "input", "context", "expected_tools")


def _expand_changes(changes: Fields) -> Fields:
    """Expand changes to single fields; ``rich`` gives several fields values with many parts in common."""
    fields: Fields = {}
    for name, value in changes.items():
        if name == "rich":
            start, size = value
            for n, field in enumerate(_RICH):
                fields[field] = {"$": "rich", "at": start + 3 * n, "size": size}
        else:
            fields |= dict.fromkeys(_NAMED.get(name, (name,)), value)
    return fields


def _case_row(name: str, row: Fields) -> Fields:
    missing = [field for named in row.pop("missing", ()) for field in _NAMED.get(named, (named,))]
    lists = {"between": list(map(_expand_changes, row.pop("between", ()))), "missing": missing}
    changes = _expand_changes(row.pop("changes", {}))
    usual = {"name": name, "group": "ordinary", "do": "measure", "models": {}}
    return {**usual, "changes": changes, **lists, **row}


def _table(name: str) -> dict[str, Any]:
    return dict(json.loads(Path(__file__).with_name(f"{name}.json").read_text("utf-8")))


CASES = {name: _case_row(name, row) for name, row in _table("cases").items()}
_WORDS = (  # noqa: SIM905 - a text is easier to read
    "the river crosses a large old city near some small green hills where many people live and work in "
    "houses of stone wood glass brick under blue skies while boats carry coal grain wine salt"
).split()
FULL = _table("full")
KINDS: dict[str, list[Any]] = _table("kinds")
"""Kinds of texts and values, each with several examples; the user's own come last."""
_VARIATIONS = _table("variations")
"""Further values of each field, except for content and runs."""
_FILLINGS: list[Any] = _VARIATIONS["fillings"]
BAD_RUN: Fields = _VARIATIONS["bad run"]
_PAIRS = ("output", "expected"), ("expected",), ("output",), ("input", "output", "expected"), ("input",)
CONTENT = ("input", "output", "expected")
base: Fields = {}
like: list[Fields] = []
named: list[str] = []
"""Texts in the metric's code and arguments, which it may look for."""


def example(pattern: str) -> str:
    """Return a text that matches a simple regular expression; other texts hardly change."""
    text = re.sub(r"\\([dws])[+*?]?", lambda match: {"d": "7", "w": "a", "s": " "}[match[1]], pattern)
    return re.sub(r"\\(.)", r"\1", text)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _examples(name: str, value: Any) -> list[Any]:
    """Return other values of the same kind for a field, from the data set or of a known kind."""
    of_the_set = [case[name] for case in like if type(case.get(name)) is type(value)]
    kinds = [kind for kind in reversed(KINDS.values()) if any(_same(value, item) for item in kind)]
    return [item for item in of_the_set or (kinds or [[]])[0] if not _same(item, value)]


def _same(first: Any, second: Any) -> bool:
    return type(first) is type(second) and bool(first == second)


def _examples_of_a_format(name: str, value: Any) -> list[Any]:
    return [] if value in KINDS["words"] + KINDS["sentences"] else _examples(name, value)


def varied(name: str, value: Any) -> Any:
    """Return another value of the same kind."""
    if examples := _examples(name, value):
        return examples[0]
    if isinstance(value, (bool, int, float)):
        return not value if isinstance(value, bool) else value * 3 + 1
    return _within(value, "Lyon", lambda held, _: varied(name, held))


def rich(name: str, value: Any, at: int, size: int = 12) -> Any:
    """Return a value of the same kind with many parts, whose order may matter."""
    if examples := _examples_of_a_format(name, value):
        return [value, *examples][at % (len(examples) + 1)]
    if isinstance(value, (bool, int, float)):
        return bool(at % 2) if isinstance(value, bool) else value + at
    chosen = random.Random(at)  # noqa: S311 - the same words each time
    words = chosen.sample(_WORDS, size) if size <= len(_WORDS) else [f"w{at + i}" for i in range(size)]
    if isinstance(value, list):
        simple = all(isinstance(held, str) for held in value)
        return words if simple else [rich(name, held, at + index) for index, held in enumerate(value * 3)]
    return _within(value, " ".join(words), lambda held, index: rich(name, held, at + index, size))


def empty(name: str, value: Any) -> Any:
    """Return an empty value of the same kind."""
    if isinstance(value, str) and (held := _parsed(value)) is not None:
        return json.dumps(empty(name, held))
    if isinstance(value, str) and (examples := _examples_of_a_format(name, value)):
        return examples[0]  # no text of this format is empty
    return None if value is None else type(value)()


def _within(value: Any, text: str, make: Callable[[Any, int], Any]) -> Any:
    """Replace everything in a value, also in JSON texts; plain texts become ``text``."""
    if isinstance(value, str):
        return text if (held := _parsed(value)) is None else json.dumps(make(held, 0))
    if isinstance(value, dict):
        return {key: make(held, index) for index, (key, held) in enumerate(value.items())}
    return [make(held, index) for index, held in enumerate(value)] if isinstance(value, list) else value


def _cased(*_: Any) -> Any:
    """Return the expected value with upper and lower case swapped, unless that would break its format."""
    expected: Any = base.get("expected")
    plain = isinstance(expected, str) and not _examples_of_a_format("expected", expected)
    return expected.swapcase() if plain else expected


_DERIVED: dict[Any, Callable[..., Any]] = {
    "other": varied,
    "rich": rich,
    "empty": empty,
    "cased": _cased,
    "repeated": lambda *_, text, times: text * times,
    "equal": lambda *_: base.get("expected"),
}


def resolved(changes: Fields, start: Fields | None = None) -> Fields:
    """Apply changes to the base; objects with the member ``$`` become derived values."""
    start = base if start is None else start

    def value(name: str, change: Any) -> Any:
        make = _DERIVED.get(change.get("$")) if isinstance(change, dict) else None
        if make is None:
            return change
        return make(name, start.get(name), **{key: held for key, held in change.items() if key != "$"})

    fields = {name: value(name, change) for name, change in {**start, **changes}.items()}
    runs = fields.get("runs")
    if isinstance(runs, dict):
        run = {name: start.get(name) for name in ("input", "output", "expected", "latency_ms")}
        outputs = {number: rich("output", run["output"], number) for number in set(runs["outputs"])}
        outputs |= {0: run["output"], 1: varied("output", run["output"])}
        fields["runs"] = [{**run, "output": outputs[number]} for number in runs["outputs"]]
    return fields


def candidates() -> Iterator[tuple[str, str, Fields]]:
    """Yield candidates for the base: the kind of values, the fields that have them, and the case."""
    if like:
        yield from (("the data set", f"line {number}", case) for number, case in enumerate(like, 1))
        return
    values = KINDS.get("the values given")
    if values is None:
        yield "words", "input, output and expected", FULL
    of_those = {f"value {number} of those given": [value] for number, value in enumerate(values or (), 1)}
    for names in _PAIRS[: 2 if values else None]:
        for kind, examples in (of_those or KINDS).items():
            yield kind, " and ".join(names), {**FULL, **dict.fromkeys(names, examples[0])}


def named_keys(value: Any) -> Fields:
    """Return an object with a value under each text in the metric's code, which may be a key."""
    return dict.fromkeys(named, value)


def variations(name: str) -> list[Any]:
    """Return other values of a field."""
    if name in CONTENT:
        texts = ["", "None", *_VARIATIONS["texts"], *([None] if name == "expected" else [])]
        return [{"$": "other"}, *({"$": "rich", "at": i} for i in (1, 2)), *texts, *named, " ".join(named)]
    if name == "runs":
        run = {field: base.get(field) for field in CONTENT}
        usual, bad = {**run, "latency_ms": 40.0}, {**run, **BAD_RUN}
        counted = [{**bad, **more} for more in _VARIATIONS["counted"]]
        describe_difference = {"$": "runs", "outputs": range(6)}
        return [None, [bad], [bad] * 2, [usual, bad], describe_difference, [counted[0]] * 3, counted]
    if name in ("metadata", "tags"):
        held = base.get(name) or {}
        return [*_VARIATIONS[name], *({**held, **named_keys(value)} for value in (*_FILLINGS, *named))]
    of_the_metric: Fields = {
        "context": named,
        "expected_tools": named,
        "tool_calls": [{"name": text, "arguments": {}} for text in named],
        "messages": [{"role": "assistant", "content": " ".join(named)}],
    }
    return [*_VARIATIONS.get(name, ()), *([of_the_metric[name]] if name in of_the_metric else [])]


def near(fields: Fields, *, respelled: bool) -> list[Fields]:
    """Return similar cases: most fields are equal, or the outputs have the same length or start."""
    groups = [("output",), ("expected",), ("input", "context", "metadata")]
    cases = [{**fields, **{name: varied(name, fields.get(name)) for name in names}} for names in groups]
    kept = {name: held for name, held in fields.items() if name not in (*sum(groups, ()), "runs")}
    more = {name: held * 2 if isinstance(held, list) else varied(name, held) for name, held in kept.items()}
    whole = resolved(FULL)
    swapped = {name: None if held else whole[name] for name, held in kept.items()}
    cases += [{**fields, **more}, {**fields, **swapped}]
    if respelled and isinstance(text := fields.get("output"), str) and text:
        cases += [{**fields, "output": new} for new in (text[::-1], f"{text} and more", text.swapcase())]
    return cases
