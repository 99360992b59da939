"""Prose in plain English: no words that betray a translation, no line that an editor has to scroll.

The check covers documents, the texts of vectors, descriptions in schemas, docstrings, comments, messages and
names of the code, and the files in other languages: templates, tables of rules, workflows.
"""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.test_documents import ROOT, TEXTS

PLAIN = {
    r"told|tells?|telling": "says, reports, shows, distinguishes",
    r"(?<!as it )stands?(?! for\b| in for\b|-in)": "is, is listed, comes",
    r"beside": "next to, with, besides",
    r"shall": "must",
    r"mend(s|ed|ing)?": "fix",
    r"anew": "again",
    r"in the place of": "in place of",
    r"comes? of": "follows",
    r"(is|are|was|were) (due|said)": "is expected; is reported",
    r"foretold": "predicted",
    r"who(so)?ever": "anyone who",
    r"asked again in other words": "rephrased",
    r"(could not|can't|cannot|to) be had": "is not available",
    r"hears? of": "is called with, learns",
    r"may yet": "may",
    r"the same of": "as for",
    r"answers? rightly": "answers correctly",
    r"left aside": "ignored",
    r"in (its|their) stead": "in place of it",
    r"fared?": "result",
    r"for ever": "forever",
    r"making way": "is replaced",
}
"""Words of a translator, with those of a colleague."""
IN_CODE = {
    r"came (of|to something)": "followed, resulted in",
    r"(?<!there )is no (report|file|list|folder|JSON|transcript|lock file|Python)": "is not a",
    r"(kept|left|computed|gathered|multiplied|those|space|worked out|them) apart": "separately",
    r"otherwise than": "differently from",
    r"as (the |its )?[\w'-]+ (has|have) it": "as in, in the form of",
    r"(is|are|was|were|be) held to": "is checked against, must satisfy",
    r"(answer|score)(s|ed)? otherwise": "differently",
    r"at hand": "available",
    r"somebody else's": "another tool's, another user's",
}
"""More of them, for code alone: documents and vectors may say these."""
AROUND = r"(?<![\w/`.-])({})(?![\w/`-])"
WORDS = re.compile(AROUND.format("|".join(PLAIN)), re.IGNORECASE)
CODE_WORDS = re.compile(AROUND.format("|".join((*PLAIN, *IN_CODE))), re.IGNORECASE)
TOKEN = re.compile(
    r'''"""(?P<doc>(?:[^\\]|\\.)*?)"""'''
    r"""|"(?P<double>(?:[^"\\\n]|\\.)*)"|'(?P<single>(?:[^'\\\n]|\\.)*)'|\#(?P<comment>[^\n]*)""",
    re.DOTALL,
)
"""A string or a comment of Python: a regular expression, as ``tokenize`` takes ten times as long."""
DIGESTED = ("conformance/judging/", "conformance/mutants/", "reference_impl/")
"""Their messages are part of digests (``mutants.proven``) and stay as they are."""
NAMES = frozenset({"told", "said", "due", "beside", "apart", "mend", "anew"})
"""Words that are not part of a name either."""
NAMED = {
    "reference_impl/harness_evals/operational.py": {"_told"},  # part of a digest
    "conformance/specs/harbor/aggregation/mistakes/means.py": {"due"},  # a memo has its answers by the code
    "conformance/specs/harbor/job_result/mistakes/counters.py": {"told"},  # as well
    "conformance/specs/harbor/aggregation/mistakes/trials.py": {"missing_key_skipped_beside_nulls"},
    "conformance/specs/harbor/pass_at_k/mistakes/estimates.py": {"numerators_and_denominators_apart"},
    "conformance/specs/metric_script/metric_script/mistakes.py": {"script_copied_beside_its_input"},
}
"""Names that users know, as those of mistakes, or that others use."""
OTHER_LANGUAGES = re.compile(r".*\.(txt|j2|jinja|go|rs|ts|java|cs|cpp|hpp|sh|toml|ya?ml|[mc]?js|css)")
PROSE = ("rule", "catches", "statement", "reason", "why", "says", "does", "unseen", "breaks")
"""The members of JSON files that people read."""
READMES = [
    *("tests/diagnosis/answers/README.md", "tests/runners/complete/README.md", "tools/jobs/README.md"),
    *(f"conformance/extensions/{name}/README.md" for name in ("dataset", "metrics", "releases")),
]


