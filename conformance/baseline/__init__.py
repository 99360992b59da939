"""Lists of known failures: made of what fails today, and kept up to date.

``today`` is what a run's report says, ``recorded`` such a report that somebody kept; ``listing`` writes a new
list, ``updating`` changes an existing one and leaves every other byte of it as it was.
"""
