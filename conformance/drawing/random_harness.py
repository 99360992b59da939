"""Random inputs for the operations of harness-evals, biased to borders, odd types and missing data."""

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["HarnessGenerator"]

_UNIT: tuple[Any, ...] = (0.0, 1.0, 0.5, 0.1, 0.2, 0.3, 0.7, 1 / 3, 2 / 3, 0.8, 0.99995, 0.12345, -0.0, 0, 1)
_BORDER: tuple[Any, ...] = (1.000001, 1.0000010000000001, 1.0000009, 1.0000000000000002, 1.0000011, -1e-6)
_BORDER += (-1.0000000000000002e-06, -1e-7, -5e-324, 5e-324, 0.9999999999999999)
_OUTSIDE: tuple[Any, ...] = (2, -1, 1.5, 100.0, "NaN", "Infinity", "-Infinity", 10**30, 10**400, 1e308)
_ODD: tuple[Any, ...] = (None, True, False, {"text": "0.5"}, {"text": ""}, {"json": "[1.0]"}, {"json": "{}"})
_TEXT_NUMBERS = ("12", "12.5", " 7 ", "1_0", "1e3", "-3", "abc", "", "nan", "inf", "0x10")
_AMOUNTS: tuple[Any, ...] = (0, 1, 3, 5, 7, 100, 2000, 2500, 4999.5, 5000, 5000.1, 0.01, 0.1, 1e-9, -1, -0.5)
_AMOUNTS += (-0.0, 2.9, 1e300, 2**63, 10**400, "NaN", "Infinity", "-Infinity", 1 / 3)
_LIMITS: tuple[Any, ...] = (None, None, None, 1, 3, 7.0, 0.1, 5000, 1e-300, 1e308, 0, -1, "NaN", "Infinity")
_NAMES = ("m", "m", "latency", "pii", "", "é", "名前", "a b", '"', "safety")
_TEXTS = ("", "ok", "line\nbreak", "é", "名", "\U0001f600", '"quoted"', "a\\b", "\x7f", "tab\t", "None")
_DIMENSIONS = ("correctness", "groundedness", "safety", "trajectory", "performance")
_MEMBERS = ("CORRECTNESS", "SAFETY", "PERFORMANCE", "safety", "QUALITY")
_KEYS = ("dimension", "a", "b", "é", "raw", "nested", "10", "9")
_RAISES: tuple[str, ...] = (
    "ValueError",
    "KeyError",
    "TypeError",
    "RuntimeError",
    "AttributeError",
    "AssertionError",
)
_RAISES += ("ZeroDivisionError", "KeyboardInterrupt", "SystemExit")
_MESSAGES = ("", "boom", "two\nlines", "latency_ms", "it's", 'say "no"')
_TIMES: tuple[str, ...] = ("2026-01-02T03:04:05.000000+00:00", "2026-01-02T03:04:05.678900+00:00")
_TIMES += (
    "1999-12-31T23:59:59.999999+05:30",
    "2024-02-29T00:00:00.000000",
    "2024-02-29T00:00:00.000001-08:00",
)


