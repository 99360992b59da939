"""Known mistakes in this section: metrics over several runs of one case."""
