"""EvSys metrics: a class that makes one number of the rewards of all samples of all tasks."""
