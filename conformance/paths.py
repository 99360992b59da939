"""The location of the kit's data: in the checkout, or inside the installed package."""

from functools import cache
from pathlib import Path

__all__ = ["DEFAULT_SPEC", "checkout_root", "schemas_dir", "spec_names", "vectors_dir"]

DEFAULT_SPEC = "harbor-0.13.1"

_PACKAGE = Path(__file__).resolve().parent


def checkout_root() -> Path | None:
    """The root of the checkout that the kit runs from, or None when it is installed as a wheel."""
    root = _PACKAGE.parent
    return root if (root / "vectors").is_dir() and (root / "pyproject.toml").is_file() else None


def _data(name: str) -> Path:
    return _data_of(_PACKAGE, name)


@cache
def _data_of(package: Path, name: str) -> Path:
    """Cached, since it is called for every vector."""
    packed = package / "data" / name
    return packed if packed.is_dir() else package.parent / name


def vectors_dir(spec: str | None = None) -> Path:
    """The folder of all vectors, or of one spec's."""
    return _data("vectors") / spec if spec else _data("vectors")


def schemas_dir() -> Path:
    """The folder of the JSON Schemas."""
    return _data("schemas")


def spec_names() -> list[str]:
    """The specs that have vectors, sorted."""
    return sorted(entry.name for entry in vectors_dir().iterdir() if entry.is_dir())
