"""Known mistakes in plan."""
