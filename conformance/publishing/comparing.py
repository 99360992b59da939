"""The difference of two reports, as a page."""

from conformance.publishing.model import Page
from conformance.publishing.reading import Document

__all__ = ["difference"]


def difference(before: Document, after: Document) -> Page:
    """What changed from one report to another of the same kind, of whatever kit.

    Raises:
        PublishingError: they are of two kinds, or one contradicts itself.
    """
    raise NotImplementedError
