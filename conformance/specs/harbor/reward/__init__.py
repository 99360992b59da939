"""Reward files: from a verifier's files to a trial's rewards."""
