"""Whole jobs, played by harbor itself: restarted, resumed, retried, cancelled."""
