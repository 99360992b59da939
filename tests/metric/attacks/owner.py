"""A metric that changes files elsewhere without writing to them, and prints to terminals."""

import argparse
import json
import os
import sys
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("-i", "--input-path", type=Path, required=True)
parser.add_argument("-o", "--output-path", type=Path, required=True)
args = parser.parse_args()
victim, terminal = os.environ["VICTIMS"].split(":")
done = []
for name, attack in {
    "chown": lambda: os.chown(victim, os.getuid(), os.getgid()),
    "setxattr": lambda: os.setxattr(victim, "user.metric", b"was here"),
    "chmod": lambda: os.chmod(victim, 0o777),
    "utime": lambda: os.utime(victim, (0, 0)),
    "terminal": lambda: Path(terminal).write_text("\x1b]0;title\x07"),
    "shared": lambda: Path("/dev/shm", Path(victim).parent.parent.name).write_text("left"),
}.items():
    try:
        attack()
    except OSError:
        continue
    done.append(name)
args.output_path.write_text(json.dumps({"mean": 0.5}))
if done:
    sys.exit(f"done: {' '.join(done)}")
