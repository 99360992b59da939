"""Known mistakes in template."""
