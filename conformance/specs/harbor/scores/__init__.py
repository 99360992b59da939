"""Scores: the values of a leaderboard, from records of trials."""
