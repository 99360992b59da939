"""Datasets of small tasks for any harbor-compatible runner, and the reports that their jobs must give."""
