"""Pieces of work for the tests of `conformance.workers`, which other processes load."""

import os
import signal
import time
from pathlib import Path
from typing import NamedTuple


class Piece(NamedTuple):
    """A number to square, and what happens on the way."""

    number: int
    seconds: float = 0.0
    deaths: int = 0
    """How many processes die over it."""
    folder: str = ""
    """Where notes are left: a file for each time that it was begun."""
    weight: float = 1.0


def squared(piece: Piece) -> int:
    if piece.folder:
        begun = len(list(Path(piece.folder).glob(f"{piece.number}-*")))
        (Path(piece.folder) / f"{piece.number}-{os.getpid()}").touch()
        if begun < piece.deaths:
            os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(piece.seconds)
    return piece.number**2


def refuses(piece: Piece) -> int:
    raise ValueError(f"no {piece.number}")
