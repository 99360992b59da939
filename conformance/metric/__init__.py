"""Checks of a single metric that somebody wrote, held to the contract of the system that it is for.

- ``findings``, ``report``: rules, what breaks them, and how that is told.
- ``keeper``, ``confinement``, ``scratch``: the code of a stranger, run within limits and cleared away.
- ``script``, ``script_cases``, ``script_output``, ``script_rules``: harbor's metric scripts.
- ``worker``, ``classes``: a class, loaded by a process of its own; ``evsys*`` and ``harness*`` judge it.
- ``targets``: what ``harbor-conformance metric`` and pytest are told to check.
"""
