"""The situations that a harness-evals metric is put into."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.metric.findings import Case

__all__ = ["AMOUNTS", "HARNESS_CASES", "HarnessCase"]

Fields = dict[str, Any]

AMOUNTS = (
    "latency_ms",
    "token_count",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "retry_count",
    "confidence",
)
"""The typed fields that an operational metric reads."""
_FAR = "na\u00efve \U0001f469\u200d\U0001f680 \u202e\u0645\u0631\x00"
_CALL = {"name": "search", "arguments": {"q": "capital of France"}}
_MINIMAL: Fields = {"input": "What is the capital of France?", "output": "Paris"}
_RUN: Fields = {**_MINIMAL, "expected": "Paris", "latency_ms": 40.0}
FULL: Fields = {
    **_MINIMAL,
    "expected": "Paris",
    "context": ["Paris is the capital of France."],
    "latency_ms": 50.0,
    "token_count": 30,
    "input_tokens": 20,
    "output_tokens": 10,
    "cost_usd": 0.001,
    "retry_count": 0,
    "confidence": 0.9,
    "messages": [{"role": "user", "content": "Capital?"}, {"role": "assistant", "content": "Paris"}],
    "tool_calls": [_CALL],
    "expected_tools": ["search"],
    "expected_tool_calls": [_CALL],
    "tags": {"kind": "geography"},
    "metadata": {"turn": 1},
    "runs": [_RUN, _RUN, {**_RUN, "output": "Lyon"}],
}


@dataclass(frozen=True, slots=True)
class HarnessCase:
    """One situation."""

    case: Case
    fields: Fields
    """The case's fields; what JSON lacks is an object with the member ``$``."""
    group: str = "ordinary"
    """Whose trouble it is if the metric fails: ordinary, missing, amounts, judge (one that answers what its
    schema allows), nonsense (one that does not), gone (one that can't be reached) or odd."""
    do: str = "measure"
    """measure, sequence, repeat, loop, evaluate, explore or runs."""
    missing: tuple[str, ...] = ()
    """The fields that are not there, of those that the metric may need."""
    models: dict[str, str] = field(default_factory=dict)
    """How the fake ``llm`` or ``embedding`` behaves."""
    between: Sequence[Fields] = ()


def _with(**changed: Any) -> Fields:
    return {**FULL, **changed}


def _texts(value: Any) -> Fields:
    return _with(input=value, output=value, expected=value)


def _amounts(value: Any, count: Any) -> Fields:
    counts = dict.fromkeys(("token_count", "input_tokens", "output_tokens", "retry_count"), count)
    return _with(latency_ms=value, cost_usd=value, confidence=value, **counts)


def _odd(value: Any) -> Fields:
    return {**_amounts(value, value), "output": value, "expected": value, "input": value, "context": value}


def _case(name: str, about: str, fields: Fields, group: str = "ordinary", **more: Any) -> HarnessCase:
    return HarnessCase(Case(name, about), fields, group, **more)


def _made() -> Sequence[HarnessCase]:
    nans = _with(**dict.fromkeys(("latency_ms", "cost_usd", "confidence"), float("nan")))
    none = _with(output="None", expected=None)
    numbers = {**_odd(5), **_amounts("fast", "many")}
    other = _with(output="Lyon", latency_ms=5e4, confidence=0.1)
    empty = {"input": "", "output": ""}
    others = (other, empty, _MINIMAL)
    runs = [{**_RUN, "output": f"answer {number}"} for number in range(20)]
    words = " ".join(f"w{number}" for number in range(200))
    growing = [_with(runs=FULL["runs"][:count]) for count in (1, 2, 3)]
    growing.append(_with(runs=[*FULL["runs"], _RUN]))
    groups = {"list": "odd", "raises": "gone", "high": "judge", "zero": "judge", "opposite": "judge"}
    return (
        _case("full", "a case with every field", FULL),
        _case("wrong", "another output than expected", other),
        _case("empty", "empty input and output, and nothing else", empty),
        _case("unicode", "text far beyond ASCII", _with(output=_FAR, expected="\u00e9")),
        _case("long", "an output of 200,000 characters", _with(output="Paris " * 33_334)),
        _case(
            "many-words",
            "an output of 200 words, and as many expected",
            _with(output=words, expected=f"{words} more"),
        ),
        _case("empty-expected", 'the expectation ""', _with(expected="")),
        _case("objects", "objects for input, output and expectation", _texts({"a": [1]})),
        _case("lists", "lists for input, output and expectation", _texts(["Paris"])),
        _case("zero-amounts", "a latency, counts and a cost of 0", _amounts(0.0, 0)),
        _case("large-amounts", "a latency, counts and a cost of 10**9", _amounts(1e9, 10**9)),
        _case("one-run", "a single run", _with(runs=[_RUN])),
        _case("many-runs", "twenty runs that differ", _with(runs=runs)),
        _case("equal-runs", "twenty runs that are equal", _with(runs=[_RUN] * 20)),
        _case("nothing-else", "only input and output", _MINIMAL, "missing", missing=("expected", *AMOUNTS)),
        *(
            _case(f"without-{name}", f"{name} missing", _with(**{name: None}), "missing", missing=(name,))
            for name in ("expected", *AMOUNTS)
        ),
        _case("none-word", "the output None, and no expectation", none, "missing", missing=("expected",)),
        _case("no-runs", "no runs", _with(runs=[]), "missing"),
        _case("negative-amounts", "a negative latency, counts and cost", _amounts(-50.0, -1), "amounts"),
        _case("nan-amounts", "a latency, cost and confidence of NaN", nans, "amounts"),
        _case("after-others", "measured again after other cases", FULL, do="sequence", between=others),
        _case("growing-runs", "measured again while runs come in", FULL, do="sequence", between=growing),
        _case("repeated", "measured 20 times", FULL, do="repeat"),
        _case("varied", "every field varied, and the keys that it looks up", FULL, do="explore"),
        _case("later-runs", "the last of five runs varied, and those beyond the hundredth", FULL, do="runs"),
        _case("running-loop", "measured while an event loop runs", FULL, do="loop"),
        _case("evaluated", "evaluated by the package", FULL, do="evaluate"),
        _case("evaluated-empty", "an empty case, evaluated by the package", empty, do="evaluate"),
        *(
            _case(f"{model}-{mode}", about, FULL, groups.get(mode, "nonsense"), models={model: mode})
            for model, mode, about in (
                ("llm", "null", "a judge that answers null"),
                ("llm", "text", "a judge that answers a word for a number"),
                ("llm", "empty", "a judge that answers nothing"),
                ("llm", "high", "a judge that answers 7"),
                ("llm", "nan", "a judge that answers NaN"),
                ("llm", "raises", "a judge that can't be reached"),
                ("llm", "list", "a judge that answers a list"),
                ("embedding", "zero", "vectors of zeros"),
                ("embedding", "opposite", "opposite vectors"),
                ("embedding", "nan", "vectors of NaN"),
                ("embedding", "raises", "an embedding that can't be reached"),
            )
        ),
        _case("numbers", "numbers where text is due, and the reverse", numbers, "odd"),
        _case("nones", "null for input and output", _with(input=None, output=None), "odd"),
        _case("bytes", "bytes that are no text", _odd({"$": "bytes"}), "odd"),
        _case("objects-of-no-kind", "objects that nobody knows", _odd({"$": "object"}), "odd"),
        _case("hostile", "objects that raise when they are shown or compared", _odd({"$": "raising"}), "odd"),
    )  # fmt: skip


HARNESS_CASES = {made.case.name: made for made in _made()}
"""By name."""
