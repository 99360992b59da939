"""Known mistakes in pass@k."""
