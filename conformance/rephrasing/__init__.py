"""Asks published vectors again, rephrased."""
