"""A page as html."""

from conformance.publishing.model import Page

__all__ = ["as_html"]


def as_html(page: Page) -> str:
    """The page."""
    raise NotImplementedError
