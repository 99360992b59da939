"""Known mistakes in this section: the file of rewards that a metric script is given."""
