"""Metric resolution: which metrics a job computes for each of its datasets."""
