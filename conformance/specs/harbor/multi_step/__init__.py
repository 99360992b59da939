"""Multi-step trials: minimums, and one reward from several steps."""
