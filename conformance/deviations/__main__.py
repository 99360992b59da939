"""A runner that deviates: ``python -m conformance.deviations ID[+ID][+MISTAKE] [spec]``."""

from conformance.deviations.runner import deviating, find_deviations
from conformance.mistakes.__main__ import serve

__all__ = ["main"]


def main() -> None:
    """Serves the reference with the deviations and mistakes that the command line names."""
    serve("deviation", lambda names, spec: deviating(*find_deviations(names, spec), spec))


if __name__ == "__main__":
    main()
