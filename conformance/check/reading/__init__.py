"""Reads what a stranger may have written: folders, files, JSON; each within its limits."""
