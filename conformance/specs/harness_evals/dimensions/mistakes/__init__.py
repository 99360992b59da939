"""Known mistakes in this section: the summary of scores by dimension."""
