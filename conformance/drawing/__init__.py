"""Random values and texts that the sections' inputs are made of."""
