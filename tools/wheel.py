"""Builds sdist and wheel of the last commit in a clean clone, and compares their files with the commit's.

    python -m tools.wheel FOLDER

The clone is FOLDER/clone, and its `dist` has the built files. Exits with 1 if a file is missing or
superfluous.
"""

import argparse
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
IN_WHEEL = {
    "conformance/": "conformance/",
    "reference_impl/": "reference_impl/",
    "harbor_conformance_pytest.py": "harbor_conformance_pytest.py",
    "vectors/": "conformance/data/vectors/",
    "schemas/": "conformance/data/schemas/",
    "docs/unicode-15.0.json": "conformance/data/unicode-15.0.json",
    "LICENSE": "{metadata}licenses/LICENSE",
}
MADE = {"METADATA", "RECORD", "WHEEL", "entry_points.txt"}


def in_wheel(files: list[str], metadata: str) -> Iterator[str]:
    """The expected content of a wheel with these files."""
    yield from (metadata + name for name in MADE)
    for begin, target in IN_WHEEL.items():
        for name in files:
            if name.startswith(begin):
                yield target.format(metadata=metadata) + name.removeprefix(begin)


def differences(title: str, expected: set[str], actual: set[str]) -> Iterator[str]:
    """A line for each missing or superfluous file."""
    yield from (f"{title}: {name} is missing" for name in sorted(expected - actual))
    yield from (f"{title}: {name} is left over" for name in sorted(actual - expected))


def main(folder: Path) -> int:
    clone = folder / "clone"
    subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
    files = subprocess.check_output(["git", "ls-files", "-z"], cwd=clone, text=True).strip("\0").split("\0")
    subprocess.run([Path(sys.executable).with_name("uv"), "build", "-q", clone], check=True)
    (wheel,), (sdist,) = (clone / "dist").glob("*.whl"), (clone / "dist").glob("*.tar.gz")
    metadata = f"{wheel.name.removesuffix('-py3-none-any.whl')}.dist-info/"
    with zipfile.ZipFile(wheel) as opened:
        packaged = set(opened.namelist())
    with tarfile.open(sdist) as packed:
        members = {member.name.partition("/")[2] for member in packed if member.isfile()}
    in_sdist = {"PKG-INFO", *(name for name in files if not name.startswith(".ci/"))}
    problems = [
        *differences(wheel.name, {*in_wheel(files, metadata)}, packaged),
        *differences(sdist.name, in_sdist, members),
    ]
    print("\n".join(problems) or f"{wheel}: {len(packaged)} files\n{sdist}: {len(members)} files")
    return 1 if problems else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    sys.exit(main(parser.parse_args().folder.absolute()))
