"""Measures costs, each figure next to its target: ``python -m tools.benchmarks.cost [--json FILE]``."""
