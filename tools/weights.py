"""Recounts the lines of packages and modules, for the table in CONTRIBUTING.md.

    python -m tools.weights

Lines are those of Python and of Jinja templates, docstrings included. Projects in other languages, snapshots
and data don't count.
"""

import argparse
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
KIT = ROOT / "conformance"
DOCUMENT = ROOT / "CONTRIBUTING.md"
TABLE = re.compile(r"(?<=<!-- weights -->\n\n).*?(?=\n<!-- end of weights -->)", re.DOTALL)
NAMES = re.compile(r"`([^`]+)`")
COUNTED = re.compile(r"\(((?:`[^`]+`, )+)[0-9,]+\)")


def files_of(name: str) -> set[Path]:
    """The files of a package, of a module named without ``.py``, or of a folder in the repository."""
    paths = [base / name for base in (KIT, ROOT)]
    files = {file for path in paths for ending in ("py", "j2") for file in path.rglob(f"*.{ending}")}
    files |= {*paths, *(path.with_name(f"{path.name}.py") for path in paths)}
    if name == "modules":
        files |= set(KIT.glob("*.py"))
    projects = KIT / "templates" / "files"
    return {file for file in files if file.is_file() and projects not in file.parents}


def lines_of(names: list[str]) -> str:
    files = {file for name in names for file in files_of(name)}
    lines = sum(len(file.read_bytes().splitlines()) for file in files)
    return f"{lines:,}"


def written(text: str) -> str:
    def row(line: str) -> str:
        _, name, _, aim, extra, _ = line.split("|") if line.count("|") == 5 else [""] * 6
        if not (names := NAMES.findall(name)):
            return line
        extra = COUNTED.sub(lambda match: f"({match[1]}{lines_of(NAMES.findall(match[1]))})", extra)
        return f"|{name}| {lines_of(names)} |{aim}|{extra}|"

    return TABLE.sub(lambda match: "\n".join(map(row, match[0].split("\n"))), text)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    DOCUMENT.write_text(written(DOCUMENT.read_text("utf-8")), "utf-8")
