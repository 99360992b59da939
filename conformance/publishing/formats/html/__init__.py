"""A page as HTML that needs nothing else: one file, no network, no script needed to read it."""

import base64
import hashlib
from functools import cache
from importlib.resources import files

import jinja2
from markupsafe import Markup

from conformance import __version__
from conformance.publishing.formats.html.budget import MOST_BYTES, Budget, Rungs
from conformance.publishing.formats.html.facets import labels, rules
from conformance.publishing.formats.html.texts import attribute
from conformance.publishing.formats.html.writer import Writer
from conformance.publishing.model import Page
from conformance.publishing.reading import KINDS

__all__ = ["as_html"]


def as_html(page: Page) -> str:
    """The page, in less than two megabytes: texts are cut until it is, and where they are it says so."""
    rungs = Rungs(page)
    budget = rungs.next()
    made = ""
    while budget is not None:
        made = _written(page, budget)
        taken = len(made.encode("utf-8"))
        budget = None if taken <= MOST_BYTES else rungs.next(taken)
    return made


def _written(page: Page, budget: Budget) -> str:
    writer = Writer(page, budget)
    templates = _templates()
    sections = Markup(templates.get_template("sections.html.jinja").render(page=page, w=writer))  # noqa: S704
    head = Markup(templates.get_template("head.html.jinja").render(page=page, w=writer))  # noqa: S704
    style = _asset("style.css") + rules(writer.tokens) + labels(writer.heads)
    script = _asset("page.js")
    return templates.get_template("page.html.jinja").render(
        page=page,
        w=writer,
        head=head,
        sections=sections,
        style=Markup(style),  # noqa: S704 - the kit's own
        style_hash=_hash(style),
        script=Markup(script),  # noqa: S704
        script_hash=_hash(script),
        version=__version__,
        schema=next(
            (f"urn:harbor-conformance:{name}:1" for name, kind in KINDS.items() if kind == page.kind), None
        ),
        description=attribute(f"{page.verdict.word}: {page.verdict.sentence}", 500),
    )


def _hash(text: str) -> str:
    """How a content security policy names an inline text."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(_asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
