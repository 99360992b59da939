"""Judges the job: what its files have to say, given its trials, and which of two was changed."""
