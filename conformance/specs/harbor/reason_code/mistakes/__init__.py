"""Known mistakes in reason code."""
