"""Mutation testing: every small change to the reference must be noticed by a vector.

A mutant is a private copy of the reference (``mistakes.variant``) in which one place of one module is
changed: a comparison, a constant, a condition, a returned value, a statement left out (``operators`` names
all). It is asked the vectors, and nothing but the vectors, until one of them gets a wrong answer. A mutant
that none of them notices is a hole in the vectors, unless it can be proven that it answers like the
reference; then ``equivalent.json`` holds it, with the proof.

A small mutator of our own is used because those at hand run a test suite: mutmut 3 drives pytest and leaves
code outside of functions alone, where the reference has its tables and patterns; cosmic-ray starts a test
command for each mutant. Here a mutant is asked in process, in some hundredths of a second.

What is not changed, and why, is said in ``sites``. Every module belongs to one spec, as
``mistakes.modules`` has it, and its mutants are asked the vectors of that spec.
"""
