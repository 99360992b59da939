"""Reason codes: codes for error texts."""
