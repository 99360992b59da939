"""A metric script, run as harbor runs it, and what is made of its output."""
