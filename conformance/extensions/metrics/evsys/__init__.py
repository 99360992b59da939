"""EvSys metrics: a class that reduces the rewards of all samples of all tasks to one number."""
