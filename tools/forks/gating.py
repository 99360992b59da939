"""Gates the forks of ``gated.json``, each one place away from a release.

Run it as ``python -m tools.forks.gating [NAME…]``.

Each is gated as its author would: ``harbor:PATH`` names a checkout, whose environment is the oracle's. A line
says how many vectors fail and of which ops. It ends with 1 if a gate is green of a fork that is not.
``--played`` only asks the whole jobs, which is quicker.
"""

import argparse
import functools
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from conformance.oracle import environments
from conformance.oracle.of_specs import recipe_of
from tools.forks.forking import Edit, Patch, make, package

GATED = Path(__file__).with_name("gated.json")
REPOSITORY = Path(__file__).parents[2]
HARMLESS = {"prints"}
"""What changes no answer."""
SECONDS = 600


def forks() -> list[dict[str, Any]]:
    """All forks: those with different answers, then those that can't be imported."""
    known = json.loads(GATED.read_text("utf-8"))
    return [*known["patches"], *known["broken"]]


@functools.cache
def oracle(release: str) -> environments.Oracle:
    """The environment of a release; to look for its Python takes a process."""
    return environments.ensure(lambda _: None, recipe=recipe_of(f"harbor-{release}"))


def checkout(one: dict[str, Any], scratch: Path) -> Path:
    """A checkout of the fork, with its own environment, as an author has it."""
    built = oracle(one.get("release", "0.13.1"))
    edits = (Edit(one["file"], one["old"], one["new"]),) if "old" in one else ()
    patch = Patch(one["name"], one.get("does", ""), edits, (), (), "", "", False)
    folder = make(patch, scratch / one["name"], package(built.python))
    (folder / ".venv").symlink_to(built.folder)
    version = built.version
    (folder / "pyproject.toml").write_text(f'[project]\nname = "harbor"\nversion = "{version}"\n', "utf-8")
    path = folder / "harbor" / one["file"]
    if one.get("delete") and not one["file"]:
        for entry in sorted(path.rglob("*"), reverse=True):
            entry.rmdir() if entry.is_dir() else entry.unlink()
        (path / "__init__.py").touch()
    elif not edits:
        text = path.read_text("utf-8")
        path.unlink()
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
            compiled.unlink()
        if not one.get("delete"):
            path.write_text(one.get("prepend", "") + text + one.get("append", ""), "utf-8")
    return folder


def gate(folder: Path, spec: str, played: bool) -> tuple[int, dict[str, Any], str, float]:
    """The exit code, the report, what was printed, and the processor's seconds."""
    output = folder.parent / f"{folder.name}-gate"
    report = output / "report.json"
    output.mkdir()
    command = ["run", "--report", str(report), f"{spec}/played/*"] if played else ["gate", "-o", str(output)]
    command += ["--runner", f"harbor:{folder}", "--spec", spec]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", "from conformance.cli import main; main()", *command],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "COLUMNS": "200"},
        cwd=folder.parent,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    content = json.loads(report.read_text("utf-8")) if report.exists() else {}
    return done.returncode, content, done.stdout + done.stderr, seconds


def failed_ops(report: dict[str, Any]) -> str:
    """How many vectors fail, by op."""
    counts: dict[str, int] = {}
    for one in report.get("results", ()):
        if one["outcome"] not in ("passed", "unsupported"):
            section = one["id"].split("/")[1]
            counts[section] = counts.get(section, 0) + 1
    return ", ".join(f"{count} of {name}" for name, count in sorted(counts.items())) or "none"


def main() -> int:
    """Gates them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--played", action="store_true")
    options = parser.parse_args()
    chosen = [one for one in forks() if not options.names or one["name"] in options.names]
    green = []
    for one in chosen:
        with tempfile.TemporaryDirectory() as scratch:
            folder = checkout(one, Path(scratch))
            code, report, printed, seconds = gate(
                folder, f"harbor-{one.get('release', '0.13.1')}", options.played
            )
        summary = failed_ops(report)
        if summary == "none" and code:
            summary = next((line for line in reversed(printed.splitlines()) if line.strip()), "")
        crashed = "Traceback (most recent call last)" in printed
        print(f"{one['name']:36} exit {code}  {seconds:5.1f} s  {summary}", flush=True)
        if (code == 0 or crashed) and one["name"] not in HARMLESS:
            green.append(one["name"])
    print(f"{len(chosen)} forks, {len(green)} of them green: {', '.join(green) or 'none'}")
    return 1 if green else 0


if __name__ == "__main__":
    sys.exit(main())
