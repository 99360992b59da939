"""A runner that deviates: ``python -m conformance.deviations ID[+ID][+MISTAKE] [spec]``."""

import sys

from conformance.deviations.runner import deviating, find_deviations
from conformance.mistakes import MistakeError
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS

__all__ = ["main"]


def main() -> None:
    """Answers the runner protocol as the reference would if it deviated so."""
    if len(sys.argv) not in (2, 3) or sys.argv[-1] not in (sys.argv[1], *SPECS):
        sys.exit(__doc__)
    names, spec = sys.argv[1], sys.argv[2] if len(sys.argv) == 3 else DEFAULT_SPEC
    try:
        deviations, mistakes = find_deviations(names, spec)
    except MistakeError as error:
        sys.exit(str(error))
    program = deviating(deviations, mistakes, spec).module("runner.serving")
    program.HELLO["runner"] = f"deviation:{names}"
    program.main()


if __name__ == "__main__":
    main()
