"""Known mistakes in evals key."""
