"""Known mistakes in these rules."""
