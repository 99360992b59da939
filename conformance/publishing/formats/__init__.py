"""Formats: a page as text, Markdown, HTML, JUnit, a badge. Each escapes whatever it writes."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from conformance.publishing.model import Page

__all__ = ["ENDINGS", "FORMATS", "rendered"]

FORMATS = ("text", "markdown", "html", "junit", "badge-json", "badge-svg")
ENDINGS = {"text": ".txt", "markdown": ".md", "html": ".html", "junit": ".xml", "badge-json": ".json"}
ENDINGS["badge-svg"] = ".svg"


def rendered(page: Page, name: str, **options: Any) -> str:
    """The page in a format; ``options`` are those of its writer, such as ``limit`` of Markdown.

    Raises:
        PublishingError: the page has nothing that the format could show.
    """
    module, _, function = name.partition("-")
    write: Callable[..., str] = getattr(import_module(f"{__name__}.{module}"), f"as_{function or module}")
    return write(page, **options)
