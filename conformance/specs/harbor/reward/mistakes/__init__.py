"""Known mistakes in reward files."""
