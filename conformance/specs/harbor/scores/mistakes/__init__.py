"""Known mistakes in the values of a leaderboard."""
