"""Known mistakes in reward."""
