"""Makes published releases of harbor write the jobs that are stored here.

    python -m tools.jobs.releases [VERSION...] [many]

Each release plays the jobs of `described` in its own environment, without containers or network; the results,
without logs, ids and times, are stored. Without names, all existing ones are made again. From 0.9 on the
environments are those of `conformance.oracle.releases`; older ones, which the adapter does not support, are
built in the same cache, from the packages available on the day of the upload.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from conformance.oracle import building
from conformance.oracle.index import Index
from conformance.oracle.python import find_uv, locate
from conformance.oracle.releases import ensure_release
from tools.jobs import described
from tools.jobs.kept import MANY, Json, key, releases, store

PLAYING = Path(__file__).with_name("playing.py")
SECONDS = 900
PINNED = "0.13.1"
FIRST_WITH_ADAPTER = (0, 9)
PREFIX = "release-jobs-harbor"
"""`oracle --remove-releases` removes these from the cache, like all releases."""
MARKER = "packages.txt"


def python_of(version: str) -> Path:
    """The Python of that release's environment, which is built on first use."""
    if key(version) >= FIRST_WITH_ADAPTER:
        return ensure_release(version, show).python
    python = locate("3.12", progress=show)
    machine = f"{platform.system()}-{platform.machine()}".lower()
    folder = building.cache_dir() / f"{PREFIX}-{version}-python-{python.version}-{machine}"
    if not (folder / MARKER).exists():
        uv = find_uv()
        resolved = Index(uv, python, "harbor").resolve(version)
        show(f"building harbor {version}, as of {resolved.as_of}, once, in {folder.parent}")
        folder.parent.mkdir(parents=True, exist_ok=True)
        partial = building.partial_of(folder)
        try:
            environment = building.make_environment(partial, python, uv)
            building.install(partial, environment, uv, resolved.installed, f"harbor {version}")
            building.put_in_place(partial, folder, False, (folder / MARKER).exists)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    return building.python_in(folder)


def show(sentence: str) -> None:
    """Prints the name of a slow step."""
    print(sentence, file=sys.stderr)


def written_by(python: Path, descriptions: Mapping[str, Json]) -> Json:
    """The files that the release in that environment writes for each job, and how each job ends."""
    kept_names = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    path = os.pathsep.join([str(Path(find_uv()).parent), os.environ.get("PATH", os.defpath)])
    settings = {"PATH": path, "PYTHONHASHSEED": "0", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    done = subprocess.run(
        [str(python), "-s", str(PLAYING)],
        input=json.dumps(descriptions),
        env={**kept_names, **settings},  # a script metric needs uv
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
        timeout=SECONDS,
    )
    made: Json = json.loads(done.stdout)
    return made


def main(names: list[str]) -> None:
    """Stores the jobs of the named releases."""
    for name in names or [*releases(), MANY]:
        many = name == MANY
        descriptions = described.MANY if many else described.descriptions(key(name))
        made = written_by(python_of(PINNED if many else name), descriptions)
        show(f"{name}: {len(made)} jobs, {store(name, made)} bytes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="VERSION")
    main(parser.parse_args().names)
