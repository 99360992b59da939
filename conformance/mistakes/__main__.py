"""A runner that makes known mistakes: ``python -m conformance.mistakes naive-sum[+another] [spec]``."""

import sys
from collections.abc import Callable

from conformance.mistakes.catalogue import MistakeError, find_mistakes, made
from conformance.mistakes.variant import Variant
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS

__all__ = ["main", "serve"]


def serve(kind: str, changed: Callable[[str, str], Variant]) -> None:
    """Answers the runner protocol like the copy of the reference that the command line names."""
    names, spec = (*sys.argv[1:], DEFAULT_SPEC)[:2] if len(sys.argv) in (2, 3) else ("", "")
    if spec not in SPECS:
        sys.exit(f"usage: python -m conformance.{kind}s NAME[+NAME] [{'|'.join(SPECS)}]")
    try:
        program = changed(names, spec).module("runner.serving")
    except MistakeError as error:
        sys.exit(str(error))
    program.HELLO["runner"] = f"{kind}:{names}"
    program.main()


def main() -> None:
    """Serves the reference with the known mistakes that the command line names."""
    serve("mistake", lambda names, spec: made(*find_mistakes(names, spec)))


if __name__ == "__main__":
    main()
