"""Starter projects for runners in eight languages: a protocol file, a file for the author, a gate."""
