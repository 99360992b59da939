"""A page's badge: shields.io's endpoint JSON, and an SVG of its own."""

from conformance.publishing.model import Page

__all__ = ["as_json", "as_svg"]


def as_json(page: Page) -> str:
    """The JSON document that shields.io's endpoint badge reads."""
    raise NotImplementedError


def as_svg(page: Page) -> str:
    """The badge as a picture."""
    raise NotImplementedError
