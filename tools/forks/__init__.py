"""Forks of harbor with known changes, and what the kit says of them."""
