"""Known mistakes in multi-step trials."""
