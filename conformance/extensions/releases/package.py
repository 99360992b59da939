"""The initial files of an overlay spec: package, reference, vectors."""

import re
from pathlib import Path
from typing import Any

from conformance.registry.ops import SPEC_TABLE, section_packages
from conformance.registry.spec import Recipe
from conformance.suite.lock import Lock
from conformance.wire.writing import dumps

__all__ = [
    "TODO",
    "clauses_text",
    "lock_text",
    "module_name",
    "package_text",
    "places",
    "reference_texts",
    "vector_text",
]

TODO = "TODO"
"""The marker for text that a person must write; the tests refuse a spec that contains it."""


def module_name(spec: str) -> str:
    """The name of a spec's package: ``harbor_1_2_3`` of ``harbor-1.2.3``."""
    return re.sub(r"[^a-z0-9]", "_", spec)


def _package_of(spec: str) -> str:
    """The package of an existing spec, from any of its sections' packages, or from its name."""
    sections = section_packages(spec)
    if sections:
        return next(iter(sections.values())).rpartition(".")[0]
    return f"conformance.specs.{module_name(spec)}"


def package_text(recipe: Recipe, base: str, differing_checks: frozenset[str]) -> str:
    """The spec's package; ``differing_checks`` are ops whose check has another answer in the release."""
    base_recipe = SPEC_TABLE[base].oracle.recipe
    assert base_recipe is not None
    checks = "_BASE.checks"
    if differing_checks:
        names = ", ".join(f'"{op}"' for op in sorted(differing_checks))
        checks = f"tuple(check for check in _BASE.checks if check[0] not in ({names},))"
    adapter = recipe.adapter.name
    title = f"{recipe.package} {recipe.version}, as a difference to {base}"
    return f'''"""{title}: what is not said here is as it is there."""

from conformance.registry.spec import ADAPTERS, Recipe, Spec, SpecOracle
from {_package_of(base)} import SPEC as BASE

__all__ = ["RECIPE", "SPEC"]

_BASE = BASE.oracle.recipe
assert _BASE is not None

RECIPE = Recipe(
    "{recipe.package}",
    "{recipe.version}",
    "{recipe.spec}",
    ADAPTERS / "{adapter}",
    {checks},
)
"""The environment of the real {recipe.package}, and what a whole one answers."""

SPEC = Spec(
    "{recipe.spec}",
    BASE.document,
    SpecOracle(RECIPE.name, RECIPE.adapter, RECIPE, further=BASE.oracle.further),
    reference=("{module_name(recipe.spec)}",),
    base=BASE.name,
)
'''


def reference_texts(spec: str, base: str) -> dict[str, str]:
    """The files of the reference's package: a complete table that overrides nothing yet."""
    release = spec.rpartition("-")[2]
    of_base = "..runner.operations" if SPEC_TABLE[base].base is None else f"..{module_name(base)}.operations"
    package = (
        f'"""The reward semantics of harbor {release} where they differ from {base}\'s.\n\n'
        "A module here has the name of the module whose rules it changes and holds what is otherwise alone;\n"
        '`operations` is the whole table of this release.\n"""\n'
    )
    operations = (
        f'"""The operations by harbor {release}\'s rules: '
        f'the whole table, {base}\'s where nothing changed."""\n\n'
        "from collections.abc import Callable\nfrom typing import Any\n\n"
        f"from {of_base} import OPERATIONS as BASE\n\n"
        '__all__ = ["OPERATIONS"]\n\n'
        "OPERATIONS: dict[str, Callable[[Any], Any]] = {**BASE}\n"
    )
    return {"__init__.py": package, "operations.py": operations}


def lock_text(spec: str) -> str:
    """The lock of a spec without own vectors."""
    return Lock(spec, {}, {}, []).text()


def vector_text(spec: str, section: str, new: list[dict[str, Any]], left_out: list[dict[str, str]]) -> str:
    """A vector file before the oracle is asked."""
    document: dict[str, Any] = {
        "$schema": "../../schemas/vector-file.schema.json",
        "spec": spec,
        "section": section,
        "vectors": new,
    }
    if left_out:
        document["left_out"] = sorted(left_out, key=lambda entry: entry["id"])
    return dumps(document)


def clauses_text(spec: str, clauses: list[dict[str, Any]]) -> str:
    """The clauses file."""
    ordered = sorted(clauses, key=lambda clause: str(clause["id"]))
    return dumps({"$schema": "../../schemas/clauses.schema.json", "spec": spec, "clauses": ordered})


def places(root: Path, spec: str, recipe: Recipe) -> list[Path]:
    """A new spec's folders (kit, reference, vectors) and files, none of which may exist yet."""
    return [
        root / "conformance" / "specs" / module_name(spec),
        root / "reference_impl" / module_name(spec),
        root / "vectors" / spec,
        recipe.lock,
        recipe.digests,
    ]
