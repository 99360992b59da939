"""The evals key: the group that a trial belongs to."""
