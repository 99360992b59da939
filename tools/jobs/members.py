"""Writes members.json: the members of each published release's result models, in order.

    python -m tools.jobs.members [VERSION...]

Each release is fetched from the package index without dependencies, and its sources are read, not run. Given
versions are added to the existing ones; without any, all are read again.
"""

import argparse
import ast
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from conformance.oracle.python import find_uv
from tools.jobs.kept import Json, key

MEMBERS = Path(__file__).with_name("members.json")
MODELS = {
    "job/result.py": ("JobResult", "JobStats", "AgentDatasetStats"),
    "trial/result.py": (
        *("TrialResult", "AgentInfo", "ModelInfo", "TimingInfo", "ExceptionInfo", "StepResult"),
    ),
    "agent/context.py": ("AgentContext", "ModelUsage"),
    "verifier/result.py": ("VerifierResult",),
    "job/config.py": ("JobConfig", "DatasetConfig"),
    "trial/config.py": ("TrialConfig", "TaskConfig", "AgentConfig"),
}
"""The models, by the module of `harbor.models` that defines them."""
ABSENT: Json = {"absent": True}


def fetched(release: str, folder: Path) -> Path:
    """The release's `harbor.models`, unpacked."""
    options = ("--quiet", "--no-deps", "--no-build", "--no-compile-bytecode", "--python-version", "3.12")
    command = (find_uv(), "pip", "install", *options, "--target", str(folder), f"harbor=={release}")
    subprocess.run(command, check=True, timeout=300, cwd=folder)
    return folder / "harbor" / "models"


def read(models: Path) -> dict[str, Json]:
    """The members of each model, and which of them may be null; None if the release has no such model."""
    found: dict[str, Json] = {}
    for module, names in MODELS.items():
        path = models / module
        tree = ast.parse(path.read_text("utf-8")) if path.exists() else ast.Module([], [])
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        for name in names:
            members = dict(members_of(classes[name], classes)) if name in classes else {}
            nullable = [member for member, null in members.items() if null]
            found[name] = {"members": [*members], "nullable": nullable} if name in classes else ABSENT
    return found


def members_of(model: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> Iterator[tuple[str, bool]]:
    """The fields of a model, its bases' first, then what it computes, each with whether it may be null.

    Fields that are omitted when empty are excluded.
    """
    for base in model.bases:
        if isinstance(base, ast.Name) and base.id in classes:
            yield from members_of(classes[base.id], classes)
    for line in model.body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            kind = ast.unparse(line.annotation)
            left_out = isinstance(line.value, ast.Call) and any(
                each.arg in ("exclude", "exclude_if") for each in line.value.keywords
            )
            if not kind.startswith("ClassVar") and line.target.id != "model_config" and not left_out:
                yield line.target.id, "None" in kind
    for line in model.body:
        if isinstance(line, ast.FunctionDef) and any(
            isinstance(one, ast.Name) and one.id == "computed_field" for one in line.decorator_list
        ):
            yield line.name, line.returns is None or "None" in ast.unparse(line.returns)


def main(versions: list[str]) -> None:
    there = json.loads(MEMBERS.read_text("utf-8"))
    known: dict[str, dict[str, Json]] = {}
    for release in there["releases"] if versions else ():
        of = known[release] = {}
        for name, runs in there["models"].items():
            run = next(run for run in runs if key(run["first"]) <= key(release) <= key(run["last"]))
            of[name] = {what: run[what] for what in run if what not in ("first", "last")}
    for release in versions or there["releases"]:
        print(release, file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            known[release] = read(fetched(release, Path(folder)))
    models: dict[str, list[Json]] = {}
    for release in sorted(known, key=key):
        for name, members in known[release].items():
            runs = models.setdefault(name, [])
            if runs and {**runs[-1], **members, "last": runs[-1]["last"]} == runs[-1]:
                runs[-1]["last"] = release
            else:
                runs.append({"first": release, "last": release, **members})
    made = {"releases": sorted(known, key=key), "models": models}
    MEMBERS.write_text(json.dumps(made, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="VERSION")
    main(parser.parse_args().names)
