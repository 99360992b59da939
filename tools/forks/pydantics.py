"""Releases of harbor with the oldest and the newest pydantic that each permits: no failure may be false.

``python -m tools.forks.pydantics [VERSION…]`` builds each environment with uv, outside the checkout, and asks
it every vector of the spec that fits it, whole jobs included. Where the two environments of a release fail
the same vectors that is the release's own difference; what only one of them fails is pydantic's, and false.
It ends with 1 where there is such a vector.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from conformance.oracle.building import cache_dir
from conformance.oracle.of_specs import fitting_spec
from conformance.oracle.python import find_uv, locate

VERSIONS = [f"0.{minor}.0" for minor in range(9, 26)]
REPOSITORY = Path(__file__).parents[2]
STEPS = ("2.11.7", "2.11.10", "2.12.0", "2.12.5", "2.13.0", "2.14.0")
"""What is tried as the oldest, from the one that the release names."""


def built(version: str, pydantic: str) -> Path | None:
    """An environment of the release with this pydantic, or the newest; None where there can be none."""
    folder = cache_dir() / "pydantics" / f"{version}-{pydantic or 'newest'}"
    if (folder / "whole").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    uv, python = find_uv(), folder / "bin" / "python"
    subprocess.run([uv, "venv", "-q", "--python", str(locate().path), str(folder)], check=True, timeout=120)
    wanted = [f"harbor=={version}", f"pydantic=={pydantic}" if pydantic else "pydantic"]
    overrides = folder / "overrides.txt"
    overrides.write_text("certifi\n", "utf-8")  # 0.25.0 demands one that the index may not have
    words = [uv, "pip", "install", "-q", "--python", str(python), "--override", str(overrides), *wanted]
    if subprocess.run(words, capture_output=True, timeout=900, check=False).returncode:
        shutil.rmtree(folder)
        return None
    (folder / "whole").touch()
    return folder


def value_of(folder: Path, code: str) -> str:
    """What the environment's Python prints."""
    command = [str(folder / "bin" / "python"), "-c", f"import importlib.metadata as m; print({code})"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()


def oldest(version: str, newest: Path) -> Path:
    """The environment with the oldest pydantic that the release permits, by its metadata and its packages."""
    bound = re.search(r"'pydantic[^']*?>=([0-9.]+)", value_of(newest, "m.requires('harbor')"))
    least = tuple(map(int, bound[1].split("."))) if bound else ()
    tried = [bound[1]] if bound else []
    tried += [one for one in STEPS if tuple(map(int, one.split("."))) > least]
    return next(folder for one in tried if (folder := built(version, one)) is not None)


def failed(folder: Path, spec: str, scratch: Path) -> dict[str, str]:
    """What fails there, by vector, with its outcome."""
    report = scratch / f"{folder.name}.json"
    command = [
        "run",
        "--runner",
        f"harbor:{folder}",
        "--spec",
        spec,
        "--report",
        str(report),
        "--failures",
        "0",
    ]
    subprocess.run(
        [sys.executable, "-c", "from conformance.cli import main; main()", *command],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        timeout=900,
        check=False,
    )
    results = json.loads(report.read_text("utf-8"))["results"]
    fine = ("passed", "unsupported")
    return {one["id"].partition("/")[2]: one["outcome"] for one in results if one["outcome"] not in fine}


def main() -> int:
    """Asks them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="*", metavar="VERSION", default=VERSIONS)
    false = 0
    for version in parser.parse_args().versions:
        newest = built(version, "")
        if newest is None:
            print(f"{version:8} can't be installed", flush=True)
            continue
        spec = fitting_spec(version)
        with tempfile.TemporaryDirectory() as scratch:
            old, new = (failed(one, spec, Path(scratch)) for one in (oldest(version, newest), newest))
        names = [value_of(one, "m.version('pydantic')") for one in (oldest(version, newest), newest)]
        only = sorted(set(old.items()) ^ set(new.items()))
        false += len(only)
        sections: dict[str, int] = {}
        for one in new:
            sections[one.split("/")[0]] = sections.get(one.split("/")[0], 0) + 1
        own = ", ".join(f"{count} of {name}" for name, count in sorted(sections.items())) or "none"
        print(
            f"{version:8} {spec:14} pydantic {names[0]:8} and {names[1]:8} "
            f"false: {len(only)}  its own: {own}",
            *(f"\n    {key}: {outcome}" for key, outcome in only[:5]),
            flush=True,
        )
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
