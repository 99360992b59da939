"""A page as text."""

from conformance.publishing.model import Page

__all__ = ["as_text"]


def as_text(page: Page) -> str:
    """The page."""
    raise NotImplementedError
