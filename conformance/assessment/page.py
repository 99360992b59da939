"""Renders the page.

The table that counts expected answers by source is in other documents as well, between two comments.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import jinja2

from conformance.assessment import tables
from conformance.assessment.benchmarks import Benchmark
from conformance.assessment.measurements import Measurements
from conformance.formats.markdown_text import code, escaped
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import OPS, SPEC_TABLE, SPECS
from conformance.suite.vectors import Vector, load_spec

__all__ = ["PAGE", "answer_counts", "outdated_documents", "render"]

PAGE = "SELF-ASSESSMENT.md"
"""The page's file name, at the root of the checkout."""

_DOCUMENTS = {"README.md": (DEFAULT_SPEC,), "vectors/README.md": SPECS}
"""Which specs' answers each document counts, apart from the page that `assess` writes whole."""
_BEGIN, _END = "<!-- answers-by-source -->\n", "\n<!-- end -->"
_HERE = Path(__file__).parent


def render(specs: Sequence[Measurements], benchmarks: Sequence[Benchmark] = ()) -> str:
    """The page; it depends only on the measurements."""
    limits = (_HERE / "limits.md").read_text(encoding="utf-8").strip()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=False,  # noqa: S701 - Markdown, not HTML; conformance.formats.markdown_text escapes
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"code": code, "escaped": escaped, "table": tables.table}
    page = environment.get_template("page.md.j2")
    shortfalls = [sentence for one in specs for sentence in one.shortfalls()]
    return page.render(
        tables=tables, specs=specs, shortfalls=shortfalls, benchmarks=benchmarks, limits=limits
    )


def answer_counts(spec: str) -> dict[str, int]:
    """The number of a spec's vectors by the source of their answers."""
    return dict(Counter(map(_source, load_spec(spec))))


def outdated_documents(root: Path) -> dict[Path, str]:
    """The documents of a checkout whose table is outdated, each with the text that it should have."""
    counts = {spec: answer_counts(spec) for spec in SPECS}
    outdated = {}
    for path, specs in ((root / name, specs) for name, specs in _DOCUMENTS.items()):
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        before, begin, rest = text.partition(_BEGIN)
        _, end, after = rest.partition(_END)
        shown = tables.table(tables.answers(counts[spec] for spec in specs), "the answer comes from", *specs)
        if begin and (renewed := "".join([before, begin, shown, end, after])) != text:
            outdated[path] = renewed
    return outdated


def _source(vector: Vector) -> str:
    oracle = SPEC_TABLE[vector.op.spec].oracle
    further = {one.provenance: one.answered_by for one in oracle.further}
    own = oracle.partly_own.get(vector.op.name, oracle.answered_by)
    source = further.get(vector.provenance or "", own)
    if vector.op.completed_by is None:
        return source
    rest = OPS[vector.op.completed_by]
    return f"{source}, and for the {rest.ok_lines[0][0]} {further[rest.source]}"
