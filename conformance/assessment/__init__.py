"""What the kit's checks are worth, measured, and the page that shows it: ``SELF-ASSESSMENT.md``.

Nothing on the page is typed by hand but the kit's limits, which no measurement shows (``limits.md``).
``measuring`` gathers it all: it counts clauses and vectors, ``detection`` tries the known mistakes and the
properties, ``mutant_reports`` runs the mutants or takes the report of a run, ``records`` keeps the reports of
long comparisons with the oracles. ``page`` renders the page and the detail behind it, with ``tables``.
"""
