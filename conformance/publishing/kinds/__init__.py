"""Pages of reports: a module for each kind of report, with one function ``page``."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from conformance.publishing.model import Page
from conformance.publishing.reading import Document

__all__ = ["page_of"]


def page_of(document: Document) -> Page:
    """The page of a report.

    Raises:
        PublishingError: the report contradicts itself.
    """
    made: Page = import_module(f"{__name__}.{document.kind}").page(document.content)
    return made


Content = Mapping[str, Any]
