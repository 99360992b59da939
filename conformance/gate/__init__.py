"""The gate: one run with optional fuzzing, every report that CI shows, and one exit code.

``asking`` starts the run, ``fuzzing`` tries random inputs, ``folder`` writes the reports, ``result`` computes
and prints the result, ``step`` writes the CI step's outputs.
"""