class HarnessGenerator:
    """Draws inputs from one seeded source."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - repeatable, no secret
        self._draw: dict[str, Callable[[], Any]] = {
            "harness.score": lambda: self._score(),
            "harness.metric": self._metric,
            "harness.evaluate": self._evaluate,
            "harness.reliability": self._reliability,
            "harness.operational": self._operational,
            "harness.dimensions": self._dimensions,
            "harness.json": self._json,
            "harness.template": self._template,
        }

    @property
    def ops(self) -> tuple[str, ...]:
        """The ops that inputs can be drawn for."""
        return tuple(self._draw)

    def draw(self, op: str) -> Any:
        """One input for ``op``."""
        return self._draw[op]()

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _pick(self, choices: Sequence[Any]) -> Any:
        return self._random.choice(choices)

    def _unit(self) -> Any:
        return self._random.random() if self._chance(0.3) else self._pick(_UNIT)

    def _value(self, odd: float = 0.15) -> Any:
        drawn = self._random.random()
        if drawn < odd:
            return self._pick(_ODD)
        if drawn < odd + 0.15:
            return self._pick(_BORDER)
        return self._pick(_OUTSIDE) if drawn < odd + 0.3 else self._unit()

    def _threshold(self) -> Any:
        return self._pick((*_UNIT, *_OUTSIDE)) if self._chance(0.3) else self._pick(_UNIT)

    def _plain(self, depth: int = 0) -> Any:
        """A JSON value, without NaN."""
        drawn = self._random.random()
        if drawn < 0.15 and depth < 3:
            return [self._plain(depth + 1) for _ in range(self._random.randrange(4))]
        if drawn < 0.3 and depth < 3:
            return {self._pick(_KEYS): self._plain(depth + 1) for _ in range(self._random.randrange(4))}
        if drawn < 0.6:
            return self._pick((*_TEXTS, "\ud800"))
        return self._pick((None, True, False, 1, 1.0, 0.1, -0.0, 1e16, 1e22, 2**64, 5e-324))

    def _metadata(self) -> Any:
        if self._chance(0.5):
            return None
        value: Any = self._plain(3) if self._chance(0.05) else {}
        if isinstance(value, dict):
            for _ in range(self._random.randrange(4)):
                value[self._pick(_KEYS)] = self._plain()
            if self._chance(0.5):
                value["dimension"] = self._pick((*_DIMENSIONS, *_DIMENSIONS, "Safety", "", None, "security"))
        return {"text": json.dumps(value)}

    def _score(self, odd: float = 0.15) -> Any:
        return {
            "name": self._pick(_NAMES),
            "value": self._value(odd),
            "threshold": self._pick(_ODD) if self._chance(odd / 4) else self._threshold(),
            "reason": self._pick((None, *_TEXTS)),
            "metadata": self._metadata(),
            "scoring_duration_ms": self._pick((None, None, 0, 0.0, 1.5, 12, 1e22, "NaN")),
            "created_at": self._pick(_TIMES),
            "clamped": self._chance(0.3),
            "passed": self._pick((True, False)) if self._chance(odd / 4) else None,
        }

    def _dimension(self) -> Any:
        drawn = self._random.random()
        if drawn < 0.9:
            return self._pick(_DIMENSIONS)
        if drawn < 0.95:
            return {"member": self._pick(_MEMBERS)}
        return self._pick(({"text": "safety"}, "SAFETY", "quality", ""))

    def _metric(self) -> Any:
        base = self._pick(("BaseMetric", "SafetyMetric", "ReliabilityMetric"))
        usual = ["measure_runs"] if base == "ReliabilityMetric" else ["measure"]
        return {
            "base": base,
            "implements": self._pick(([], ["measure"], ["measure_runs"])) if self._chance(0.2) else usual,
            "name": None if self._chance(0.1) else self._pick(_NAMES),
            "dimension": None if self._chance(0.3) else self._dimension(),
            "threshold": None if self._chance(0.4) else self._threshold(),
            "k": None if self._chance(0.5) else self._pick((0, 1, 5, -1, 2.5, 10**20)),
            "others": {self._pick(("treshold", "weight", "n")): 0.5} if self._chance(0.2) else {},
        }

    def _does(self) -> Any:
        drawn = self._random.random()
        if drawn < 0.15:
            return {"raises": {"type": self._pick(_RAISES), "message": self._pick(_MESSAGES)}}
        if drawn < 0.25:
            return {"returns": None}
        if drawn < 0.28:
            return {"returns": self._value(0.5)}
        return {
            "score": {
                "name": self._pick(_NAMES) if self._chance(0.2) else None,
                "value": self._value(0.05),
                "threshold": self._threshold() if self._chance(0.2) else None,
                "reason": self._pick((None, *_TEXTS)),
                "metadata": self._metadata(),
                "clamped": self._chance(0.2),
                "passed": self._pick((True, False)) if self._chance(0.1) else None,
            }
        }

    def _evaluate(self) -> Any:
        metrics = [
            {
                "name": self._pick(_NAMES),
                "dimension": self._dimension() if self._chance(0.2) else self._pick(_DIMENSIONS),
                "threshold": self._pick(_ODD) if self._chance(0.03) else self._threshold(),
                "measure": self._does(),
                "a_measure": self._does() if self._chance(0.2) else None,
            }
            for _ in range(self._random.randrange(5))
        ]
        return {
            "entry": self._pick(("evaluate", "evaluate", "a_evaluate", "assert_test")),
            "metrics": metrics,
        }

    def _runs(self) -> Any:
        count = self._pick((0, 1, 1, 2, 3, 5, 7))
        return None if self._chance(0.1) else [self._pick(("a", "b", "A", "é", "")) for _ in range(count)]

    def _reliability(self) -> Any:
        majority = self._chance(0.4)
        return {
            "entry": self._pick(("measure", "a_measure", "evaluate", "a_evaluate")),
            "threshold": self._threshold(),
            "k": self._pick((0, 1, 2, 5, 10)),
            "runs": self._runs(),
            "measure_runs": "majority" if majority else self._does(),
            "a_measure_runs": self._does() if not majority and self._chance(0.3) else None,
        }

    def _amount(self) -> Any:
        drawn = self._random.random()
        if drawn < 0.2:
            return None
        if drawn < 0.3:
            return {"text": self._pick(_TEXT_NUMBERS)}
        return self._pick(_ODD) if drawn < 0.34 else self._pick(_AMOUNTS)

    def _message(self) -> Any:
        metadata = self._pick(('{"latency_ms": 40}', '{"latency_ms": "2500"}', '{"latency_ms": null}', "[]"))
        return {
            "role": self._pick(("assistant", "assistant", "assistant", "user", "tool", "Assistant")),
            "latency_ms": self._amount(),
            "token_count": None if self._chance(0.2) else self._pick((0, 1, 3, 700, 1999, 2001, -1, 0.1)),
            "metadata": None if self._chance(0.7) else {"text": metadata},
        }

    def _operational(self) -> Any:
        names = ("latency", "token_cost", "cost_efficiency", "retry_count", "turn_latency", "turn_token_cost")
        fields = ("latency_ms", "token_count", "cost_usd", "retry_count")
        messages = [self._message() for _ in range(self._random.randrange(6))]
        return {
            "metric": self._pick(names),
            "maximum": self._pick(_LIMITS),
            "threshold": None if self._chance(0.5) else self._threshold(),
            "case": {name: self._amount() for name in fields}
            | {"messages": None if self._chance(0.2) else messages},
        }

    def _dimensions(self) -> Any:
        return {
            "cases": [
                [self._counted() for _ in range(self._random.randrange(6))]
                for _ in range(self._random.randrange(6))
            ]
        }

    def _counted(self) -> Any:
        if self._chance(0.05):
            return None
        value = self._pick(_BORDER) if self._chance(0.03) else self._unit()
        metadata = self._metadata() if self._chance(0.3) else None
        if metadata is None and self._chance(0.8):
            metadata = {"text": json.dumps({"dimension": self._pick(_DIMENSIONS)})}
        return {
            "name": self._pick(_NAMES),
            "value": value,
            "threshold": self._pick(_UNIT),
            "metadata": metadata,
        }

    def _json(self) -> Any:
        cases = []
        for _ in range(self._random.randrange(4)):
            identity = self._pick(({}, {"golden_id": "g"}, {"id": 7}, {"golden_id": "", "id": "é"}, []))
            scores = [self._score(0.0) for _ in range(self._random.randrange(4))]
            for score in scores:
                score["value"] = self._unit()
            cases.append(
                {
                    "input": {"text": json.dumps(self._plain())},
                    "tags": self._pick((None, {}, {"suite": "smoke"}, {"b": "é", "a": "1"})),
                    "metadata": None if self._chance(0.4) else {"text": json.dumps(identity)},
                    "scores": scores,
                }
            )
        return {"cases": cases, "include_summary": self._chance(0.7), "finalize": self._chance(0.8)}

    def _template(self) -> Any:
        given: dict[str, Any]
        match name := self._pick(("deterministic", "operational", "reliability", "llm", "embedding")):
            case "deterministic":
                given = {"output": self._pick(_TEXTS), "expected": self._pick((None, *_TEXTS))}
            case "operational":
                given = {
                    "latency_ms": self._amount(),
                    "max_value": self._pick((100, 5000, 0.1, 0, 7, "Infinity")),
                }
            case "reliability":
                given = {"runs": self._runs(), "value": self._value()}
            case "llm":
                scores = ("1", "0", "0.7", "1.2", "-3", "NaN", "Infinity", '"0.9"', "null", "true", "[1]")
                whole = (*(f'{{"score": {score}}}' for score in scores), "{}", "[]", "0.5", "null")
                given = {"judge": {"text": self._pick(whole)}}
            case _:
                numbers = (0, 0.0, 1, -1, 0.1, 0.2, 0.3, 1e-200, 1e200, 3, "NaN", "Infinity")
                shape = range(self._pick((0, 1, 2, 3, 10)))
                given = {"vectors": [[self._pick(numbers) for _ in shape] for _ in range(2)]}
                if self._chance(0.1):
                    given["vectors"][1].append(self._pick(numbers))
        return {"template": name, "threshold": self._threshold(), "given": given}
