"""Known mistakes in registry."""
