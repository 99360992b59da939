"""Looks for a harbor that is newer than the last known one, and reports whether scores differ.

    python -m tools.upstream                        # the newest on PyPI, pre-releases included
    python -m tools.upstream --new 0.26.0 --known 0.25.0
    python -m tools.upstream --modules-only         # runs no vectors

Compares the modules that decide scores function by function, then asks both releases every vector.
Exit codes: 0 nothing that decides scores changed, 1 something did, 2 it could not be determined.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from packaging.version import Version

from conformance.oracle.environments import find_python
from conformance.oracle.python import find_uv
from conformance.registry.ops import SPECS


class UpstreamError(Exception):
    """The check failed; the message is one sentence."""


def installed(requirement: str, folder: Path) -> str:
    """Installs only harbor into a folder; returns its version.

    Raises:
        UpstreamError: uv can't.
    """
    command = [
        find_uv(),
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--prerelease",
        "allow",
    ]
    command += ["--python", find_python(), "--target", folder, requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UpstreamError(f"uv can't install {requirement}: {done.stderr.strip().splitlines()[-1]}")
    (named,) = folder.glob("harbor-*.dist-info")
    return named.name.removeprefix("harbor-").removesuffix(".dist-info")


def newest_spec() -> str:
    """The spec of the newest release that the kit knows."""
    of_releases = [name for name in SPECS if name.removeprefix("harbor-")[0].isdigit()]
    return max(of_releases, key=lambda name: Version(name.removeprefix("harbor-")))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.upstream", description=__doc__.partition("\n")[0])
    parser.add_argument("--known", default=newest_spec().removeprefix("harbor-"), help="the release known")
    parser.add_argument("--new", help="the release to look at; the newest by default")
    parser.add_argument("--modules-only", action="store_true", help="compare modules, run no vectors")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        try:
            wanted = "harbor" if asked.new is None else f"harbor=={asked.new}"
            new = installed(wanted, Path(work, "new"))
            if Version(new) <= Version(asked.known):
                print(f"nothing is newer than harbor {asked.known}")
                return 0
            installed(f"harbor=={asked.known}", Path(work, "known"))
        except UpstreamError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        command = [
            find_python(),
            Path(__file__).with_name("module_changes.py"),
            f"{work}/known",
            f"{work}/new",
        ]
        compared = subprocess.run(command, capture_output=True, text=True, check=True)
        changed = compared.stdout.splitlines()
    print(f"harbor {new} after {asked.known}: {len(changed)} modules that decide scores changed")
    print(*(f"  {line}" for line in changed), sep="\n", flush=True)
    if asked.modules_only:
        return int(bool(changed))
    kit = Path(sys.executable).with_name("harbor-conformance")
    command = [kit, "kit", "spec", "diff", asked.known, new, "--spec", newest_spec(), "--inputs", "1000"]
    differs = subprocess.run(command, check=False).returncode
    if not changed and not differs:
        print("nothing that decides scores changed")
    return max(differs, int(bool(changed)))


if __name__ == "__main__":
    sys.exit(main())
