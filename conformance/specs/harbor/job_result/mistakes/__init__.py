"""Known mistakes in job result."""
