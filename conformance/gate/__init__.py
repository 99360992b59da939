"""The gate: a run with optional fuzzing, all reports for CI, and one exit code.

``asking`` starts the run, ``fuzzing`` tests random inputs, ``folder`` writes the reports, ``result`` computes
and prints the result, and ``step`` writes the CI step's outputs.
"""
