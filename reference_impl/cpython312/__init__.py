"""What the rules take from CPython 3.12, the same on every Python that this package runs on.

`parsing` is how it reads numbers and JSON, `summation` how it adds, `unicode15` what it knows of characters.
"""
