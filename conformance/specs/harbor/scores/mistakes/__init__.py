"""Known mistakes in a leaderboard's values."""
