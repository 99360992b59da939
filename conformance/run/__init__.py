"""A run: its options, and what comes between vectors and the runner."""
