"""Known mistakes in metric script."""
