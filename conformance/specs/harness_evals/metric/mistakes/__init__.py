"""Known mistakes in this section: base classes of metrics, and what their constructors take."""
