"""What a harness-evals metric reads, and whether it matters: fields and keys are noted and varied.

For the worker's part harness_part, which is ``hands`` here.
"""

import contextlib
import json
import time
from collections.abc import Iterator
from typing import Any

hands: Any = None
"""The worker's part."""
read: set[str] = set()
"""The fields that a metric looked at."""
keys: set[tuple[str, str]] = set()
"""The keys that it looked up, with the field they belong to; ``json`` for what it parsed itself."""
BULK = 14
"""Whoever reads so many fields reads all, and needs none of them."""
MOST_SECONDS = 4.0
ROUNDS = 3

_OTHER_RUN = {
    "input": "q",
    "output": "Rome",
    "expected": "Paris",
    "latency_ms": 900.0,
    "cost_usd": 2.0,
    "confidence": 0.2,
}
_CALLS = [{"name": "search", "arguments": {"q": "Paris"}}, {"name": "other", "arguments": {}}]
_WHOLE_RUN = {
    **_OTHER_RUN,
    "token_count": 10,
    "input_tokens": 6,
    "output_tokens": 4,
    "retry_count": 0,
    "tool_calls": _CALLS,
}
_WHOLE_RUNS = (
    [_WHOLE_RUN] * 3,
    [_WHOLE_RUN, {**_WHOLE_RUN, "token_count": 90, "retry_count": 3, "tool_calls": _CALLS[1:]}],
)
_TEXTS = (
    "Lyon",
    "",
    "None",
    "Paris is the capital of France, with 2 million people.",
    "[1, 2, 3]",
    "42",
    '"Paris"',
)
_RUNS = ([{**_OTHER_RUN, "output": f"{at}"} for at in range(6)], *_WHOLE_RUNS)
_ANSWER = {"role": "assistant", "content": "Paris", "retrieval_context": ["Paris"], "expected": "Paris"}
_TURN, _SLOW_TURN = (
    [
        {"role": "user", "content": "Capital?"},
        {**_ANSWER, "latency_ms": amount, "token_count": int(amount), "cost_usd": amount},
    ]
    for amount in (5.0, 1e7)
)
_AMOUNTS: tuple[Any, ...] = (0, 1, 7.5, 1e9)
VARIATIONS: dict[str, tuple[Any, ...]] = {
    "output": (*_TEXTS, {"answer": "Paris"}, ["Paris"], '{"answer": "Paris"}', "write to a@b.example"),
    "expected": (*_TEXTS, {"answer": "Paris"}, ["Paris"], '{"answer": "Paris"}', None),
    "input": ("What is 2 + 2?", "", {"question": "Capital?"}, '{"question": "Capital?"}'),
    "context": (None, [], ["Lyon is a city."], ["Paris", "Paris is the capital of France."]),
    **dict.fromkeys(("latency_ms", "cost_usd"), (*_AMOUNTS, None)),
    **dict.fromkeys(("token_count", "input_tokens", "output_tokens", "retry_count"), (0, 1, 60, 10**9, None)),
    "confidence": (0.0, 0.1, 1.0, None),
    "messages": (None, [], [{"role": "user", "content": "Hi?"}], _TURN, _SLOW_TURN),
    "tool_calls": (None, [], [{"name": "other", "arguments": {}}]),
    "expected_tools": (None, [], ["other"], ["search", "other"]),
    "expected_tool_calls": (None, [], [{"name": "other", "arguments": {}}]),
    "tags": (None, {"kind": "sport"}),
    "metadata": (None, {"turn": 9}),
    "runs": (None, [_OTHER_RUN], [_OTHER_RUN] * 2, *_RUNS),
}  # fmt: skip
"""Other values of each field, than those of the case with every field."""
FILLINGS: tuple[Any, ...] = (
    0,
    1,
    0.5,
    1e6,
    "Paris",
    "",
    True,
    False,
    ["Paris"],
    [],
    [True, False],
    {"a": 1},
    [0.1, 0.9],
)
"""What is put under a key that no case has."""


def watched(fields: dict[str, Any]) -> Any:
    """A case that notes which of its fields and keys are read."""
    from harness_evals import EvalCase

    names = set(EvalCase.__dataclass_fields__)

    class Watched(EvalCase):  # type: ignore[misc]
        def __getattribute__(self, name: str) -> Any:
            if name in names:
                read.add(name)
            return super().__getattribute__(name)

    made = hands.eval_case(fields, Watched)
    for name in ("metadata", "tags", "output", "expected", "input"):
        if type(getattr(made, name)) is dict:
            setattr(made, name, noting(getattr(made, name), name))
    read.clear()
    return made


def noting(given: dict[Any, Any], where: str) -> Any:
    """A dict that notes the keys that are looked up."""

    class Noting(dict):  # type: ignore[type-arg]
        def __getitem__(self, key: Any) -> Any:
            _note(where, key)
            return super().__getitem__(key)

        def get(self, key: Any, default: Any = None) -> Any:
            _note(where, key)
            return super().get(key, default)

        def __contains__(self, key: Any) -> bool:
            if where not in ("output", "expected", "input"):  # where it may be a word in a text
                _note(where, key)
            return super().__contains__(key)

    return Noting(given)


def _note(where: str, key: Any) -> None:
    if isinstance(key, str):
        keys.add((where, key))


@contextlib.contextmanager
def noting_json() -> Iterator[None]:
    """Notes the keys of what is parsed from a text, too."""
    real = json.loads

    def loads(*args: Any, **options: Any) -> Any:
        found = real(*args, **options)
        return noting(found, "json") if type(found) is dict else found

    json.loads = loads
    try:
        yield
    finally:
        json.loads = real


