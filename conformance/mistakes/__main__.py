"""A runner that makes known mistakes: ``python -m conformance.mistakes naive-sum[+another] [spec]``."""

import sys

from conformance.mistakes.catalogue import MistakeError, find_mistakes, made
from conformance.paths import DEFAULT_SPEC

__all__ = ["main"]


def main() -> None:
    """Answers the runner protocol as the reference would if it made the mistakes named."""
    names, spec = ([*sys.argv[1:], DEFAULT_SPEC] if len(sys.argv) in (2, 3) else ["", DEFAULT_SPEC])[:2]
    try:
        mistakes = find_mistakes(names, spec)
    except MistakeError as error:
        sys.exit(str(error))
    program = made(*mistakes).module("runner.serving")
    program.HELLO["runner"] = "mistake:" + "+".join(one.name for one in mistakes)
    program.main()


if __name__ == "__main__":
    main()
