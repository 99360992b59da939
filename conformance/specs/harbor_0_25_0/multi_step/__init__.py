"""The steps of a trial, where harbor 0.25.0 does otherwise than 0.13.1."""
