"""What the kit's checks are worth, measured, and the page that shows it: ``SELF-ASSESSMENT.md``.

Nothing on the page is typed by hand but the kit's limits, which no measurement shows (``limits.md``).
``measuring`` gathers it all: it counts clauses and vectors, ``detection`` tries the known mistakes and the
properties, ``conformance.mutants`` the mutants; ``sources`` reads what was measured before. ``page`` renders
the page and the detail behind it, with ``tables``.
"""
