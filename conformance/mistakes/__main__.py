"""A runner that makes known mistakes: ``python -m conformance.mistakes naive-sum[+another] [spec]``."""

import sys

from conformance.mistakes.catalogue import MistakeError, find_mistakes, made
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS

__all__ = ["main"]


def main() -> None:
    """Answers the runner protocol like a reference that makes the named mistakes."""
    arguments = sys.argv[1:]
    names = arguments[0] if len(arguments) in (1, 2) else ""
    spec = arguments[1] if len(arguments) == 2 else DEFAULT_SPEC
    if spec not in SPECS:
        names, spec = "", DEFAULT_SPEC
    try:
        mistakes = find_mistakes(names, spec)
    except MistakeError as error:
        sys.exit(str(error))
    program = made(*mistakes).module("runner.serving")
    program.HELLO["runner"] = "mistake:" + "+".join(one.name for one in mistakes)
    program.main()


if __name__ == "__main__":
    main()
