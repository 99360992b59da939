"""Judges answers: comparison at a level, free key order, outcomes, known failures."""
