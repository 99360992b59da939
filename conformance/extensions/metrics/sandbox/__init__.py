"""Runs untrusted commands in bubblewrap with limits, and reads their output files."""
