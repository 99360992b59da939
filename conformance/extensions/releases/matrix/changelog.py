"""The page of harbor's releases: what changed for scores, in people's words, beside what a kept matrix shows.

``docs/harbor-releases-rules.json`` has a sentence or two for each rule; the kept matrix, what was executed.
A rule that names clauses is shown by the vectors of the first spec that fail since then, one that names new
clauses by the vectors of the last spec that fail before; one that names none was only read.
"""

from collections.abc import Mapping
from typing import Any

from conformance.extensions.releases.matrix.markdown import as_text, made, spec_lines, table
from conformance.extensions.releases.matrix.words import plural, rows_of
from conformance.formats.markdown_text import escaped

__all__ = ["changelog", "contradictions", "shown"]

_SAME = "·"


def changelog(document: Mapping[str, Any], rules: Mapping[str, Any]) -> str:
    """The page, as Markdown."""
    lines = [f"# {rules['title']}", "", *rules["intro"], "", made(document), ""]
    lines += ["## What changed, by release", ""]
    cells = [
        [
            rule["since"],
            escaped(rule["rule"]),
            escaped(rule["scores"]),
            _shown_by(rule, document),
        ]
        for rule in rules["rules"]
    ]
    lines += table(["first in", "what changed", "what it does to a score", "shown by"], cells)
    first, last = document["specs"][0], document["specs"][-1]
    lines += ["## Release by rule, executed", ""]
    lines += [f"Vectors of `{first}` that a release answers otherwise, by the rules above; `{_SAME}`: none."]
    lines += _grid(document, rules, first, "clauses")
    if last != first:
        lines += [f"Vectors of `{last}` that a release fails, as it lacks the rule."]
        lines += _grid(document, rules, last, "new_clauses")
    lines += ["## What did not change", "", *(f"- {escaped(one)}" for one in rules["unchanged"]), ""]
    for each in document["specs"]:
        lines += spec_lines(document, each)
    lines += ["## How this page is made", "", *rules["making"], ""]
    return as_text(lines)


def _grid(document: Mapping[str, Any], rules: Mapping[str, Any], spec: str, clauses: str) -> list[str]:
    """A table of rules and releases: how many vectors of the rules' clauses fail."""
    rows = [row for row in rows_of(document, spec) if row["result"] is not None]
    counted = [(rule, [shown(rule, row, clauses) for row in rows]) for rule in rules["rules"]]
    grid = [
        [escaped(rule["rule"]), *(str(count) if count else _SAME for count in counts)]
        for rule, counts in counted
        if any(counts)
    ]
    return table(["rule", *(escaped(row["subject"]) for row in rows)], grid, numbers=True)


def shown(rule: Mapping[str, Any], row: Mapping[str, Any], clauses: str = "clauses") -> int:
    """How many vectors of the rule's clauses a release answers otherwise, or of its new ones."""
    wanted, ops = set(rule[clauses]), set(rule["ops"])
    failures = row["result"]["failures"] if row["result"] is not None else []
    return sum(one["count"] for one in failures if one["clause"] in wanted and (not ops or one["op"] in ops))


def contradictions(document: Mapping[str, Any], rules: Mapping[str, Any]) -> list[str]:
    """Where the rules say otherwise than what was executed, a sentence each."""
    rows = _releases(document, document["specs"][0])
    said: list[str] = []
    for rule in rules["rules"]:
        since = _version(rule["since"])
        for row in rows:
            count = shown(rule, row)
            if rule["clauses"] and (_released(row) >= since) != bool(count):
                said.append(f"{rule['rule']!r}, since {rule['since']}: {row['subject']} shows {count}")
        for row in _releases(document, document["specs"][-1]):
            if _released(row) >= since and (count := shown(rule, row, "new_clauses")):
                said.append(f"{rule['rule']!r}, since {rule['since']}: {row['subject']} fails {count}")
    for row in rows:
        said += [
            f"{row['subject']} answers {one['clause']} ({one['op']}) otherwise, which no rule explains"
            for one in row["result"]["failures"]
            if not any(
                one["clause"] in rule["clauses"] and one["op"] in (rule["ops"] or [one["op"]])
                for rule in rules["rules"]
            )
        ]
    return said


def _releases(document: Mapping[str, Any], spec: str) -> list[dict[str, Any]]:
    """The rows of one spec that answered, and say which release they are."""
    return [row for row in rows_of(document, spec) if row["result"] is not None and _released(row)]


def _released(row: Mapping[str, Any]) -> tuple[int, ...]:
    return _version(row["result"]["runner"]["version"])


def _version(text: str | None) -> tuple[int, ...]:
    """A release as numbers, for their order; empty where it is none."""
    parts = (text or "").split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() and part.isascii() for part in parts) else ()


def _shown_by(rule: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    files = ", ".join(f"`{name}`" for name in rule["files"])
    first, last = document["specs"][0], document["specs"][-1]
    shows = [count for row in _releases(document, first) if (count := shown(rule, row))]
    fails = [count for row in _releases(document, last) if (count := shown(rule, row, "new_clauses"))]
    said = [f"{plural(max(shows), 'vector')} of `{first}` answered otherwise"] if shows else []
    said += [f"{plural(max(fails), 'vector')} of `{last}` failed by earlier releases"] if fails else []
    if "program" in rule:
        said.append(f"`{rule['program']}`")
    return f"executed: {'; '.join(said)} ({files})" if said else f"read: {files}"
