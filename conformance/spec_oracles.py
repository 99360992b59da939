"""Which oracle answers for which spec: what ``--runner oracle`` starts, and what ``regen`` asks.

harbor-0.13.1 and harbor-metric are answered by the real harbor, harness-evals by the real package of that
name. evsys has no package to install: an adapter derives its answers from the document.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conformance import oracle
from conformance.oracle_python import find_uv, locate
from conformance.oracle_recipes import HARBOR, HARNESS_EVALS, Recipe
from conformance.paths import DEFAULT_SPEC

__all__ = ["SPEC_ORACLES", "SpecOracle", "oracle_command"]

_ADAPTERS = Path(__file__).resolve().parent / "adapters"


@dataclass(frozen=True, slots=True)
class SpecOracle:
    """Where the expected answers of a spec come from."""

    provenance: str
    """What the vectors say of it."""
    adapter: Path
    recipe: Recipe | None
    """The environment that executes the adapter; None where there is no package, on a plain CPython 3.12."""
    runs_uv: bool = False
    """Whether the adapter starts uv itself, as harbor does for metric scripts."""


SPEC_ORACLES: dict[str, SpecOracle] = {
    DEFAULT_SPEC: SpecOracle(HARBOR.name, HARBOR.adapter, HARBOR),
    "harbor-metric": SpecOracle(HARBOR.name, _ADAPTERS / "uv_script.py", HARBOR, runs_uv=True),
    "evsys": SpecOracle("document-002", _ADAPTERS / "evsys.py", None),
    "harness-evals": SpecOracle(HARNESS_EVALS.name, HARNESS_EVALS.adapter, HARNESS_EVALS),
}


def oracle_command(
    spec: str, progress: Callable[[str], None] = lambda _: None, *, rebuild: bool = False
) -> tuple[str, ...]:
    """The runner command of a spec's oracle, whose environment is built on first use.

    Raises:
        OracleError: the environment can't be built, or there is no Python or uv for it.
    """
    wanted = SPEC_ORACLES[spec]
    if wanted.recipe is None:
        return oracle.runner_command(locate(progress=progress).path, wanted.adapter)
    python = oracle.ensure(progress, rebuild, wanted.recipe).python
    if not wanted.runs_uv:
        return oracle.runner_command(python, wanted.adapter)
    # Scripts run on the same CPython as harbor, but not in its environment.
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), str(Path(find_uv()).parent)))
    plain = locate(wanted.recipe.python_version, progress=progress).path
    return oracle.runner_command(python, wanted.adapter, PATH=path, UV_PYTHON=str(plain))
