"""The registry of metrics: names, plugins, what a benchmark computes."""
