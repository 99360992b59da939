"""Known mistakes in the outcome line."""
