"""The jobs of this folder, as releases wrote them."""

import json
import lzma
from pathlib import Path
from typing import Any

__all__ = ["JOBS", "SUFFIX", "kept", "key", "releases"]

JOBS = Path(__file__).with_name("jobs")
SUFFIX = ".json.xz"

Json = dict[str, Any]


def key(version: str) -> tuple[int, ...]:
    """What versions are ordered by."""
    return tuple(map(int, version.split(".")))


def releases() -> list[str]:
    """Those that are here, from old to new."""
    return sorted((path.name.removesuffix(SUFFIX) for path in JOBS.glob(f"*{SUFFIX}")), key=key)


def kept(release: str) -> Json:
    """What a release wrote: `{situation: {"files": {path: text}, "errors", "message"}}`."""
    made: Json = json.loads(lzma.decompress((JOBS / f"{release}{SUFFIX}").read_bytes()))
    return made
