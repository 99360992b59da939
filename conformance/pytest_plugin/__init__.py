"""The pytest plugin: one of the two faces of the kit, beside ``conformance.cli``."""
