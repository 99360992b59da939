"""The page of a report: a module for each kind, found by name, with one function ``page``."""

from importlib import import_module

from conformance.outcomes.reading import Document
from conformance.pages.model import Page

__all__ = ["KINDS", "page_of"]

KINDS = {
    "run": "conformance.pages.run",
    "fuzz": "conformance.pages.fuzz",
    "check": "conformance.extensions.audit.page",
    "metric": "conformance.extensions.metrics.page",
    "matrix": "conformance.extensions.releases.matrix.page",
}
"""Where the function of each kind is."""


def page_of(document: Document) -> Page:
    """The page of a report."""
    made: Page = import_module(KINDS[document.kind]).page(document.content)
    return made
