"""What the rules take for granted of CPython 3.12: how it adds, reads numbers and JSON, and knows characters."""
