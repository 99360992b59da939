"""Known mistakes in evaluate."""
