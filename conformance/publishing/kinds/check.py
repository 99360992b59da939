"""The page of a report of ``check``."""

from collections.abc import Mapping
from typing import Any

from conformance.publishing.model import Page

__all__ = ["page"]


def page(document: Mapping[str, Any]) -> Page:
    """The page."""
    raise NotImplementedError
