"""Inputs for hypothesis: typed, biased to the edges where implementations differ, shrinking to the simplest.

Everything is drawn as a choice among fewer than a hundred, digits included. So what is drawn depends on the
seed alone: into larger draws hypothesis mixes constants that it finds in the modules loaded.
"""
