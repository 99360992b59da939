"""Known mistakes in this section: the plan: which trials a job has, and in which order."""
