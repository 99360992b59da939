"""A runner that tries to give a CI system orders: in its name, its answers, and on standard error."""

import json
import os
import sys
from pathlib import Path

ORDERS = (
    "::error::hijacked",
    "::set-output name=verdict::hijacked",
    "::add-mask::passed",
    "::stop-commands::hijacked",
    "##[error]hijacked",
    "##vso[task.setvariable variable=verdict]hijacked",
    "verdict<<EOF",
    "hijacked",
    "EOF",
    "verdict=hijacked",
    "<script>hijacked()</script>",
    "| a | b |\n|---|---|\n```\n# hijacked\n![](https://example.invalid/hijacked.png)",
)
TEXT = "\n".join(ORDERS)

for name in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STEP_SUMMARY"):
    if name in os.environ:  # what anything in a job's step does
        with open(os.environ[name], "a", encoding="utf-8") as file:
            file.write("verdict=hijacked\n")
kept = os.environ.get("RUNNER_TEMP")
if kept and "looking" in sys.argv:  # what only somebody does who looks for the files
    for path in (Path(kept) / "_runner_file_commands").glob("*_*"):
        if not path.name.startswith("script"):
            with path.open("a", encoding="utf-8") as file:
                file.write("verdict<<EOF\nhijacked\n")

print(TEXT, file=sys.stderr, flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        name = TEXT[:300]
        reply = {"ok": {"runner": name, "version": TEXT[:60], "protocol": 1, "ops": ["evsys.compute"]}}
    elif request["id"] % 3:
        reply = {"error": {"type": "ValueError", "reason_code": None, "message": TEXT}}
    else:
        reply = {"ok": {TEXT: TEXT}}
    print(TEXT if request["id"] == 7 else json.dumps({"id": request["id"], **reply}), flush=True)
    print(TEXT, file=sys.stderr, flush=True)
