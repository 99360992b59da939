"""Reading the manifest back: what a conforming runner reports for the tasks of a written folder."""

import json
import os
import stat
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from conformance.suite.schemas import first_fault

__all__ = ["Expected", "Manifest", "ManifestError", "load_manifest"]

MANIFEST = "manifest.json"
_LARGEST = 4 * 2**20

Json = dict[str, Any]


class ManifestError(Exception):
    """A manifest that can't be used; the message is one sentence."""


@dataclass(frozen=True)
class Expected:
    """What is expected of one dataset's job."""

    entry: Json

    @property
    def name(self) -> str:
        """The dataset's name, and its folder's."""
        return str(self.entry["name"])

    @property
    def attempts(self) -> int:
        """How often each task is to be run."""
        return int(self.entry["attempts"])

    @cached_property
    def tasks(self) -> dict[str, Json]:
        """Its tasks by name."""
        return {task["name"]: task for task in self.entry["tasks"]}


@dataclass(frozen=True)
class Manifest:
    """All datasets of a written folder."""

    spec: str
    agent: str
    datasets: tuple[Expected, ...]


def _without_waiting(path: str, flags: int) -> int:
    """Opens a file, and a FIFO without waiting for somebody who writes to it."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)


def load_manifest(folder: Path) -> Manifest:
    """The manifest in ``folder``, or the file itself.

    Raises:
        ManifestError: there is none, or it is not one of this version's.
    """
    path = folder / MANIFEST if folder.is_dir() else folder
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ManifestError(f"{path} is not a file; harbor-conformance dataset writes one")
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise ManifestError(f"{path} is too large for a manifest: {_LARGEST // 2**20} MiB are the most")
        document = json.loads(content.decode("utf-8"))
    except OSError as error:
        raise ManifestError(
            f"{path} can't be read: {error.strerror}; harbor-conformance dataset writes one"
        ) from None
    except (ValueError, RecursionError):
        raise ManifestError(f"{path} is not JSON") from None
    fault = first_fault("dataset-manifest", document)
    if fault is not None:
        raise ManifestError(f"{path} is no manifest of this kit: {fault}")
    return Manifest(
        document["spec"], document["agent"], tuple(Expected(entry) for entry in document["datasets"])
    )
