"""Lists of known failures: created from today's failures, and kept up to date.

``today`` reads a run's report, ``listing`` writes a new list, and ``updating`` changes an existing one
without touching anything else in it.
"""
