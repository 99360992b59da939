"""Mutation testing: every small change to the reference must be noticed by a vector.

A mutant is a private copy of the reference (``mistakes.variant``) with one change in one module: another
comparison, constant, condition or returned value, or a missing statement (``operators`` lists all). It is run
on the vectors, and nothing else, until one of them gets a wrong answer. A mutant that no vector catches is a
hole in the vectors, unless it provably answers like the reference; then ``equivalent.json`` lists it, with
the proof.

The kit has its own small mutator because existing ones run a test suite: mutmut 3 drives pytest and skips
code outside functions, where the reference has its tables and patterns; cosmic-ray starts a test command for
each mutant. Here a mutant runs in process, in a few hundredths of a second.

``sites`` documents what is not changed, and why. Every module belongs to one spec (``mistakes.modules``), and
its mutants are run on that spec's vectors.
"""
