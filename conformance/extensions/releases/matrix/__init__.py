"""Compares many subjects (releases, forks, commands, recorded reports) on the same specs."""
