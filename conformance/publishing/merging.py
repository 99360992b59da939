"""One run of several parts: shards of the same run, put together again."""

from collections.abc import Sequence
from typing import Any

from conformance.publishing.reading import Document

__all__ = ["merged"]


def merged(parts: Sequence[Document]) -> dict[str, Any]:
    """The report that the whole run would have written; parts that are missing are named in its problems.

    Raises:
        PublishingError: the parts are not of one run, or overlap.
    """
    raise NotImplementedError
