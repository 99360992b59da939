"""Jobs that releases of harbor wrote, stored next to this file: ``kept/NAME.json.xz``."""

import functools
import json
import lzma
from pathlib import Path
from typing import Any

__all__ = ["JOB", "JOBS", "MANY", "Files", "Json", "kept", "key", "releases", "store", "with_result", "write"]

JOB = "result.json"
MANY = "many"
"""The name of the jobs from `described.MANY`."""

Files = dict[str, str]
Json = dict[str, Any]


def key(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _path(name: str) -> Path:
    return Path(__file__).with_name("kept") / f"{name}.json.xz"


def releases() -> list[str]:
    names = [path.name.removesuffix(".json.xz") for path in _path("*").parent.glob("*.xz")]
    return sorted((name for name in names if name != MANY), key=key)


@functools.cache
def kept(name: str) -> Json:
    """The jobs that a release wrote: ``{situation: {"files": {path: text}, "errors", "message"}}``."""
    jobs: Json = json.loads(lzma.decompress(_path(name).read_bytes()))
    return jobs


def store(name: str, jobs: Json) -> int:
    text = json.dumps(jobs, indent=1, ensure_ascii=False) + "\n"
    return _path(name).write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def with_result(name: str) -> dict[str, Files]:
    """The files of the jobs with a ``result.json``, by situation."""
    return {situation: job["files"] for situation, job in kept(name).items() if JOB in job["files"]}


JOBS = with_result(MANY)
"""A job for each situation, written by harbor 0.13.1."""


def write(files: Files, folder: Path) -> Path:
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode())
    return folder
