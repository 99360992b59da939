"""Differences of two reports: a module for each kind, with one function ``difference(before, after)``."""
