"""Builds the initial files of an overlay spec: package, reference, vectors, and the environment's lock."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conformance.oracle.building import cause
from conformance.oracle.index import Index
from conformance.oracle.python import PYTHON_VERSION, OracleError, find_uv, locate
from conformance.registry.ops import SPEC_TABLE, section_packages
from conformance.registry.spec import Recipe
from conformance.wire.writing import dumps

__all__ = [
    "TODO",
    "clauses_text",
    "compiled_lock",
    "module_name",
    "package_text",
    "places",
    "reference_texts",
    "vector_text",
]

_LOCK_OPTIONS = (
    *("--universal", "--python-version", PYTHON_VERSION, "--generate-hashes", "--only-binary", ":all:"),
    "--no-emit-index-url",
)
_PINNED = ("pydantic",)
"""Packages with the base's versions, so that differences come from the release."""
TODO = "TODO"
"""Marks text that a person must write; the tests refuse a spec that contains it."""


def module_name(spec: str) -> str:
    """Return the name of a spec's package, such as ``harbor_1_2_3`` for ``harbor-1.2.3``."""
    return re.sub(r"[^a-z0-9]", "_", spec)


def package_text(recipe: Recipe, base: str) -> str:
    """Return the text of the spec's ``__init__.py``."""
    adapter = recipe.adapter.name
    section = next(iter(section_packages(base).values()), f"conformance.specs.{module_name(base)}.")
    title = f"{recipe.package} {recipe.version}, as an overlay of {base}"
    return f'''"""{title}: only the differences are here."""

from conformance.registry.spec import ADAPTERS, Recipe, Spec, SpecOracle
from {section.rpartition(".")[0]} import SPEC as BASE

__all__ = ["RECIPE", "SPEC"]

RECIPE = Recipe(
    "{recipe.package}",
    "{recipe.version}",
    "{recipe.spec}",
    ADAPTERS / "{adapter}",
)
"""The environment of the real {recipe.package}."""

SPEC = Spec(
    "{recipe.spec}",
    BASE.document,
    SpecOracle(RECIPE.name, RECIPE.adapter, RECIPE, further=BASE.oracle.further),
    reference=("{module_name(recipe.spec)}",),
    base=BASE.name,
)
'''


def reference_texts(spec: str, base: str) -> dict[str, str]:
    """Return the files of the reference's package, with a complete table that overrides nothing yet."""
    release = spec.rpartition("-")[2]
    of_base = "..runner.operations" if SPEC_TABLE[base].base is None else f"..{module_name(base)}.operations"
    package = (
        f'"""The reward semantics of harbor {release} where they differ from {base}\'s.\n\n'
        "A module here has the name of the module whose rules it changes and has only the differences;\n"
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


def vector_text(spec: str, section: str, new: list[dict[str, Any]], left_out: list[dict[str, str]]) -> str:
    """Return a vector file without the oracle's answers."""
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
    """Return the clauses file."""
    ordered = sorted(clauses, key=lambda clause: str(clause["id"]))
    return dumps({"$schema": "../../schemas/clauses.schema.json", "spec": spec, "clauses": ordered})


def places(root: Path, spec: str, recipe: Recipe) -> list[Path]:
    """Return a new spec's folders (kit, reference, vectors) and its lock file; none may exist yet."""
    return [
        root / "conformance" / "specs" / module_name(spec),
        root / "reference_impl" / module_name(spec),
        root / "vectors" / spec,
        recipe.lock,
    ]


def compiled_lock(package: str, version: str, base: Recipe, progress: Callable[[str], None]) -> str:
    """Return the text of a release's lock file.

    A release may demand a newer version of a package than the index has (as harbor 0.25.0 does of certifi):
    the newest available version is used, and the first line names it.

    Raises:
        OracleError: the release, the network or uv is missing, or packages are incompatible.
    """
    known = base.lock.read_text(encoding="utf-8")
    pins = [match[0] for name in _PINNED if (match := re.search(rf"^{name}==[^ ;\\]+", known, re.M))]
    index = Index(find_uv(), locate(progress=progress), package)
    progress(f"locking the packages of {package} {version}")
    for wanted in ([f"{package}=={version}", *pins], [f"{package}=={version}"]):  # it may exclude the pins
        done, held = index.held_back("-", None, "\n".join(wanted), *_LOCK_OPTIONS)
        if done.returncode == 0:
            nearest = f" (nearest available: {', '.join(pin.package for pin in held)})" if held else ""
            options = " ".join(_LOCK_OPTIONS)
            return f"# Made by: uv pip compile {options}, of {' and '.join(wanted)}{nearest}\n{done.stdout}"
    raise OracleError(f"uv could not lock {package} {version}: {cause(done)}")
