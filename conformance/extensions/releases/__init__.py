"""Compares releases of harbor, forks and runners (README.md)."""
