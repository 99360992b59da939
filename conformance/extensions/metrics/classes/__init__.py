"""Shared code of the class contracts: a process that loads a class and calls it, and judging the results."""
