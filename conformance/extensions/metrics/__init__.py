"""Checks a single metric against the contract of the system that it is for."""
