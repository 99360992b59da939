"""Known mistakes in this section: a metric script, run as harbor runs it, and what is made of its output."""
