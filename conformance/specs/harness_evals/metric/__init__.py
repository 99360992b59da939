"""Base classes of metrics, and what their constructors take."""
