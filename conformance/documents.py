"""Finding the documents that the kit describes.

They are not part of the kit. Whoever has them names their folder in HARBOR_CONFORMANCE_DOCUMENTS,
or keeps them in ``shared/spec`` beside the checkout.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["DOCUMENTS_VARIABLE", "find_document"]

DOCUMENTS_VARIABLE = "HARBOR_CONFORMANCE_DOCUMENTS"
_SUFFIXES = (".txt", ".md")


def find_document(number: str) -> Path | None:
    """The text of document ``number`` ("003"), or None where it is not at hand.

    The environment is read at each call. When the variable is set, only its folder is searched.
    """
    named = os.environ.get(DOCUMENTS_VARIABLE)
    if named:
        folder = Path(named)
    else:
        folder = Path(__file__).resolve().parents[1].parent / "shared" / "spec"
    if not folder.is_dir():
        return None
    found = sorted(
        path
        for path in folder.iterdir()
        if path.suffix in _SUFFIXES and path.stem.split("_")[0].split("-")[0] == number and path.is_file()
    )
    return found[0] if found else None
