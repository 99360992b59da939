"""Datasets of small tasks for any harbor-compatible runner, and the expected results of their jobs."""
