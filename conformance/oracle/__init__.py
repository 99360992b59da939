"""The systems that give the expected answers: built, asked, and asked again by ``regen``."""
