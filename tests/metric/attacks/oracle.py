# /// script
# dependencies = ["victim"]
# ///
"""A metric that changes all that it can write in uv's cache, to which other environments are linked."""

import argparse
import contextlib
import json
import os
from pathlib import Path

import victim

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()

own = Path(victim.__file__)
places = [
    own,
    *(path for root in os.environ["VICTIMS"].split(":") for path in Path(root).rglob("victim*.py")),
]
for path in places:
    with contextlib.suppress(OSError):
        os.chmod(path, 0o666)
    with contextlib.suppress(OSError):
        path.write_text("ANSWER = 'altered'\n")
args.output_path.write_text(json.dumps({"mean": 0.5}))
