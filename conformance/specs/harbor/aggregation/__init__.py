"""Aggregation: the rewards of many trials, made one metric."""
