"""What releases of harbor, forks and runners do differently (README.md)."""
