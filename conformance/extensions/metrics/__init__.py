"""Checks of a single metric that somebody wrote, held to the contract of the system that it is for."""
