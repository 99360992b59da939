"""Random multi-step trials whose steps have names, a few of them invalid or duplicates."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw, Source
from conformance.specs.harbor.multi_step.draw import INPUTS as BEFORE

__all__ = ["INPUTS"]

_GOOD = (
    *("build", "test", "Lint", "step 1", "名", "a.b", ".hidden", "com0", "lpt10", "nul1", "é"),
    *("console", "-"),
)
_ODD = (
    *("", " ", "\t", "\u3000", ".", "..", "...", "a.", "a ", " a", "a/b", "a\\b", "a:b", "a*", "a?", "<a"),
    *("a>", '"a"', "a|b", "a\nb", "\x7f", "\x1f", "\x80", "CON", "nul", "aux.txt", "Prn .md", "COM1"),
    *("lpt9.log", "com¹", "lpt³.x", "conin$", "CONOUT$.txt", "con\u0131n$", "com٣", "a" * 255, "a" * 256),
    *("é" * 127, "é" * 128, "名" * 86, "BUILD", "Test", "lint", "e\u0301", "E\u0301", "É", "straße"),
    *("STRASSE", "ﬁ", "fi", "İ", "i\u0307", "Σ", "ς", "K", "k"),
)


def _multi_step_reward(source: Source) -> Any:
    input_ = BEFORE["multi_step_reward"](source)
    kind = source.below(3)
    good = source.shuffled(_GOOD)
    for index, step in enumerate(input_["steps"]):
        if kind == 0 or (kind == 1 and source.chance(50)):
            continue
        step["name"] = source.pick(_ODD) if source.chance(15) else good[index % len(good)]
    return input_


INPUTS: Mapping[str, Draw[Any]] = {"multi_step_reward": _multi_step_reward}
"""An input for every op of the section that is drawn differently."""
