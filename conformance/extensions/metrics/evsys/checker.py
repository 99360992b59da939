"""Checks an EvSys metric: a class that reduces the rewards of all samples of all tasks to one float."""

from pathlib import Path

from conformance.extensions.metrics.checker import THE_CLASS, Case
from conformance.extensions.metrics.classes.checker import ClassChecker
from conformance.extensions.metrics.classes.process import Json
from conformance.extensions.metrics.evsys.inputs import CASES
from conformance.option_names import metric_option
from conformance.registry.spec import ADAPTERS

__all__ = ["EvsysChecker"]

_SHARE = 0.3
"""The share of the time limit for experiments, since a class may be slow."""


class EvsysChecker(ClassChecker):
    """Checks one class under the contract evsys."""

    contract = "evsys"
    part = Path(__file__).with_name("part.py")
    cases = (THE_CLASS, *(Case(name, row.about) for name, row in CASES.items()))
    state_rule = "repeats"

    def settings(self) -> Json:
        """Return the user's options about inputs, and the time for experiments."""
        options = {name: getattr(self.options, name) for name in ("trials", "like", "values")}
        return {
            **options,
            "built_in": str(ADAPTERS / "evsys.py"),
            "base": self.described.get("base"),
            "seconds": self.options.limits.seconds * _SHARE,
            "late": f"It is slow: some experiments were skipped ({metric_option('timeout')} N allows more).",
        }
