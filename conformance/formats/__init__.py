"""Formats: a page as text, a log, Markdown, HTML, JUnit, CTRF, a badge. Each escapes whatever it writes."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from conformance.pages.model import Page

__all__ = ["ENDINGS", "FORMATS", "render"]

ENDINGS = {
    "text": ".txt",
    "log": ".log",
    "markdown": ".md",
    "html": ".html",
    "junit": ".xml",
    "ctrf": ".ctrf.json",
    "badge-json": ".json",
    "badge-svg": ".svg",
}
FORMATS = tuple(ENDINGS)


def render(page: Page, name: str, **options: Any) -> str:
    """The page in a format; ``options`` are those of its writer, such as ``limit`` of Markdown.

    Raises:
        ReportError: the page has nothing that the format could show.
    """
    module, _, function = name.partition("-")
    write: Callable[..., str] = getattr(import_module(f"{__name__}.{module}"), f"as_{function or module}")
    return write(page, **options)
