"""A metric script, run as harbor runs it, and the use of its output."""
