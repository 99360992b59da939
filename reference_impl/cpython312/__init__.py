"""The behaviour of CPython 3.12 that the rules depend on, the same on every supported Python.

`parsing` parses numbers and JSON, `summation` adds, and `unicode15` has the character properties.
"""
