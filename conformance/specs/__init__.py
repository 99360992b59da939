"""The subject of the checks: a folder for each spec, and in it a folder for each section.

A section's folder contains everything that the kit knows about it, in modules that the engines look for:
``op`` (its operations), ``draw`` (random inputs), ``properties`` (checks) and ``mistakes`` (known ones).
Nothing imports from here by name; ``conformance.registry`` finds the folders.
"""
