"""What the consumer reads: a job's result.json, and the output of the program that summed it up."""

import json
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.drawing.strategies.files import contents
from conformance.drawing.strategies.numbers import chance, doubles, numbers, small_ints, tenths
from conformance.drawing.strategies.texts import reasons

__all__ = [
    "NOISE",
    "PREFIX",
    "good_results",
    "noise",
    "outputs",
    "payloads",
    "result_texts",
    "results",
    "stdouts",
]

PREFIX = "BASE_BENCHMARK_RESULT="
_COUNTS: tuple[Any, ...] = (
    None,
    "",
    "3",
    " 4 ",
    "٣",
    "3.7",
    3.7,
    True,
    False,
    -1,
    [],
    {},
    0.0,
    1e16,
    2**63,
    "1_0",
)
_ODD: tuple[Any, ...] = (
    None,
    "",
    "0.5",
    " 1 ",
    "x",
    True,
    [],
    {},
    [1],
    {"mean": 1},
    -0.0,
    2**53 + 1,
    10**400,
)
_ENDS = ("\n", "\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029")
_CUTS = ("", "0", "{", "}", ",", '"', "NaN", "\x00", "\ufeff", "1e400")

_counts = st.one_of(small_ints.map(abs), small_ints.map(abs), st.sampled_from(_COUNTS))
_shares = st.integers(0, 10).map(lambda drawn: drawn / 10)


def _value(text: Any) -> Any:
    """A protocol number as Python has it, so that ``json.dumps`` writes it bare."""
    return float(text) if isinstance(text, str) and text in ("NaN", "Infinity", "-Infinity") else text


_samples = st.one_of(tenths, _shares, doubles, numbers.map(_value), st.sampled_from(_ODD))


@st.composite
def results(draw: Any, good: bool = False) -> dict[str, Any]:
    """What a result.json holds; with ``good`` only what the consumer can use, scores from 0 to 1."""
    samples = _shares if good or draw(chance(60)) else _samples
    counts = small_ints.map(abs) if good or draw(chance(60)) else _counts
    names = st.sampled_from(("mean", "mean", "mean", "accuracy", "max", "speed"))
    metric = st.dictionaries(names, samples, min_size=1, max_size=3)
    group = st.fixed_dictionaries({"metrics": st.lists(metric, max_size=3)})
    if not good and draw(chance(10)):
        group = st.one_of(
            group, st.sampled_from((None, [], {}, {"metrics": {}}, {"metrics": "x"}, {"metrics": None}))
        )
    stats = {
        "n_completed_trials": draw(counts),
        "n_errored_trials": draw(counts) if draw(chance(40)) else 0,
        "evals": draw(st.dictionaries(st.sampled_from(("g", "h", "a__d", "")), group, max_size=3)),
    }
    result: dict[str, Any] = {"n_total_trials": draw(counts), "stats": stats}
    if good:
        return result
    odd = draw(st.integers(0, 29))
    part = result if odd % 2 else stats
    if odd < 6:
        part[sorted(part)[odd % len(part)]] = draw(st.sampled_from(_ODD))
    elif odd < 9:
        del part[sorted(part)[odd % len(part)]]
    return result


good_results: SearchStrategy[dict[str, Any]] = results(good=True)
"""Results that the consumer can use: every sample is from 0 to 1."""


@st.composite
def result_texts(draw: Any) -> str:
    """The text of a result.json; a few are no JSON."""
    text = json.dumps(
        draw(results()), ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from((None, 4)))
    )
    if draw(chance(10)):
        place = draw(st.integers(0, 99)) % (len(text) + 1)
        text = text[:place] + draw(st.sampled_from(_CUTS)) + text[place + draw(st.integers(0, 1)) :]
    return text


@st.composite
def _files(draw: Any) -> dict[str, Any]:
    odd = draw(st.integers(0, 39))
    if odd == 39:
        return {"result.json": None}
    return {"result.json": draw(contents(st.just("") if odd == 38 else result_texts()))}


outputs: SearchStrategy[dict[str, Any]] = _files()
"""Inputs of the op ``outcome``."""

_scores: SearchStrategy[Any] = st.one_of(
    _shares,
    st.sampled_from((1.0, 0.0, 0.5, 1, 0, -0.0, True, "1", None, 2, -1, 1.0000000000000002, 5e-324)),
    numbers.map(_value),
)


@st.composite
def payloads(draw: Any) -> dict[str, Any]:
    """What stands behind the prefix of an outcome line, the wrong ones included."""
    odd = draw(st.integers(0, 29))
    payload: dict[str, Any] = {
        "reason_code": draw(st.one_of(st.none(), reasons, st.sampled_from(("", 7, " ", [])))),
        "score": draw(_scores) if draw(chance(50)) else draw(_shares),
        "status": draw(st.sampled_from(("completed", "completed", "failed", "error", None, 1, "Completed"))),
        "total": 1,
    }
    if odd < 4:
        del payload[sorted(payload)[odd]]
    return payload


@st.composite
def _lines(draw: Any) -> str:
    odd = draw(st.integers(0, 19))
    if odd < 3:
        return str(draw(reasons))
    if odd == 3:
        odd_payloads = ("", "null", "[]", "{", "1", '{"score": 1,}', "{} {}", " {}")
        return f"{PREFIX}{draw(st.sampled_from(odd_payloads))}"
    if odd == 4:
        return " " + PREFIX + "{}"
    return PREFIX + json.dumps(draw(payloads()), ensure_ascii=draw(st.booleans()))


NOISE = (
    "",
    "Done.",
    "base_benchmark_result={}",
    " " + PREFIX + "{}",
    "BASE_BENCHMARK_RESULT",
    "{}",
    "é\ufeff",
    "\x00",
)
"""Lines that are no outcome lines."""
noise: SearchStrategy[list[str]] = st.lists(st.sampled_from(NOISE), max_size=3)
"""Several of them."""


@st.composite
def stdouts(draw: Any) -> str:
    """Standard output: lines, some of them outcome lines, with line ends of every kind."""
    ends = st.sampled_from(_ENDS if draw(chance(40)) else ("\n",))
    lines = draw(st.lists(_lines(), max_size=3))
    return "".join([*(line + draw(ends) for line in lines), draw(st.one_of(st.just(""), _lines()))])
