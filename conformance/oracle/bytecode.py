"""Prints which bytecode files differ from what their source compiles to. A standalone program.

The Python that wrote the files runs it. Their paths come on standard input, one per line, relative to the
folder given as its argument.
"""

import importlib.util
import marshal
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

_HEADER = 16


def matches_source(path: Path) -> bool:
    """Whether a bytecode file, if Python would read it, holds what its source compiles to."""
    try:
        source = Path(importlib.util.source_from_cache(str(path)))
        data = path.read_bytes()
        if data[:4] != importlib.util.MAGIC_NUMBER:
            return False
        expected = compile(source.read_bytes(), str(source), "exec", dont_inherit=True, optimize=0)
        return bool(marshal.loads(data[_HEADER:]) == expected)  # noqa: S302 - compared, not executed
    except (OSError, ValueError, EOFError, TypeError, SyntaxError):
        return False


def main() -> None:
    """Prints the paths of those that differ."""
    folder = Path(sys.argv[1])
    paths = sys.stdin.read().splitlines()
    with ProcessPoolExecutor() as pool:
        for path, expected in zip(
            paths, pool.map(matches_source, [folder / path for path in paths], chunksize=64), strict=True
        ):
            if not expected:
                print(path)  # noqa: T201 - its answer


if __name__ == "__main__":
    main()
