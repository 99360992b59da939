"""Measures how much the kit's checks detect, and renders the page ``SELF-ASSESSMENT.md``.

Only the kit's limits, which cannot be measured, are written by hand (``limits.md``).
``measuring`` counts clauses and vectors, and collects the results of ``detection``, which tries the known
mistakes and the properties, and of ``conformance.mutants``. ``page`` renders the page.
"""
