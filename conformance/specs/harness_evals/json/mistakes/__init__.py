"""Known mistakes in this section: results as JSON lines."""
