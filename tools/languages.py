"""Finds the languages whose templates have changed since their tests passed at a release.

    python -m tools.languages

records the current state of all languages, once ``pytest -m release tests/templates`` has passed. Normal runs
test unchanged languages only for Python and C++.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from conformance.templates.languages import LANGUAGES

ROOT = Path(__file__).parents[1]
TEMPLATES, TESTS = ROOT / "conformance" / "templates", ROOT / "tests" / "templates"
RECORD = TESTS / "released.json"


def digest(slug: str) -> str:
    """The digest of everything that makes a project in the language, and of its tests."""
    folders = (TEMPLATES / "files" / slug, TESTS / slug, TESTS / "echoing")
    files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    content = hashlib.sha256()
    for path in (*files, TEMPLATES / "languages.py", TEMPLATES / "writing.py"):
        if "__pycache__" not in path.parts:
            content.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    return content.hexdigest()


def changed() -> Iterator[str]:
    known = json.loads(RECORD.read_text("utf-8"))
    for language in LANGUAGES:
        if known.get(language.slug) != digest(language.slug):
            yield language.slug


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    digests = {language.slug: digest(language.slug) for language in LANGUAGES}
    RECORD.write_text(json.dumps(digests, indent=2) + "\n", "utf-8")
