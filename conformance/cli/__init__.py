"""The command line: ``harbor-conformance <command>``. One module per command."""

from conformance.cli.main import main

__all__ = ["main"]
