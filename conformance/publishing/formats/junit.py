"""A page as junit."""

from conformance.publishing.model import Page

__all__ = ["as_junit"]


def as_junit(page: Page) -> str:
    """The page."""
    raise NotImplementedError
