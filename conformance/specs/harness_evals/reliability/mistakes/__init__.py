"""Known mistakes in reliability."""
