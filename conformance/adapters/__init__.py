"""Runners that the kit brings along, one file each."""
