"""Known mistakes in the job's result."""
