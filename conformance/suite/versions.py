"""The versions of a vector set, and the vectors added in each."""

import re
from collections.abc import Iterable

from conformance.option_names import option
from conformance.suite.vectors import Vector, VectorFileError, is_of_kit
from conformance.wire.text import shortened

__all__ = ["newer_than", "newest"]

_NUMBER = re.compile(r"\d+")


def newest(versions: Iterable[str]) -> str:
    """The newest of the versions."""
    return max(versions, key=_age, default="0")


def _age(version: str) -> list[int]:
    return [int(number) for number in _NUMBER.findall(version)]


def newer_than(version: str | None, every: Iterable[Vector], spec: str) -> frozenset[str]:
    """The ids of the spec's own vectors that are newer than a version.

    Raises:
        VectorFileError: there is no such version.
    """
    if version is None:
        return frozenset()
    every = list(every)
    versions = sorted({vector.since for vector in every if is_of_kit(vector)}, key=_age)
    if version not in versions:
        raise VectorFileError(
            f"{option('vectors-version')}: {spec} has no vectors of version {shortened(version, 40)}; "
            f"choose one of {', '.join(versions)}"
        )
    behind = set(versions[versions.index(version) + 1 :])
    return frozenset(vector.id for vector in every if vector.since in behind and is_of_kit(vector))
