"""Known mistakes in metric resolution."""
