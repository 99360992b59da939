"""Base classes of metrics, and their constructors' arguments."""
