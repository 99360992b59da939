"""Starts one command several times, one after the other. A program of its own, one file.

It reads a job (JSON file): the command, and per call the further arguments, the variables, the working
directory and files for its outputs. After each call it writes a line of JSON: ``code``.
"""

import json
import subprocess
import sys


def main(path: str) -> None:
    """Makes the calls."""
    with open(path, encoding="utf-8") as file:
        job = json.load(file)
    for call in job["calls"]:
        with open(call["stdout"], "wb") as printed, open(call["stderr"], "wb") as said:
            done = subprocess.run(
                [*job["command"], *call["arguments"]],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=said,
                cwd=call["folder"],
                env=call["environment"],
                check=False,
            )
        print(json.dumps({"code": done.returncode}), flush=True)  # noqa: T201 - its answer


if __name__ == "__main__":
    main(sys.argv[1])
