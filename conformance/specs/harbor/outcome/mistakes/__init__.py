"""Known mistakes in outcome."""
