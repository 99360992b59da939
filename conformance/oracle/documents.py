"""Finds the documents that the specs describe.

They are not part of the kit. Set HARBOR_CONFORMANCE_DOCUMENTS to their folder, or keep them in
``shared/spec`` next to the checkout.
"""

import os
import re
from pathlib import Path

__all__ = ["DOCUMENTS_VARIABLE", "find_document"]

DOCUMENTS_VARIABLE = "HARBOR_CONFORMANCE_DOCUMENTS"


def find_document(number: str) -> Path | None:
    """The text of document ``number`` ("003"), or None if it is not available.

    The environment is read at each call. When the variable is set, only its folder is searched.
    """
    default = Path(__file__).resolve().parents[3] / "shared" / "spec"
    folder = Path(os.environ.get(DOCUMENTS_VARIABLE) or default)
    if not folder.is_dir():
        return None
    named = re.compile(rf"{re.escape(number)}(?![0-9]).*\.(?:txt|md)")
    paths = sorted(path for path in folder.iterdir() if named.fullmatch(path.name) and path.is_file())
    return paths[0] if paths else None
