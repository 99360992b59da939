"""Properties of the outcome line."""
