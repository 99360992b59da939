"""The gate: one run, fuzzed where wanted, as every report that CI shows, and one exit code.

``asking`` begins the run, ``fuzzing`` asks what its vectors leave open, ``folder`` writes the reports,
``result`` decides what all of it comes to and prints it, ``step`` writes what a CI system reads.
"""
