"""Measures what the kit's checks are worth, and renders the page ``SELF-ASSESSMENT.md``.

Only the kit's limits, which cannot be measured, are written by hand (``limits.md``).
``measuring`` gathers it all: it counts clauses and vectors, ``detection`` tries the known mistakes and the
properties, ``conformance.mutants`` the mutants. ``page`` renders the page.
"""
