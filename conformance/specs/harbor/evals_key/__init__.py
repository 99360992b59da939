"""The evals key: the group that a trial falls into."""
