"""Forks of harbor with known changes, and the kit's results for them."""
