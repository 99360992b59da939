"""Known mistakes in this section: the built-in metrics of EvSys."""
