"""Formats of a page: text, log, Markdown, HTML, JUnit, CTRF, badge. Each escapes everything it writes."""

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
    """Render the page in a format; ``options`` are passed to its writer, such as ``limit`` for Markdown.

    Raises:
        ReportError: the format can't show this page.
    """
    module, _, function = name.partition("-")
    write: Callable[..., str] = getattr(import_module(f"{__name__}.{module}"), f"as_{function or module}")
    return write(page, **options)
