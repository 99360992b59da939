"""A new spec's answers asked of its oracle, in a process that knows the spec."""

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

from conformance.extensions.releases.package import TODO, vector_text
from conformance.oracle.python import OracleError, run
from conformance.wire.writing import write_text

__all__ = ["regenerated"]

_SECONDS = 3600.0
_PROGRAM = "from conformance.cli import main; main()"
_PLAYED = re.compile(r"([!-~]+): (the job that is played back .*)")
_MOST = 20
"""Vectors that are left out, as their job comes to something else, before this is given up."""


def regenerated(spec: str, root: Path, folder: Path, progress: Callable[[str], None]) -> list[str]:
    """Has ``regen`` ask every answer; returns the vectors left out, as their played job disagrees.

    Raises:
        OracleError: an answer could not be had.
    """
    path = os.pathsep.join(part for part in (str(root), os.environ.get("PYTHONPATH")) if part)
    words = ("env", f"PYTHONPATH={path}", sys.executable, "-c", _PROGRAM, "kit", "regen", "--spec", spec)
    gone: list[str] = []
    while True:
        done = run(words, _SECONDS, "regen", cwd=root)
        if done.returncode == 0:
            return gone
        said = (done.stderr.strip().splitlines() or ["no message"])[-1]
        said = said.removeprefix("harbor-conformance: ")
        played = _PLAYED.fullmatch(said)
        if played is None or len(gone) >= _MOST or played[1] in gone:
            raise OracleError(f"The answers of {spec} could not be had: {said}")
        gone.append(played[1])
        progress(f"left out, as its job comes to something else: {played[1]}")
        _leave_out(spec, folder, played[1], played[2])


def _leave_out(spec: str, folder: Path, vector_id: str, why: str) -> None:
    section = vector_id.split("/")[1]
    path = folder / f"{section}.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    entry = {"id": vector_id, "reason": f"{TODO}: say why {why}"}
    text = vector_text(spec, section, known.get("vectors", []), [*known.get("left_out", []), entry])
    write_text(path, text)
