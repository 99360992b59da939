"""The situations for a harness-evals metric, as changes to a case that it accepts.

Used by the checker, and by the worker's part in the metric's process.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Fields = dict[str, Any]

COUNTS = ("token_count", "input_tokens", "output_tokens", "retry_count")
AMOUNTS = ("latency_ms", "cost_usd", "confidence", *COUNTS)
"""The typed fields that an operational metric reads."""
LARGE = ("long", "many-words", "many-runs", "equal-runs")
"""Cases that may be slow: they are not repeated with other thresholds."""
_PLURAL = ("messages", "tool_calls", "expected_tools", "expected_tool_calls", "tags", "metadata", "runs")
_OPTIONAL = ("expected", *AMOUNTS, "context", *_PLURAL[:-1])
_ALONE: Fields = dict.fromkeys(("expected", "context", *AMOUNTS, *_PLURAL))
_FAR = "na\u00efve \U0001f469\u200d\U0001f680 \u202e\u0645\u0631\x00"
_OTHER, _EMPTY = {"$": "other"}, {"$": "empty"}
_MODELS = json.loads(Path(__file__).with_name("models.json").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Given:
    """One situation."""

    name: str
    about: str
    changes: Fields
    """The differences to the case that the metric accepts. An object with the member ``$`` stands for a value
    that JSON lacks, or is derived from the value that it replaces."""
    group: str = "ordinary"
    """Who is responsible if the metric fails: ordinary, missing, amounts, judge (one that answers what its
    schema allows), nonsense (one that does not), gone (one that can't be reached) or odd."""
    do: str = "measure"
    """measure, sequence, together, repeat, loop, evaluate, explore or runs."""
    missing: tuple[str, ...] = ()
    """The missing fields, of those that the metric may need."""
    models: dict[str, str] = field(default_factory=dict)
    """How the fake ``llm`` or ``embedding`` behaves."""
    between: Sequence[Fields] = ()
    """The changes of other cases."""


def _runs(*outputs: int) -> Fields:
    """Runs whose outputs are the base's (0), another (1) or others of its kind."""
    return {"runs": {"$": "runs", "outputs": outputs}}


def _rich(at: int, size: int = 12) -> Fields:
    """Values with many parts; the expected value shares some with the output."""
    names = ("output", "expected", "input", "context", "expected_tools")
    return {name: {"$": "rich", "at": at + 3 * place, "size": size} for place, name in enumerate(names)}


def _amounts(value: Any, count: Any) -> Fields:
    return dict.fromkeys(AMOUNTS, value) | dict.fromkeys(COUNTS, count)


def _odd(value: Any) -> Fields:
    return {**_amounts(value, value), **dict.fromkeys(("input", "output", "expected", "context"), value)}


def _made() -> Iterator[Given]:
    wrong = {"output": _OTHER, "latency_ms": 5e4, "confidence": 0.1}
    empty = {**_ALONE, "input": "", "output": ""}
    kinds = {"object": {"a": [1]}, "list": ["Paris"], "text": "C++ (neither a number, nor a date: nor {JSON"}
    yield Given("full", "a case with every field", {})
    yield Given("equal", "an output that equals the expectation", {"output": {"$": "equal"}})
    yield Given("words", "a word for output and expectation", {"output": "Paris", "expected": "Paris"}, "odd")
    yield Given("wrong", "another output than expected", wrong)
    yield Given("empty", "empty input and output, and nothing else", empty)
    yield Given("unicode", "text far beyond ASCII", {"output": _FAR})
    yield Given("long", "an output of 200,000 characters", {"output": "Paris " * 33_334})
    yield Given("many-words", "an output of 200 parts, and as many expected", _rich(0, 200))
    for at in range(1, 7):
        yield Given(f"many-parts-{at}", "texts and lists with a dozen parts", _rich(at))
    for name, about in (("cased", "letter case"), ("spaced", "white space")):
        yield Given(f"{name}-output", f"an output that differs in {about} alone", {"output": {"$": name}})
    yield Given("dated-output", "today's date in the output", {"output": {"$": "today"}})
    yield Given("empty-output", "an empty output", {"output": ""})
    yield Given("blank-output", "an output of white space", {"output": " \n"})
    yield Given("empty-expected", "an empty expectation", {"expected": _EMPTY})
    for kind, value in kinds.items():
        article = "an" if kind == "object" else "a"
        yield Given(f"{kind}-output", f"{article} {kind} for output", {"output": value})
        yield Given(f"{kind}-expected", f"{article} {kind} for the expectation", {"expected": value}, "odd")
        yield Given(f"{kind}-input", f"{article} {kind} for input", {"input": value}, "odd")
    yield Given("zero-amounts", "a latency, counts and a cost of 0", _amounts(0.0, 0))
    yield Given("large-amounts", "a latency, counts and a cost of 10**9", _amounts(1e9, 10**9))
    yield Given("one-run", "a single run", _runs(0))
    yield Given("many-runs", "twenty runs that differ", _runs(*range(20)))
    yield Given("equal-runs", "twenty runs that are equal", _runs(*[0] * 20))
    yield Given("nothing-else", "only input and output", _ALONE, "missing", missing=("expected", *AMOUNTS))
    for name in _OPTIONAL:
        needed = (name,) if name in ("expected", "context", *AMOUNTS) else ()
        yield Given(f"without-{name}", f"{name} missing", {name: None}, "missing", missing=needed)
    none = {"output": "None", "expected": None}
    yield Given("none-word", "the output None, and no expectation", none, "missing", missing=("expected",))
    yield Given("no-runs", "no runs", {"runs": []}, "missing")
    nans = dict.fromkeys(AMOUNTS[:3], float("nan"))
    yield Given("negative-amounts", "a negative latency, counts and cost", _amounts(-50.0, -1), "amounts")
    yield Given("nan-amounts", "a latency, cost and confidence of NaN", nans, "amounts")
    single: list[Fields] = [
        {name: _OTHER} for name in ("output", "expected", "input", "context", "metadata", "tags")
    ]
    others: list[Fields] = [*single, wrong, empty, _ALONE, _rich(1)]
    growing = [_runs(0), _runs(0, 0), _runs(0, 0, 1), _runs(0, 0, 1, 0)]
    yield Given("after-others", "measured again after other cases", {}, do="sequence", between=others)
    yield Given("growing-runs", "measured again while runs arrive", {}, do="sequence", between=growing)
    yield Given("together", "measured while others are measured", {}, do="together", between=others)
    yield Given("repeated", "measured 20 times", {}, do="repeat")
    yield Given("varied", "every field varied, and the keys that it looks up", {}, do="explore")
    yield Given("later-runs", "the last of five runs varied, and those beyond the hundredth", {}, do="runs")
    yield Given("running-loop", "measured while an event loop runs", {}, do="loop")
    yield Given("evaluated", "evaluated by the package", {}, do="evaluate")
    yield Given("evaluated-empty", "an empty case, evaluated by the package", empty, do="evaluate")
    for name, (group, about) in _MODELS.items():
        model, _, mode = name.partition("-")
        yield Given(name, about, {}, group, models={model: mode})
    numbers = {**_odd(5), **_amounts("fast", "many")}
    yield Given("numbers", "numbers where text is expected, and the reverse", numbers, "odd")
    yield Given("nones", "null for input and output", {"input": None, "output": None}, "odd")
    yield Given("bytes", "bytes that are no text", _odd({"$": "bytes"}), "odd")
    yield Given("objects-of-no-kind", "objects of unknown types", _odd({"$": "object"}), "odd")


CASES = {made.name: made for made in _made()}
"""By name."""
