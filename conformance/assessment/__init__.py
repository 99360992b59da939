"""What the kit's checks are worth, measured, and the page that tells it: ``SELF-ASSESSMENT.md``.

Nothing on the page is typed by hand. ``measuring`` counts clauses, tries the known mistakes and the
properties; ``mutants`` runs the mutants or takes the report of a run; ``records`` keeps the reports of long
comparisons with the real harbor; ``page`` renders it all. What no measurement shows, the kit's limits, is in
``limits.md``.
"""
