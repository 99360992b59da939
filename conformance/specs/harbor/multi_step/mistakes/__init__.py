"""Known mistakes in this section: trials of several steps: gates, and one reward from many."""
