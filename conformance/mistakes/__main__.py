"""A runner that makes known mistakes: ``python -m conformance.mistakes naive-sum[+another]``."""

import sys

from conformance.mistakes.catalogue import MistakeError, find_mistakes, made

__all__ = ["main"]


def main() -> None:
    """Answers the runner protocol as the reference would if it made the mistakes named."""
    try:
        mistakes = find_mistakes(sys.argv[1] if len(sys.argv) == 2 else "")
    except MistakeError as error:
        sys.exit(str(error))
    program = made(*mistakes).module("runner.serving")
    program.HELLO["runner"] = "mistake:" + "+".join(one.name for one in mistakes)
    program.main()


if __name__ == "__main__":
    main()
