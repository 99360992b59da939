"""A process of its own that loads a class and asks it, and what it said."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.metric import worker
from conformance.metric.confinement import Ended, Limits, run_confined
from conformance.metric.findings import CannotTryError
from conformance.metric.scratch import environment, scratch_folder, subfolders, work_folder

__all__ = ["FIRST_SEED", "SECOND_SEED", "Json", "Said", "ask"]

Json = dict[str, Any]
FIRST_SEED, SECOND_SEED = "1", "2"
"""What PYTHONHASHSEED is: fixed, so that a check gives the same twice."""


@dataclass(slots=True)
class Said:
    """What one process said, and how it ended."""

    described: Json | None = None
    """The class from outside."""
    unloaded: Json | None = None
    """Why the class could not be loaded."""
    answers: dict[str, Json] = field(default_factory=dict)
    """By case."""
    environment_read: list[str] = field(default_factory=list)
    """The environment variables that the class's own code asked for."""
    ended: Ended = field(default_factory=Ended)


def ask(
    python: str,
    job: Json,
    *,
    limits: Limits,
    lock_writes: bool,
    seed: str = FIRST_SEED,
    variables: Mapping[str, str] | None = None,
) -> Said:
    """Asks a class all that a job says.

    Raises:
        CannotTryError: the class writes into the channel of the answers.
    """
    said = Said()

    def hear(line: bytes) -> None:
        try:
            told = json.loads(line)
            if "case" in told:
                said.answers[str(told["case"])] = told
            elif "class" in told:
                said.described = told["class"]
            elif "environment_read" in told:
                said.environment_read = list(told["environment_read"])
            else:
                told["cannot"]
                said.unloaded = told
        except (ValueError, TypeError, KeyError):
            raise CannotTryError(f"{job['target']} writes into the kit's own channel") from None

    with scratch_folder() as folder:
        work_folder(folder)
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        fixed = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1", "PYTHONHASHSEED": seed}
        said.ended = run_confined(
            [python, worker.__file__, str(folder / "job.json")],
            folder=folder,
            cwd=subfolders(folder)[0],
            environment={**environment(folder), **(variables or {}), **fixed},
            limits=limits,
            lock_writes=lock_writes,
            on_line=hear,
        )
    return said
