"""A harbor's part of a job: the reference without `outcome`, its answers to `pipeline` without the line.

`partial.py owing` names `outcome` all the same, so that the line is due; `partial.py wrong` counts a trial
too many in each result.json.
"""

import sys
from collections.abc import Callable
from typing import Any

import reference_impl.runner.serving as runner

Operation = Callable[[Any], Any]


def part(pipeline: Operation, *, wrong: bool) -> Operation:
    def answer(given: Any) -> Any:
        file = pipeline({**given, "n_total_trials": given["n_total_trials"] + wrong})["result.json"]
        return {"result.json": file}

    return answer


if __name__ == "__main__":
    how = sys.argv[1] if len(sys.argv) > 1 else ""
    runner.OPERATIONS["pipeline"] = part(runner.OPERATIONS["pipeline"], wrong=how == "wrong")
    if how != "owing":
        runner.HELLO["ops"] = [name for name in runner.OPERATIONS if name != "outcome"]
    runner.main()
