"""Trials of several steps: gates, and one reward from many."""
