"""Misreadings of the documents, found by people who read them in order to implement them.

Each reader's file stays as it was when it was closed: which misreadings the vectors of that day missed, and
what became of these. Most were known mistakes once, and were removed (``conformance.mistakes.removed``).
"""

from pathlib import Path

__all__ = ["FOLDER"]

FOLDER = Path(__file__).parent
