"""What is checked: a folder for each spec, and in it a folder for each section.

A section's folder holds all that the kit knows of it, under names that the engines look for: ``op`` (its
operations), ``draw`` (random inputs), ``properties`` (checks) and ``mistakes`` (known ones). Nothing
imports from here by name; ``conformance.registry`` finds the folders.
"""
