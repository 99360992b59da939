"""A metric that leaves a daemon: two forks, a session of its own, no output held."""

import argparse
import json
import os
import time
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        time.sleep(120)
    os._exit(0)
args.output_path.write_text(json.dumps({"mean": 0.5}))
