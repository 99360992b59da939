"""Walls around somebody's commands: bubblewrap, what it shows them, and what a Python needs to be shown."""
