"""The account of a run, for people and for machines."""
