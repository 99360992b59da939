"""Known mistakes in this section: pass@k: the chance that at least one of k attempts succeeds."""
