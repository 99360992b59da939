"""The manifest of a dataset of small tasks, and a job held to it."""
