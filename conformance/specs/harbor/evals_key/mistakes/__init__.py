"""Known mistakes in this section: the evals key: the group that a trial falls into."""
