"""A run: its options, and everything between vectors and the runner."""
