"""A metric script, run like harbor runs it, and the use of its output."""
