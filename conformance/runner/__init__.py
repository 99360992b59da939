"""Runners as processes: starting, asking, timing, restarting."""
