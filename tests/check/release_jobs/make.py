"""Lets published releases of harbor write the jobs of this folder: `jobs/VERSION.json.xz`.

    python tests/check/release_jobs/make.py [VERSION...]

Each release plays the jobs of situations.py in an environment of its own, without containers or network; what
it leaves, without logs, ids and times, is kept. Without versions, the releases that are here are made anew.
"""

import json
import lzma
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import uv
from environments import python_of, tell
from kept_jobs import JOBS, SUFFIX, key, releases
from situations import descriptions

PLAYING = Path(__file__).with_name("playing.py")
SECONDS = 900

Json = dict[str, Any]


def written_by(release: str) -> Json:
    """What a release writes of each job, and how each ends."""
    said = descriptions(key(release))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    path = os.pathsep.join([str(Path(uv.find_uv_bin()).parent), os.environ.get("PATH", os.defpath)])
    settings = {"PATH": path, "PYTHONHASHSEED": "0", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    command = [str(python_of(release)), "-s", str(PLAYING)]
    done = subprocess.run(
        command,
        input=json.dumps(said),
        env={**kept, **settings},
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
        timeout=SECONDS,
    )
    made: Json = json.loads(done.stdout)
    return made


def text(made: Json) -> str:
    """A release's jobs, as they are kept."""
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def main(versions: list[str]) -> None:
    """Makes these."""
    JOBS.mkdir(exist_ok=True)
    for release in versions or releases():
        made = written_by(release)
        packed = lzma.compress(text(made).encode(), preset=9 | lzma.PRESET_EXTREME)
        (JOBS / f"{release}{SUFFIX}").write_bytes(packed)
        tell(f"{release}: {len(made)} jobs, {len(packed)} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
