"""A score: its value, its threshold, whether it passed."""
