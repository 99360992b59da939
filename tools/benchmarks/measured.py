"""Runs a command of the kit (``measured.py WORDS…``); the last line on stderr is the cost, as JSON."""

import json
import resource
import sys
import time

from conformance.cli import main

if __name__ == "__main__":
    code, began = 0, time.perf_counter()
    try:
        main()
    except SystemExit as stop:
        code = stop.code  # type: ignore[assignment]
    own, workers = (resource.getrusage(kind) for kind in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cost = {
        "code": code,
        "clock": time.perf_counter() - began,
        "processor": sum(usage.ru_utime + usage.ru_stime for usage in (own, workers)),
        "memory": own.ru_maxrss * 1024,
        "memory_of_a_worker": workers.ru_maxrss * 1024,
    }
    print(json.dumps(cost), file=sys.stderr)
