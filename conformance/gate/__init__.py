"""The gate: one run, fuzzed where wanted, as every report that CI shows, and one exit code.

``asking`` runs the vectors, ``fuzzing`` what they leave open, ``numbers`` counts what came of it, ``folder``
writes the reports, ``step`` tells the CI system. No page is made here: ``publishing`` makes them.
"""
