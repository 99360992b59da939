"""The plan: a job's trials and their order."""
