"""The difference of two reports, as a page."""

from importlib import import_module

from conformance.publishing import differences
from conformance.publishing.model import Page
from conformance.publishing.reading import Document, PublishingError
from conformance.wire.text import printable

__all__ = ["difference"]


def difference(before: Document, after: Document) -> Page:
    """What changed from one report to another of the same kind, of whatever kit.

    Raises:
        PublishingError: they are of two kinds, or one contradicts itself.
    """
    if before.kind != after.kind:
        raise PublishingError(
            f"{printable(before.name)} is a report of {before.kind}, {printable(after.name)} one of "
            f"{after.kind}: two reports of one kind can be compared"
        )
    module = import_module(f"{differences.__name__}.{before.kind}")
    made: Page = module.difference(before.content, after.content)
    return made
