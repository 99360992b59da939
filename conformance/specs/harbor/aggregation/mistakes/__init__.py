"""Known mistakes in this section: aggregation: the rewards of many trials, made one metric."""