def sentences(value: Any, name: str = "") -> Iterator[str]:
    """The prose in a file of a spec, wherever it is."""
    if isinstance(value, str) and name in PROSE:
        yield value
    for key, each in value.items() if isinstance(value, dict) else ():
        if key not in ("input", "expected", "answers"):
            yield from sentences(each, key)
    for each in value if isinstance(value, list) else ():
        yield from sentences(each, name)


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The numbered lines of a document that are no code; code within them is left out."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        code ^= line.lstrip().startswith("```")
        if not code:
            yield number, re.sub(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->", "", line)


def texts_of(source: str, *, messages: bool = True) -> Iterator[tuple[int, str]]:
    """Docstrings, comments and, unless they must stay, messages, with their offsets and without code."""
    for token in TOKEN.finditer(source):
        kind = token.lastgroup or ""
        text = token[kind]
        if " " in text and (messages or kind in ("doc", "comment")):
            yield token.start(), re.sub(r"``.*?``|`[^`]*`|\{[^{}]*\}", lambda code: " " * len(code[0]), text)


def odd_words(source: str, *, messages: bool = True) -> Iterator[str]:
    """The words in a module's texts that a colleague would not use, each with its line."""
    for start, text in texts_of(source, messages=messages):
        for found in CODE_WORDS.finditer(text):
            line = source.count("\n", 0, start) + text.count("\n", 0, found.start()) + 1
            about = text[max(0, found.start() - 40) : found.end() + 40]
            yield f"{line}: {found[0]}: {' '.join(about.split())}"


def odd_names(source: str) -> Iterator[str]:
    """The names that a module gives, with such a word, each with its line."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                pass
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                pass
            case _:
                continue
        if NAMES & set(name.lower().split("_")):
            yield f"{node.lineno}: {name}"


def files(folder: str, pattern: str) -> Iterator[tuple[str, str]]:
    """The names and texts of a folder's files."""
    for path in sorted((ROOT / folder).rglob(pattern)):
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def modules() -> Iterator[tuple[str, str]]:
    for folder in ("conformance", "reference_impl", "tools"):
        yield from files(folder, "*.py")


def in_names() -> Iterator[str]:
    for name, source in modules():
        if not name.startswith("conformance/mutants/"):
            known = NAMED.get(name, ())
            yield from (f"{name}:{each}" for each in odd_names(source) if each.split()[-1] not in known)


def in_code() -> Iterator[str]:
    for name, source in modules():
        messages = not name.startswith(DIGESTED)
        yield from (f"{name}:{each}" for each in odd_words(source, messages=messages))


def in_files_of_other_languages() -> Iterator[str]:
    """Templates and tables: comments, texts and names, which are not distinguished."""
    paths = [path for path in (ROOT / "conformance").rglob("*") if OTHER_LANGUAGES.fullmatch(path.name)]
    assert len(paths) > 50
    paths += [ROOT / "action.yml", ROOT / "pyproject.toml", *ROOT.glob(".ci/run")]  # an sdist has no .ci
    for path in sorted(paths):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            found = CODE_WORDS.search(re.sub(r"`[^`]*`", "", line))
            if found:
                yield f"{path.relative_to(ROOT)}:{number}: {found[0]}: {line.strip()}"


def in_documents() -> Iterator[str]:
    for name in sorted({*TEXTS, *READMES}):
        for number, line in prose((ROOT / name).read_text(encoding="utf-8")):
            yield from (f"{name}:{number}: {m[0]}: {line}" for m in WORDS.finditer(line))


def in_lists_and_vectors() -> Iterator[str]:
    for folder in ("conformance/mistakes", "tools", "vectors"):
        for name, text in files(folder, "*.json"):
            for each in sentences(json.loads(text)) if not name.endswith("/lock.json") else ():
                yield from (f"{name}: {m[0]}: {each}" for m in WORDS.finditer(each))


def in_schemas() -> Iterator[str]:
    for name, source in files("schemas", "*.json"):
        for text in re.findall(r'"(?:description|title|\$comment)": ("(?:[^"\\]|\\.)*")', source):
            described = re.sub(r"`[^`]*`", "", json.loads(text))
            yield from (f"{name}: {m[0]}: {described}" for m in CODE_WORDS.finditer(described))


@pytest.mark.parametrize(
    "places", [in_names, in_code, in_files_of_other_languages, in_documents, in_lists_and_vectors, in_schemas]
)
def test_prose_is_in_plain_words(places: Any) -> None:
    assert list(places()) == []


NAMING = """
told = 1
def was_said(due): pass
class Said:
    beside: int = 0
self.due = expected
for said, residue in found: pass
found.due, due_ones(apart=1)
besides = due
"""


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ('"""What is told of a run."""', ["told"]),
        ("x = 1  # stands beside the other", ["stands", "beside"]),
        ('raise Error("the oracle could not be had")', ["could not be had"]),
        ("raise Error(f'{name} is no report')", ["is no report"]),
        ('"""Line one.\n\n    The job, where it is held to a dataset.\n    """', ["is held to"]),
        ('"""As the schema has it; it answers otherwise."""', ["As the schema has it", "answers otherwise"]),
        ('"""So many runs, mended anew by whoever comes."""', ["mended", "anew", "whoever"]),
        ("told = shall(beside)  # ``told`` and `stands` are names", []),
        ('"""Stands for a value; it is no longer used, and there is no other. Apart from that, fine."""', []),
        ('print("told")', []),
        ('print(f"it says {told} of {besides}")', []),
    ],
)
def test_odd_words_are_found(source: str, words: list[str]) -> None:
    assert [found.split(": ")[1] for found in odd_words(source)] == words
    assert words == [] or '"""' in source or "#" in source or list(odd_words(source, messages=False)) == []
    names = sorted(found.split()[-1] for found in odd_names(NAMING))
    assert names == ["Said", "beside", "due", "due", "said", "told", "was_said"]


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_prose_is_wrapped(name: str) -> None:
    """A table's row and code that is longer by itself are one line."""
    code, long = False, []
    for number, line in enumerate(TEXTS[name].splitlines(), 1):
        code ^= line.lstrip().startswith("```")
        words = re.sub(r"`[^`]*`", "``", line)
        if not code and len(line) > 100 and len(words) > 40 and not line.lstrip().startswith("|"):
            long.append(f"{name}:{number}")
    assert long == []
