"""A run: its options, and what stands between vectors and the runner."""
