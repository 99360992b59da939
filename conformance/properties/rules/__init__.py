"""The checks, a module per section of the document."""
