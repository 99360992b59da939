"""The systems that give the expected answers: building them, asking them, and ``regen``."""
