"""Whole jobs, played by harbor itself: started again, resumed, retried, cancelled."""
