"""Runs the proofs of several errata in one process, so that the package under proof is imported once.

Reads ``{erratum: Python code}`` as JSON, writes ``{erratum: [stdout, stderr]}``. Every proof runs in a
separate child process, forked after the imports, so that they do not affect each other. It is run by an
oracle's Python.
"""

import argparse
import contextlib
import importlib
import json
import os
import re
import sys
import tempfile
import traceback


def proven(code: str) -> list[str]:
    """The standard output and standard error of a proof."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if not child:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            try:
                exec(code, {"__name__": "__main__"})
            except BaseException:
                traceback.print_exc()
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(child, 0)
        printed = []
        for file in (out, err):
            file.seek(0)
            printed.append(file.read().decode())
        return printed


def main() -> None:
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    proofs: dict[str, str] = json.load(sys.stdin)
    for name in sorted(
        set(re.findall(r"^(?:from|import) ([\w.]+)", "\n".join(proofs.values()), re.MULTILINE))
    ):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    json.dump({erratum: proven(code) for erratum, code in proofs.items()}, sys.stdout)


if __name__ == "__main__":
    main()
