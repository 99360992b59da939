"""Which oracle answers for which spec: what ``--runner oracle`` starts, and what ``regen`` asks."""

import os
from collections.abc import Callable
from pathlib import Path

from conformance.oracle import environments
from conformance.oracle.python import find_uv, locate
from conformance.registry.ops import SPEC_TABLE
from conformance.registry.spec import Recipe

__all__ = ["RECIPES", "oracle_command", "recipe_of"]

RECIPES: tuple[Recipe, ...] = tuple(
    {
        recipe.name: recipe
        for spec in SPEC_TABLE.values()
        for recipe in (spec.oracle.recipe, *(variant.recipe for variant in spec.oracle.variants))
        if recipe is not None
    }.values()
)
"""Every environment that some spec asks."""


def recipe_of(spec: str, variant: str | None = None) -> Recipe:
    """The environment that a spec's oracle runs in, or its further one of that name.

    Raises:
        KeyError: its answers come from no package, or there is no such environment.
    """
    oracle = SPEC_TABLE[spec].oracle
    recipe = oracle.recipe if variant is None else {one.name: one.recipe for one in oracle.variants}[variant]
    if recipe is None:
        raise KeyError(spec)
    return recipe


def oracle_command(
    spec: str,
    progress: Callable[[str], None] = lambda _: None,
    *,
    rebuild: bool = False,
    variant: str | None = None,
) -> tuple[str, ...]:
    """The runner command of a spec's oracle, whose environment is built on first use.

    With ``variant``, of the spec's further environment of that name.

    Raises:
        OracleError: the environment can't be built, or there is no Python or uv for it.
    """
    wanted = SPEC_TABLE[spec].oracle
    if wanted.recipe is None:
        return environments.runner_command(locate(progress=progress).path, wanted.adapter)
    python = environments.ensure(progress, rebuild, recipe_of(spec, variant)).python
    if not wanted.runs_uv:
        return environments.runner_command(python, wanted.adapter)
    # Scripts run on the same CPython as harbor, but not in its environment.
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), str(Path(find_uv()).parent)))
    plain = locate(wanted.recipe.python_version, progress=progress).path
    return environments.runner_command(python, wanted.adapter, PATH=path, UV_PYTHON=str(plain))