def explore(metric: type, request: dict[str, Any]) -> dict[str, Any]:
    """Which fields and keys a metric reads, which of them change its answer, and what it ever answers."""
    full = request["full"]
    asked = hands.fakes.asked()
    until = time.monotonic() + MOST_SECONDS
    fields: set[str] = set()
    seen: dict[str, dict[str, Any]] = {}

    def measured(**changed: Any) -> str:
        outcome = hands.observed(lambda: hands.make(metric, request).measure(watched({**full, **changed})))
        fields.update(read)
        text = spelled(outcome)
        seen.setdefault(text, outcome)
        return text

    keys.clear()
    with noting_json():
        base = measured()
        matters: set[str] = set()
        tried: set[str] = set()
        while (waiting := sorted(fields - tried)) and time.monotonic() < until:
            for name in waiting:
                tried.add(name)
                for value in VARIATIONS.get(name, ()):
                    if measured(**{name: value}) != base:
                        matters.add(name)
        for text in (*_TEXTS, {"answer": "Paris"}, '{"answer": "Paris"}'):
            measured(output=text, expected=text)
        unknown: set[tuple[str, str]] = set()
        changes = False
        for _ in range(ROUNDS):
            found = {(where, key) for where, key in keys if key not in _known(full, where)}
            if found <= unknown or time.monotonic() > until:
                break
            unknown |= found
            outcomes = {measured(**filled(full, unknown, value)) for value in FILLINGS}
            outcomes |= {measured(**filled(full, {one}, value)) for one in unknown for value in FILLINGS[:4]}
            changes = changes or len(outcomes) > 1
    every = len(fields) >= BULK
    fields -= {where for where, _ in keys if where in ("metadata", "tags")}
    return {
        "reads": [] if every else sorted(fields),
        "every": every,
        "matters": sorted(matters),
        "keys": sorted(map(list, keys)),
        "unknown": sorted(map(list, unknown)),
        "changes": changes,
        "judged": hands.fakes.asked() != asked,
        "outcomes": [outcome for _, outcome in sorted(seen.items())][:40],
    }


def _known(full: dict[str, Any], where: str) -> Any:
    given = full.get(where)
    return given if isinstance(given, dict) else {"answer", "question"}


def filled(full: dict[str, Any], unknown: set[tuple[str, str]], value: Any) -> dict[str, Any]:
    """The fields in which the keys that no case has get a value."""
    changed: dict[str, Any] = {}
    for where, key in sorted(unknown):
        if where == "json":
            for name in ("output", "expected", "input"):
                held = json.JSONDecoder().decode(changed[name]) if name in changed else {}
                changed[name] = json.dumps({**held, key: value})
        else:
            held = full.get(where)
            changed[where] = {**changed.get(where, held if isinstance(held, dict) else {}), key: value}
    return changed


def spelled(outcome: dict[str, Any]) -> str:
    """An outcome in a text that tells values apart."""
    if "value" in outcome:
        return str(outcome["value"]["float"] or outcome["value"]["text"])
    return f"raised {outcome['raised']['type']}" if "raised" in outcome else str(sorted(outcome))


def missing(metric: type, request: dict[str, Any]) -> dict[str, Any]:
    """Whether a metric needs the fields that are not there.

    It does if it reads them, their value matters where they are there, and without them its answer is one
    and the same, whatever else the case holds, and no model has been asked for it.
    """
    names, fields, full = request["missing"], request["eval_case"], request["full"]

    def measured(given: dict[str, Any]) -> str:
        return spelled(hands.observed(lambda: hands.make(metric, request).measure(watched(given))))

    base_full = measured(full)
    needed = sorted(read & set(names)) if len(read) < BULK else []
    told = {"needed": needed, "matters": False, "else": False}
    if not needed and names:
        return told
    told["matters"] = not names or any(
        measured({**full, name: value}) != base_full
        for name in needed
        for value in VARIATIONS[name]
        if value is not None
    )
    asked = hands.fakes.asked()
    base = measured(fields)
    told["else"] = hands.fakes.asked() != asked or any(
        measured({**fields, name: value}) != base
        for name, values in VARIATIONS.items()
        if name not in (names or ("runs",))
        for value in values
    )
    return told


def ignored_runs(metric: type, request: dict[str, Any]) -> dict[str, Any]:
    """Whether the last of a few runs, or all runs beyond the hundredth, never matter where the others do."""
    full = request["full"]
    good, bad = full["runs"][0], _OTHER_RUN

    def measured(runs: list[dict[str, Any]]) -> str:
        return spelled(hands.one(hands.make(metric, request), {**full, "runs": runs}))

    def matter(count: int, of: slice) -> bool:
        for usual, other in ((good, bad), (bad, good)):
            runs = [usual] * count
            changed = [*runs]
            changed[of] = [other] * len(runs[of])
            if measured(runs) != measured(changed):
                return True
            mixed = [good, bad] * (count // 2) + [good] * (count % 2)
            changed = [*mixed]
            changed[of] = [other] * len(mixed[of])
            if measured(mixed) != measured(changed):
                return True
        return False

    if not matter(5, slice(0, 1)):
        return {"ignored": []}
    told = []
    if not matter(5, slice(4, 5)):
        told.append("the last of five runs")
    elif matter(150, slice(0, 1)) and not matter(150, slice(100, 150)):
        told.append("all runs beyond the hundredth")
    return {"ignored": told}
