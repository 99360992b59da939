"""The summary of scores by dimension."""
