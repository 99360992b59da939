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
from environments import key, python_of, tell
from situations import descriptions

HERE = Path(__file__).parent
JOBS = HERE / "jobs"
PLAYING = HERE / "playing.py"
SUFFIX = ".json.xz"
SECONDS = 900

Json = dict[str, Any]


def releases() -> list[str]:
    """Those that are here, from old to new."""
    return sorted((path.name.removesuffix(SUFFIX) for path in JOBS.glob(f"*{SUFFIX}")), key=key)


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


def kept(release: str) -> Json:
    """What is kept of a release: `{situation: {"files": {path: text}, "errors", "message"}}`."""
    made: Json = json.loads(lzma.decompress((JOBS / f"{release}{SUFFIX}").read_bytes()))
    return made


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
