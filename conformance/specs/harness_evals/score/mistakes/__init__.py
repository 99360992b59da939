"""Known mistakes in score."""
