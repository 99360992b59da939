"""The plan: which trials a job has, and in which order."""
