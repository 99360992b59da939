"""Checks one attacking metric in a process of its own, which the attack may end.

It prints what the run came to and what the machine was said to have: a program that tests start as root
and as an ordinary user. ``VICTIMS`` gets its own process where ``own`` is asked for.
"""

import dataclasses
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from conformance.metric import confinement, protection
from conformance.metric.confinement import Limits
from conformance.metric.evsys import EvsysChecker
from conformance.metric.script import ScriptChecker


def main() -> None:
    asked = json.loads(sys.argv[1])
    if asked.get("own"):
        os.environ["VICTIMS"] += f":{os.getpid()}"
    held = dataclasses.replace(protection.protections(), **asked["without"])
    confinement.protections = lambda: held
    limits = Limits(**asked.get("limits", {}))
    checker: Any
    if "class" in asked:
        checker = EvsysChecker(f"{asked['script']}:{asked['class']}", limits=limits)
    else:
        # its key is named: an attack need not be run until its keys are found
        checker = ScriptChecker(asked["script"], limits=limits, python=sys.executable, keys=("reward",))
    checker.header()
    given = {case.name: case for case in checker.cases}
    found = [
        [finding.rule.name, finding.sentence]
        for case in asked["cases"]
        for finding in checker.check(given[case]).findings
    ]
    del checker
    left = sorted(path.name for path in Path(tempfile.gettempdir()).iterdir())
    print(json.dumps({"found": found, "left": left, "user": os.getuid(), "held": dataclasses.asdict(held)}))


if __name__ == "__main__":
    main()
