"""Datasets of small tasks that any harbor-compatible runner can run, and what their jobs must report."""
