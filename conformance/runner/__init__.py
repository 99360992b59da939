"""Runs runners as processes: starts, asks, times and restarts them."""
