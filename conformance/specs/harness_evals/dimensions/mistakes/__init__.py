"""Known mistakes in dimensions."""
