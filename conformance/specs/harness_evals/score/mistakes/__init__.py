"""Known mistakes in this section: a score: its value, its threshold, whether it passed."""
