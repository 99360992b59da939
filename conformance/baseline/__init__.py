"""Lists of known failures: made of what fails today, in the fewest lines, and kept up to date.

``today`` is what a run found, read off its report; ``candidates`` are the patterns that match nothing else
than failures of one outcome; ``covering`` chooses the fewest of them; ``listing`` words a new list,
``updating`` changes an existing one and leaves every other byte of it as it was.
"""
