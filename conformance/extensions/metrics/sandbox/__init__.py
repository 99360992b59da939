"""Runs untrusted commands in bubblewrap with limits, and reads their output files.

- ``neighbours``: copies the folder that the commands see.
- ``calls``: the filter of system calls.
- ``inside``: the program that starts the commands in the sandbox.
- ``limits``: the limits of a run, and how it ended.
- ``environments``: two environments that differ in everything a metric must not depend on; ``watched``
records what a script reads, and fakes clock, user or number of processors.
- ``room``: the kit's side: calls, deadlines, limits; ``outputs`` reads what a run left.
"""
