"""What the rules take from CPython 3.12: how it adds, reads numbers and JSON, and knows characters."""
