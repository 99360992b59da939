"""Shared code of the commands: options, output and progress."""
