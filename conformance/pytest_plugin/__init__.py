"""The pytest plugin, one of the kit's two front ends, next to ``conformance.cli``."""
