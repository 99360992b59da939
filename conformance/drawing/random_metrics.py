"""Random inputs for the ops of harbor's metric scripts and of EvSys metrics."""

from collections.abc import Callable
from typing import Any

from conformance.drawing.random_values import ValueGenerator

__all__ = ["MetricGenerator"]

_BUILT_INS = ("mean_reward", "avg", "pass_rate", "pass@1", "pass@3", "pass^3")
_KEYS = (
    "worst_task",
    "worst_task",
    "a",
    "A",
    "",
    "最悪",
    "pass@2",
    " avg",
    "\uffee",
    "\U00010000",
    *_BUILT_INS,
)
_GRADES: tuple[Any, ...] = (
    0,
    1,
    1,
    0.0,
    1.0,
    0.9999999999999999,
    1.0000000000000002,
    0.5,
    -0.0,
    "NaN",
    2,
    -1,
)
_LABELS = ("A", "B", "C")
_FAILURES = (None, None, None, None, "", "No module named x")
_ARGUMENTS = """\
import argparse, json, pathlib, sys
parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=pathlib.Path)
parser.add_argument("-o", "--output-path", type=pathlib.Path)
args = parser.parse_args()
rewards = [json.loads(line) for line in args.input_path.read_text().splitlines()]
"""
_BODIES: tuple[str, ...] = (
    "values = [0 if r is None else list(r.values())[0] for r in rewards]\n"
    "args.output_path.write_text(json.dumps({'mean': sum(values) / len(values) if values else 0}))\n",
    "args.output_path.write_text(json.dumps({'n': len(rewards), 'nulls': rewards.count(None)}))\n",
    "args.output_path.write_text(json.dumps([list(r or {}) for r in rewards]))\n",
    "args.output_path.write_text(json.dumps(rewards[0]))\n",
    "args.output_path.write_text(args.input_path.read_text())\n",
)


class MetricGenerator(ValueGenerator):
    """Draws inputs from one seeded source."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self._draw: dict[str, Callable[[], Any]] = {
            "rewards_jsonl": lambda: {"rewards": self._trials()},
            "metric_script": self._metric_script,
            "evsys.compute": self._compute,
            "evsys.registry": self._registry,
        }

    @property
    def ops(self) -> tuple[str, ...]:
        """The ops that inputs can be drawn for."""
        return tuple(self._draw)

    def draw(self, op: str) -> Any:
        """One input for ``op``."""
        return self._draw[op]()

    def _trials(self) -> list[Any]:
        return [
            None if self.chance(0.15) else self.rewards(5)
            for _ in range(self._random.randrange(self.pick((2, 6, 30))))
        ]

    def _metric_script(self) -> Any:
        return {
            "script": None if self.chance(0.02) else {"text": self._script()},
            "rewards": self._trials(),
        }

    def _script(self) -> str:
        if self.chance(0.4):
            return _ARGUMENTS + str(self.pick(_BODIES))
        script = _ARGUMENTS
        if self.chance(0.1):
            script += f"sys.stdout.buffer.write({self._bytes()!r})\n"
        if self.chance(0.9):
            written = self._bytes() if self.chance(0.1) else self._output().encode()
            script += f"args.output_path.write_bytes({written!r})\n"
        return script + (f"sys.exit({self.pick((0, 1, 2, None))})\n" if self.chance(0.2) else "")

    def _output(self) -> str:
        return self.mutated(self.json_text(self.json_value()))

    def _bytes(self) -> bytes:
        return bytes(self.pick((0x22, 0x7B, 0x7D, 0x20, 0x30, 0xC3, 0xA9, 0xFF)) for _ in range(4))

    def _task_rewards(self) -> list[list[Any]]:
        draw: Callable[[], Any] = self.pick(
            (lambda: self.pick(_GRADES), lambda: self.pick((0, 1)), self.double, self.number)
        )
        most = self.pick((2, 4, 12))
        return [
            [draw() for _ in range(self._random.randrange(most))]
            for _ in range(self._random.randrange(self.pick((2, 5, 20))))
        ]

    def _compute(self) -> Any:
        metric = self.pick(_KEYS) if self.chance(0.05) else self.pick(_BUILT_INS)
        return {"metric": metric, "task_rewards": self._task_rewards()}

    def _class(self) -> Any:
        does = (
            {"raises": self.pick(("ValueError", "ZeroDivisionError"))}
            if self.chance(0.25)
            else {"returns": self.number()}
        )
        return {"name": self.pick(_KEYS), **does}

    def _registry(self) -> Any:
        actions = [self._action() for _ in range(self._random.randrange(9))]
        return {"classes": {label: self._class() for label in _LABELS}, "actions": actions}

    def _action(self) -> Any:
        match do := self.pick(("register", "register", "get", "load", "evaluate")):
            case "register":
                return {"do": do, "key": self.pick(_KEYS), "class": self.pick(_LABELS)}
            case "get":
                return {"do": do, "key": self.pick(_KEYS)}
            case "load":
                names = self._random.sample(("z", "a", "b", "worst_task"), self._random.randrange(4))
                return {"do": do, "entry_points": [self._entry_point(name) for name in names]}
            case _:
                metrics = [self.pick(_KEYS) for _ in range(self._random.randrange(5))]
                return {"do": do, "metrics": metrics, "task_rewards": self._task_rewards()}

    def _entry_point(self, name: str) -> Any:
        registers = [[self.pick(_KEYS), self.pick(_LABELS)] for _ in range(self._random.randrange(4))]
        return {"name": name, "registers": registers, "fails": self.pick(_FAILURES)}
