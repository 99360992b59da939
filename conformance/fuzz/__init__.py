"""Differential fuzzing of a runner against the reference.

- ``changes``: small changes to a vector's input;
  ``inputs``: the stream of inputs, the same for the same seed.
- ``expected``: the reference's answers, in process; ``engine``: the loop that asks and compares.
- ``causes``: groups disagreements by cause.
- ``shrinking``, ``asking``: shrink a counterexample, by asking again.
- ``findings``, ``report``, ``progress``: what is stored, written and shown.
"""
