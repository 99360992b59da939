"""Known mistakes in multi step."""
