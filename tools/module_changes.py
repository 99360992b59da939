"""Lists the definitions in score-deciding modules that differ between two installed harbors.

``python3.12 tools/module_changes.py OLD NEW`` prints a line for each module that differs. harbor's own Python
runs it, as older ones can't read harbor's syntax.
"""

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path

DECIDING = (
    *("job.py", "job_diff.py", "job_plan.py", "metrics/*", "models/dataset/*", "models/job/*"),
    *("models/metric/*", "models/task/*", "models/trial/*", "models/verifier/*", "tasks/*", "trial/*"),
    *("utils/pass_at_k.py", "verifier/*"),
)
"""The modules that read rewards, plan trials, aggregate, or write result.json."""


def modules(folder: Path) -> dict[str, str]:
    """The modules that decide scores, with their text."""
    found = sorted({path for pattern in DECIDING for path in (folder / "harbor").glob(pattern)})
    return {str(path.relative_to(folder)): path.read_text("utf-8") for path in found if path.suffix == ".py"}


def definitions(text: str) -> dict[str, str]:
    """A module's definitions by qualified name, without comments, docstrings and layout."""
    return dict(_defined(ast.parse(text), ""))


def _defined(node: ast.AST, where: str) -> Iterator[tuple[str, str]]:
    rest = []
    for part in getattr(node, "body", []):
        name = f"{where}{getattr(part, 'name', '')}"
        if isinstance(part, ast.ClassDef):
            yield from _defined(part, f"{name}.")
            yield (
                f"{name}()",
                ast.dump(ast.ClassDef(part.name, part.bases, part.keywords, [], part.decorator_list)),
            )
        elif isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(part) is not None:
                part.body = part.body[1:]
            yield name, ast.dump(part)
        elif not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)):
            rest.append(ast.dump(part))
    yield f"{where}(statements)", "\n".join(rest)


def differences(old: dict[str, str], new: dict[str, str]) -> Iterator[str]:
    """A line for each module with the definitions that are new, changed or gone."""
    for name in sorted(old.keys() | new.keys()):
        if name not in old or name not in new:
            yield f"{name}: {'new' if name in new else 'gone'}"
            continue
        before, after = definitions(old[name]), definitions(new[name])
        changed = sorted(one for one in before.keys() | after.keys() if before.get(one) != after.get(one))
        if changed:
            yield f"{name}: {', '.join(changed)}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs=2, type=Path, metavar="FOLDER", help="the old one, the new one")
    print(*differences(*map(modules, parser.parse_args().folders)), sep="\n")
