"""Known mistakes in metric."""
