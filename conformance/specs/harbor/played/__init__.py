"""Whole jobs, played by harbor itself: started anew, resumed, retried, cancelled."""
