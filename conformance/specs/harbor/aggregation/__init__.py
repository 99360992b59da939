"""Aggregation: combines the rewards of many trials into one metric."""
