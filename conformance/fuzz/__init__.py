"""Differential fuzzing of any runner against the reference, at full speed.

- ``changes``: small changes to a vector's input;
  ``inputs``: the stream of inputs, the same for the same seed.
- ``expected``: the reference's answers, in process; ``engine``: the loop that asks and compares.
- ``causes``: which disagreements are one.
- ``shrinking``, ``asking``: a counterexample made small, by asking again.
- ``findings``, ``report``, ``progress``: what is kept, written and shown.
"""
