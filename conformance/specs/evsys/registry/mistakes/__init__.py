"""Known mistakes in this section: the registry of metrics: names, plugins, what a benchmark computes."""
