"""Maps specs to oracles, for ``--runner oracle`` and ``regen``."""

import os
import re
from collections.abc import Callable
from pathlib import Path

from conformance.oracle import environments
from conformance.oracle.python import OracleError, find_uv, locate
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPEC_TABLE, lineage
from conformance.registry.spec import Recipe, SpecOracle, release_of

__all__ = ["RECIPES", "attached_command", "fitting_spec", "oracle_command", "recipe_of", "refuse_attaching"]

HARBOR = "harbor"
"""The package whose forks can be attached."""

RECIPES: tuple[Recipe, ...] = tuple(
    {
        recipe.name: recipe
        for spec in SPEC_TABLE.values()
        for recipe in (spec.oracle.recipe, *(variant.recipe for variant in spec.oracle.variants))
        if recipe is not None
    }.values()
)
"""Every environment that some spec uses."""


def recipe_of(spec: str, variant: str | None = None) -> Recipe:
    """The environment of a spec's oracle, or the additional environment of that name.

    Raises:
        KeyError: its answers do not come from a package, or there is no such environment.
    """
    oracle = SPEC_TABLE[spec].oracle
    recipe = oracle.recipe if variant is None else {env.name: env.recipe for env in oracle.variants}[variant]
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
    """The command of a spec's oracle, whose environment is built on first use.

    With ``variant``, the spec's additional environment of that name.

    Raises:
        OracleError: the environment can't be built, or there is no Python or uv for it.
    """
    wanted = SPEC_TABLE[spec].oracle
    if wanted.recipe is None:
        return environments.runner_command(locate(progress=progress).path, wanted.adapter)
    recipe = recipe_of(spec, variant)
    return _command(wanted, recipe, environments.ensure(progress, rebuild, recipe).python, progress)


def refuse_attaching(spec: str) -> None:
    """Refuses to check an attached harbor against a spec of another system.

    Raises:
        OracleError: the spec is not about harbor.
    """
    recipe = SPEC_TABLE[spec].oracle.recipe
    if recipe is None or recipe.package != HARBOR:
        about = [
            name
            for name, entry in SPEC_TABLE.items()
            if entry.oracle.recipe and entry.oracle.recipe.package == HARBOR
        ]
        raise OracleError(
            f"{spec} is not about harbor, so no harbor can be attached: choose {' or '.join(about)}."
        )


def fitting_spec(version: str) -> str:
    """The harbor spec that fits a version best; the default spec if the text is not a version."""
    match = re.match(r"[0-9]+(?:\.[0-9]+)*", version)
    release = tuple(map(int, match[0].split("."))) if match else ()
    fits = {DEFAULT_SPEC: ()} | {
        name: release_of(spec.fits_from) if spec.fits_from else spec.release or ()
        for name, spec in SPEC_TABLE.items()
        if spec.base is not None and lineage(name)[-1] == DEFAULT_SPEC
    }
    return max((name for name in fits if fits[name] <= release), key=lambda name: fits[name])


def attached_command(
    spec: str, python: Path, progress: Callable[[str], None] = lambda _: None, **variables: str
) -> tuple[str, ...]:
    """The command of an attached harbor in another Python, for a spec about harbor.

    Raises:
        OracleError: the spec is about something else, or there is no uv or Python for its scripts.
    """
    refuse_attaching(spec)
    wanted = SPEC_TABLE[spec].oracle
    assert wanted.recipe is not None
    return _command(wanted, wanted.recipe, python, progress, **variables)


def _command(
    wanted: SpecOracle, recipe: Recipe, python: Path, progress: Callable[[str], None], **variables: str
) -> tuple[str, ...]:
    if not wanted.runs_uv:
        return environments.runner_command(python, wanted.adapter, **variables)
    # Scripts run on the same CPython as harbor, but outside its environment.
    path = os.pathsep.join((os.environ.get("PATH", os.defpath), str(Path(find_uv()).parent)))
    plain = locate(recipe.python_version, progress=progress).path
    return environments.runner_command(python, wanted.adapter, PATH=path, UV_PYTHON=str(plain), **variables)
