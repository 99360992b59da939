"""The misreadings of the documents: what readers understood who were to implement them.

Each reader's file is kept as it was closed: which misreadings the vectors of that day let pass, and what
became of these. Most were known mistakes once, and were removed (``conformance.mistakes.removed``).
"""

from pathlib import Path

__all__ = ["FOLDER"]

FOLDER = Path(__file__).parent
