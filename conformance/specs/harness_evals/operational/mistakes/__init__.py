"""Known mistakes in operational."""
