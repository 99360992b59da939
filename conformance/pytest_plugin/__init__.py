"""The pytest plugin: one of the two faces of the kit, next to ``conformance.cli``."""
