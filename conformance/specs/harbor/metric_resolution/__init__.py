"""Metric resolution: the metrics that a job computes for each of its datasets."""
