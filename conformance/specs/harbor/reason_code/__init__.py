"""Reason codes: texts of errors, made codes."""
