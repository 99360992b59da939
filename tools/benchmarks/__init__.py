"""Measures costs, each figure next to its target: ``python -m tools.benchmarks.NAME [--json FILE]``."""
