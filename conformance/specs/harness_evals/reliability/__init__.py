"""Metrics over several runs of one case."""
