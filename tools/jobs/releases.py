"""Lets published releases of harbor write the jobs that are stored in ``kept``.

    python -m tools.jobs.releases [VERSION...] [many]

Each release plays the jobs of `described` in its own environment, without containers or network; the results,
without logs, ids and times, are stored. Without names, all stored jobs of 0.9 and later are written again.
The jobs of earlier releases stay as they are: their environments are no longer built.
"""

import argparse
import functools
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from conformance.oracle.python import find_uv
from conformance.oracle.releases import ensure_release
from tools.jobs import described
from tools.jobs.kept import MANY, Json, key, releases, store

PLAYING = Path(__file__).with_name("playing.py")
SECONDS = 900
PINNED = "0.13.1"
FIRST = (0, 9)
"""The first release for which there is an adapter, and so an environment."""


show = functools.partial(print, file=sys.stderr)


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
    jobs: Json = json.loads(done.stdout)
    return jobs


def main(names: list[str]) -> None:
    for name in names or [*(release for release in releases() if key(release) >= FIRST), MANY]:
        many = name == MANY
        descriptions = described.MANY if many else described.descriptions(key(name))
        jobs = written_by(ensure_release(PINNED if many else name, show).python, descriptions)
        show(f"{name}: {len(jobs)} jobs, {store(name, jobs)} bytes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="VERSION")
    main(parser.parse_args().names)
