"""The parts of the page of a report of ``check``."""
