"""Writes members.json: the members of each published release's result models, in order.

    python tests/check/release_jobs/make_members.py [VERSION...]

Each release is fetched from the package index without what it needs, and its sources are read, not run.
Given versions are added to those that are there; without any, all are read anew.
"""

import ast
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.oracle.python import find_uv

HERE = Path(__file__).parent
MEMBERS = HERE / "members.json"
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

Json = dict[str, Any]


def fetched(release: str, folder: Path) -> Path:
    """The release's `harbor.models`, unpacked."""
    options = ("--quiet", "--no-deps", "--no-build", "--no-compile-bytecode", "--python-version", "3.12")
    command = (find_uv(), "pip", "install", *options, "--target", str(folder), f"harbor=={release}")
    subprocess.run(command, check=True, timeout=300, cwd=folder)
    return folder / "harbor" / "models"


def read(models: Path) -> dict[str, Json | None]:
    """Each model's members and which of them may be null; None where the release has no such model."""
    found: dict[str, Json | None] = {}
    for module, names in MODELS.items():
        path = models / module
        tree = ast.parse(path.read_text("utf-8")) if path.exists() else ast.Module([], [])
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        for name in names:
            found[name] = None
            if name in classes:
                members = dict(members_of(classes[name], classes))
                found[name] = {
                    "members": [*members],
                    "nullable": [member for member, null in members.items() if null],
                }
    return found


def members_of(model: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> Iterator[tuple[str, bool]]:
    """The fields of a model, its bases' first, each with whether it may be null."""
    for base in model.bases:
        if isinstance(base, ast.Name) and base.id in classes:
            yield from members_of(classes[base.id], classes)
    for line in model.body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            kind = ast.unparse(line.annotation)
            left_out = isinstance(line.value, ast.Call) and any(
                each.arg == "exclude" for each in line.value.keywords
            )
            if not kind.startswith("ClassVar") and line.target.id != "model_config" and not left_out:
                yield line.target.id, "None" in kind


def key(version: str) -> tuple[int, ...]:
    """What versions are ordered by."""
    return tuple(map(int, version.split(".")))


def joined(by_release: dict[str, dict[str, Json | None]]) -> Json:
    """Each model's members, said once for the releases in a row that have the same."""
    models: dict[str, list[Json]] = {}
    for release, found in by_release.items():
        for name, said in found.items():
            runs = models.setdefault(name, [])
            same = runs and {k: v for k, v in runs[-1].items() if k not in ("first", "last")}
            if runs and same == (said or {"absent": True}):
                runs[-1]["last"] = release
            else:
                runs.append({"first": release, "last": release, **(said or {"absent": True})})
    return {"releases": [*by_release], "models": models}


def separate(document: Json) -> dict[str, dict[str, Json | None]]:
    """The reverse of `joined`."""

    def at(release: str, runs: list[Json]) -> Json | None:
        run = next(run for run in runs if key(run["first"]) <= key(release) <= key(run["last"]))
        return None if "absent" in run else {"members": run["members"], "nullable": run["nullable"]}

    return {
        release: {name: at(release, runs) for name, runs in document["models"].items()}
        for release in document["releases"]
    }


def main(versions: list[str]) -> None:
    """Reads these."""
    there = json.loads(MEMBERS.read_text("utf-8")) if MEMBERS.exists() else {"releases": [], "models": {}}
    known = separate(there) if versions else {}
    for release in versions or there["releases"]:
        print(release, file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            known[release] = read(fetched(release, Path(folder)))
    made = joined(dict(sorted(known.items(), key=lambda one: key(one[0]))))
    MEMBERS.write_text(json.dumps(made, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
