"""What things cost, each figure beside its target: ``python -m tools.benchmarks.NAME [--json FILE]``."""
