"""Judges each trial: its record, its reward files, its steps, and what the job gets from it."""
