"""Runs a stranger's commands behind bubblewrap, within limits, and reads back what they left.

- ``neighbours``: the copy of a folder that the commands get to see.
- ``calls``: the filter of system calls.
- ``inside``: the program that starts the commands within the walls.
- ``limits``: what a run may take, and how it ended.
- ``environments``: two that differ in all that a metric must not depend on; ``watched`` notes what a
  script asks for, and pretends another clock, user or number of processors.
- ``room``: the kit's side: calls, deadlines, bounds, and what was left, which ``outputs`` reads.
"""
