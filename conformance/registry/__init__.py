"""The tables of specs, sections and operations, found in the folders of ``conformance.specs``."""
