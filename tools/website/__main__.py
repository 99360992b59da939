"""Builds the site: ``python -m tools.website [FOLDER]``; FOLDER is ``site`` by default.

The guides are the repository's Markdown files. The pages of rules and mistakes are generated from the same
data as ``explain``. A broken link stops the build.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import jinja2
import yaml

from conformance.formats.markdown_text import escaped, inline
from conformance.mistakes import Mistake, all_mistakes
from conformance.paths import spec_names
from conformance.suite.clauses import Clause, load_clauses, traces
from conformance.suite.vectors import load_spec
from conformance.wire.text import compact, shortened

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
WHOLE = 12
"""The number of a rule's vectors shown with input and answer; of others, only the rule is shown."""
BRIEF = 600
"""Characters of an input or an answer."""
_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)")
_ERRATUM = re.compile(r"^## (E\d+): (.*)$", re.MULTILINE)


def prose(text: str) -> str:
    """Text on one line as Markdown: escaped, except for spans between backticks."""
    parts = " ".join(text.split()).split("`")
    if len(parts) % 2 == 0:
        return escaped("`".join(parts))
    return inline((bool(number % 2), part) for number, part in enumerate(parts))


def sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


class Site:
    """The pages, written to a folder that mkdocs reads."""

    def __init__(self, folder: Path, source: str) -> None:
        self.folder = folder
        self.source = source
        loader = jinja2.FileSystemLoader(HERE / "templates")
        self.templates = jinja2.Environment(
            loader=loader, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
        )
        self.templates.filters |= {
            "prose": prose,
            "sentence": sentence,
            "brief": lambda value: shortened(compact(value, BRIEF), BRIEF),
        }
        self.errata = dict(_ERRATUM.findall((ROOT / "ERRATA.md").read_text("utf-8")))
        self.changes: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for rule in json.loads((ROOT / "docs/harbor-releases-rules.json").read_text("utf-8"))["rules"]:
            for clause in [*rule["clauses"], *rule["new_clauses"]]:
                self.changes[clause].append(rule)

    def write(self) -> None:
        self.guides()
        mistakes = {
            spec: [item for item in all_mistakes().values() if item.spec == spec] for spec in spec_names()
        }
        for spec in spec_names():
            self.rules(spec, mistakes[spec])
            if mistakes[spec]:
                named = {clause.id: clause for clause in load_clauses(spec)}
                self.page(
                    f"mistakes/{spec}.md", "mistakes", spec=spec, mistakes=mistakes[spec], clauses=named
                )
        counts = [(spec, f"{len(load_clauses(spec))} rules") for spec in spec_names()]
        self.page("rules/index.md", "index", title="Rules", specs=counts)
        counts = [(spec, f"{len(listed)} known mistakes") for spec, listed in mistakes.items() if listed]
        self.page("mistakes/index.md", "index", title="Known mistakes", specs=counts)

    def page(self, path: str, template: str, **values: Any) -> None:
        text = self.templates.get_template(f"{template}.md.j2").render(values)
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, encoding="utf-8")

    def guides(self) -> None:
        """Copies the files in the navigation; links to other files point to the repository."""
        pages = pages_of(yaml.safe_load((HERE / "mkdocs.yml").read_text("utf-8"))["nav"])
        copied = {page for page in pages if (ROOT / page).is_file()}
        for page in copied:
            copy = self.folder / page
            copy.parent.mkdir(parents=True, exist_ok=True)

            def link(match: "re.Match[str]", page: str = page) -> str:
                target = (ROOT / page).parent.joinpath(match[1]).resolve()
                if not target.is_relative_to(ROOT) or not target.exists():
                    raise SystemExit(f"{page}: the link {match[1]} leads nowhere")
                path = str(target.relative_to(ROOT))
                return match[0] if path in copied else f"]({self.source}/{path}{match[2] or ''})"

            copy.write_text(_LINK.sub(link, (ROOT / page).read_text("utf-8")), encoding="utf-8")

    def rules(self, spec: str, mistakes: list[Mistake]) -> None:
        clauses, vectors = load_clauses(spec), load_spec(spec, package=True)
        traced, named = traces(vectors), {vector.id: vector for vector in vectors}
        sections = [
            (*where, list(held))
            for where, held in groupby(clauses, key=lambda clause: (clause.document, clause.section))
        ]
        self.page(f"rules/{spec}.md", "rules", spec=spec, clauses=clauses, shown=traced, sections=sections)
        for clause in clauses:
            listed = [vector_row(named[vector_id]) for vector_id in traced.get(clause.id, ())]
            self.page(
                f"rules/{spec}/{clause.id}.md",
                "rule",
                clause=clause,
                where=self.where(clause),
                releases=self.changes.get(clause.id, ()),
                mistakes=[mistake for mistake in mistakes if mistake.clause == clause.id],
                vectors=listed[:WHOLE],
                more=listed[WHOLE:],
            )

    def where(self, clause: Clause) -> str:
        """Sentences about a rule's source: the document, the releases, the errata."""
        sentences = [f"Document {clause.document}, section {clause.section}."]
        if clause.first:
            sentences.append(f"It holds since harbor {clause.first}.")
        if clause.last:
            sentences.append(f"It holds up to harbor {clause.last}.")
        for erratum in re.findall(r"E\d+", clause.erratum or ""):
            title = self.errata.get(erratum)
            sentences.append(
                f"Corrected by the executed system: [erratum {erratum}](../../ERRATA.md"
                f"#{slug(f'{erratum}: {title}')})."
                if title
                else f"Erratum {erratum}."
            )
        return " ".join(sentences)


def vector_row(vector: Any) -> dict[str, Any]:
    row = {name: getattr(vector, name) for name in ("rule", "catches", "input", "expected")}
    return {**row, "short_id": vector.id.partition("/")[2]}


def slug(heading: str) -> str:
    """The anchor that mkdocs generates for a heading."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


def pages_of(entry: Any) -> Iterator[str]:
    """The files that a navigation names."""
    match entry:
        case str():
            yield entry
        case list():
            for part in entry:
                yield from pages_of(part)
        case dict():
            for part in entry.values():
                yield from pages_of(part)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.website", description=__doc__)
    parser.add_argument("folder", nargs="?", default="site", type=Path)
    options = parser.parse_args()
    urls = Path(ROOT / "pyproject.toml").read_text("utf-8")
    home = re.search(r'^Source = "([^"]+)"', urls, re.MULTILINE)
    assert home
    with tempfile.TemporaryDirectory() as work:
        Site(Path(work, "docs"), f"{home[1]}/blob/HEAD").write()
        shutil.copy(HERE / "mkdocs.yml", work)
        command = [sys.executable, "-m", "mkdocs", "build", "-q", "-d", str(options.folder.resolve())]
        sys.exit(subprocess.run(command, cwd=work, check=False).returncode)


if __name__ == "__main__":
    main()
