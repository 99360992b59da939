"""Known mistakes in terminal bench."""
