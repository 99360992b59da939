"""Results as JSON lines."""
