"""What changed from one report of ``run`` to another."""

from collections.abc import Mapping
from typing import Any

from conformance.publishing.model import Page

__all__ = ["difference"]


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> Page:
    """The page."""
    raise NotImplementedError
