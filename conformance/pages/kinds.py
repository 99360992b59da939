"""Builds the page of a report, with the function ``page`` in the module for its kind."""

from importlib import import_module

from conformance.outcomes.reading import Document
from conformance.pages.model import Page

__all__ = ["KINDS", "page_of"]

KINDS = {
    "run": "conformance.pages.run",
    "fuzz": "conformance.pages.fuzz",
    "check": "conformance.extensions.audit.page",
    "metric": "conformance.extensions.metrics.report",
    "matrix": "conformance.extensions.releases.matrix.page",
}
"""The module for each kind of report."""


def page_of(document: Document) -> Page:
    """Return the page of a report."""
    page: Page = import_module(KINDS[document.kind]).page(document.content)
    return page
