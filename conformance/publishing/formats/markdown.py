"""A page as markdown."""

from conformance.publishing.model import Page

__all__ = ["as_markdown"]


def as_markdown(page: Page) -> str:
    """The page."""
    raise NotImplementedError
