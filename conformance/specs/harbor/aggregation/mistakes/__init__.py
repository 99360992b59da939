"""Known mistakes in aggregation."""
