"""Known mistakes in compute."""
